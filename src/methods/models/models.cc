#include "methods/models/models.h"

namespace perfcast::models {
namespace {

// Why this model cannot be used; empty: it can.
std::string missing_for(Model model, const Available& have) {
  const Machine* m = have.machine;
  const Profile* p = have.profile;
  const bool estimates_only = have.design && !have.code_of_steps;
  const bool code = have.source || (p && !estimates_only) || have.binary;
  switch (model) {
    case Model::dbc:
      return have.design ? "" : "a design file: steps with estimated usage (docs/parallel.md)";
    case Model::poc:
      if (have.design) return "";
      if (!have.source && !(p && p->source)) return "source code, or a profile with source operations";
      return m && !m->mflops && m->source.empty() ? "a flop rate of " + m->name : "";
    case Model::hllc:
      if (!have.source && !(p && p->source)) return "source code, or a profile with source operations";
      if (estimates_only) return "code: a design has estimates only";
      return m && m->source.empty() ? "costs of source operations on " + m->name : "";
    case Model::intcc:
    case Model::icc: {
      if (!code) return "code";
      const bool level = p && (model == Model::icc ? p->machine.has_value() : p->ir.has_value());
      if (p && !level) return std::string("a profile with the ") + (model == Model::icc ? "machine" : "IR") + " level";
      if (!p && !have.compiler) return "LLVM's compilers (clang-19, flang-new-19)";
      if (!p && have.binary && model == Model::intcc) return "source code: a binary has no IR";
      if (m && !m->core) return "core data of " + m->name;
      if (p && m && model == Model::icc && !p->run.isa.empty() && !m->isa.empty() && p->run.isa != m->isa)
        return "code for " + m->isa + ": analyze with --target " + m->isa + "-linux-gnu";
      return "";
    }
    case Model::ct:
      if (!code) return "code";
      if (have.design) return "code of the whole program";
      if (p && p->run.sources.empty() && p->run.binary.empty()) return "a program to run: the profile names none";
      return have.runs_here ? "" : "the machine itself: it is not this one";
  }
  throw Bug("a model without requirements");
}

// In the order in which they are preferred: accuracy first. ct comes last, as it answers for one machine and run only.
constexpr Model preference[] = {Model::icc, Model::intcc, Model::hllc, Model::dbc, Model::poc, Model::ct};

std::string reason_for(Model best, const ModelOverview& o) {
  std::string better;
  for (Model model : preference) {
    if (model == best) break;
    for (const auto& standing : o.models)
      if (standing.facts.model == model) better += (better.empty() ? "" : "; ") + std::string(word_of(model)) + " would need " + standing.missing;
  }
  return better.empty() ? "the most detailed model that can predict, and all it needs is here" : better;
}

}  // namespace

const std::vector<ModelFacts>& classification() {
  static const std::vector<ModelFacts> facts = {
      {Model::dbc, "design based", "a step of a design", "estimated usage", "macro", "abstract", false, false, false, "design", 3, 1, 3, {}},
      {Model::poc, "principal operation", "flops", "one rate", "macro", "abstract", false, false, false, "algorithm, design, code", 3, 1, 1, 0.4558},
      {Model::hllc, "high-level language", "source operations", "costs of each operation alone, added", "micro", "software based", true, false, false, "code", 3, 2, 2, 0.0819},
      {Model::intcc, "intermediate code", "IR operations", "throughput, critical path, mispredictions", "micro", "software based", true, false, false, "code", 2, 3, 3, {}},
      {Model::icc, "instruction code", "machine instructions", "window simulation with measured data, memory, branches", "micro", "system based", true, true, false, "code", 1, 3, 3, 0.0080},
      {Model::ct, "component timing", "itself", "timed on the spot", "monitoring", "system based", true, true, true, "code", {}, 3, 1, 0.0},
  };
  return facts;
}

ModelOverview overview(const ModelsOptions& options) {
  ModelOverview result;
  result.made_by = made_here();
  if (options.have.profile) result.program = options.have.profile->program;
  if (options.have.machine) result.machine = options.have.machine->name;
  for (const auto& facts : classification()) {
    ModelStanding standing;
    standing.facts = facts;
    if (options.have.any_program) {
      standing.missing = missing_for(facts.model, options.have);
      standing.usable = standing.missing.empty();
    }
    if (options.seen)
      if (auto it = options.seen->models.find(word_of(facts.model)); it != options.seen->models.end())
        standing.seen_error = it->second.mape;
    result.models.push_back(std::move(standing));
  }
  for (Model model : preference)
    for (const auto& standing : result.models)
      if (!result.best && standing.facts.model == model && standing.usable.value_or(false)) result.best = model;
  if (result.best) result.why = reason_for(*result.best, result);
  return result;
}

}  // namespace perfcast::models

// Principal operation characterization: weighted flops over one rate (Papaefstathiou et al. 1994, equation 6). Blind to
// everything but floating point, and kept to show how far that goes.
#include <fmt/format.h>

#include "methods/predict/accuracy.h"
#include "methods/predict/block_sum.h"
#include "methods/predict/flops.h"
#include "methods/predict/models.h"

namespace perfcast::predict {
namespace {

// The machine's rate in million flops per second; without one, that of y(i) = y(i) + a*x(i), from the costs of its
// operations.
std::optional<Measurement> flop_rate(const Machine& machine, const ProgramRun& run) {
  if (machine.mflops && machine.mflops->value > 0) return machine.mflops;
  constexpr double flops = 2;
  for (const std::string& language : {run.language, std::string("c"), std::string("c++"), std::string("fortran")}) {
    const auto* set = machine.costs_for(language, run.compiler, run.cflags);
    if (!set) continue;
    double ns = 0;
    bool known = true;
    for (auto [operation, times] : {std::pair("ARDL", 1), {"MRDL", 1}, {"SRDL", 1}, {"ARR1", 3}, {"LOOV", 1}}) {
      auto it = set->costs.find(operation);
      known = known && it != set->costs.end();
      if (known) ns += times * it->second.value;
    }
    if (!known || ns <= 0) continue;
    Measurement rate;
    rate.value = 1000 * flops / ns;
    rate.how = How::derived;
    return rate;
  }
  return {};
}

ModelError error_on(const Machine& machine, const ProgramRun& run) {
  if (machine.isa.empty()) return poc_in_order;
  return optimisation_level(run.cflags) > 0 ? poc_optimised : poc_overlapping;
}

}  // namespace

Answer answer_poc(const Profile& profile, const Machine& machine, const PredictOptions& options) {
  if (!profile.source) return std::unexpected("the profile has no source operations");
  const auto rate = flop_rate(machine, profile.run);
  if (!rate) return std::unexpected(machine.name + " has no flop rate");
  const double seconds_per_flop = 1e-6 / rate->value;
  const double relative_sd = rate->sd.value_or(0) / rate->value;

  BlockSum sum(profile.regions);
  std::vector<Share> shares;
  for (const auto& function : profile.source->functions)
    for (const auto& block : function.blocks) {
      shares.clear();
      for (const auto& [operation, times] : block.usage)
        if (double flops = flops_of(operation))
          shares.push_back({operation, times, times * flops * seconds_per_flop, times * flops * seconds_per_flop * relative_sd});
      if (block.count.value > 0 && !shares.empty()) sum.add(function, block, shares);
    }
  if (sum.seconds() <= 0) return std::unexpected("the program has no floating-point operations");

  ModelPrediction prediction;
  prediction.model = Model::poc;
  prediction.machine = machine.name;
  prediction.confidence = options.confidence;
  sum.store(prediction);
  // One rate for all: its error is common to all parts.
  prediction.sd = prediction.seconds * relative_sd;
  prediction.interval = interval_of(prediction.seconds, *prediction.sd, error_on(machine, profile.run), options.confidence);
  prediction.estimated_share = rate->how == How::measured || rate->how == How::published ? 0 : 1;
  if (!machine.mflops)
    prediction.remarks.push_back(fmt::format("no flop rate is known; {:.4g} Mflop/s follows from the costs of y = y + a*x", rate->value));
  return prediction;
}

// Component timing: the program was timed on the spot; the machine is the one we run on.
Answer answer_ct(const Profile&, const Machine&, const PredictOptions& options) {
  if (!options.timed) return std::unexpected("the program was not timed (--measure times it here)");
  ModelPrediction prediction;
  prediction.model = Model::ct;
  prediction.machine = "here";
  prediction.seconds = options.timed->seconds;
  prediction.interval = options.timed->interval;
  prediction.confidence = options.confidence;
  prediction.parts = {{"timed", options.timed->seconds, {}, {}}};
  return prediction;
}

}  // namespace perfcast::predict

// A counted run from end to end: plan, insert, generate code, link with the runtime, run, sum up the counters' files.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "frontends/llvm_ir/call_heights.h"
#include "frontends/llvm_ir/counter_plan.h"
#include "frontends/llvm_ir/insert_counters.h"
#include "frontends/llvm_ir/instrument.h"
#include "frontends/llvm_ir/leaving.h"
#include "frontends/llvm_ir/library_calls_marked.h"
#include "frontends/llvm_ir/module.h"

namespace perfcast::llvm_ir {
namespace fs = std::filesystem;
namespace {

const std::string& bitcode_of(const Unit& unit, Stage stage) {
  return stage == Stage::early ? unit.early_bitcode : unit.final_bitcode;
}

std::string stage_name(Stage stage) { return stage == Stage::early ? "early" : "final"; }

// The counted object of a unit. Final IR goes to code generation as it is, so that the code that is counted has the
// blocks that are analysed; it is generated at -O2 whatever the user's level, which changes no IR block. Early IR is
// optimised after the counters are in.
Status generate(const Unit& unit, Stage stage, bool lowered, const std::string& bitcode, const std::string& object) {
  std::vector<std::string> command = {unit.compiler, "-x", "ir"};
  if (unit.language == Language::fortran)
    command[0] = find_program("clang-19").value_or("clang-19");
  const auto flags = code_generation_flags(unit.flags);
  for (const auto& flag : lowered ? without_cpu(flags) : flags) command.push_back(flag);
  const bool optimise = stage == Stage::early && unit.early_bitcode != unit.final_bitcode;
  if (!optimise) command.insert(command.end(), {"-O2", "-Xclang", "-disable-llvm-passes"});
  command.insert(command.end(), {"-g0", "-w", "-c", bitcode, "-o", object});
  return run_compiler(command, {}, unit.source);
}

// Functions that other units may call.
std::set<std::string> defined_in(const std::vector<llvm::Module*>& modules) {
  std::set<std::string> names;
  for (const llvm::Module* module : modules)
    for (const auto& function : *module)
      if (!function.isDeclaration()) names.insert(function.getName().str());
  return names;
}

// The counted executable, and for each unit what its counters mean.
Result<std::vector<ModulePlan>> build(const CompiledProgram& program, Stage stage, const std::string& executable) {
  std::vector<LoadedModule> loaded;
  std::vector<llvm::Module*> modules;
  for (const auto& unit : program.units) {
    TRY(LoadedModule one, load_module(bitcode_of(unit, stage)));
    modules.push_back(one.module.get());
    loaded.push_back(std::move(one));
  }
  const LeavingCalls leaving(modules);
  // Of the code that is predicted only; the early stage tells of the source.
  const RecursiveFunctions recursive = stage == Stage::final ? RecursiveFunctions(modules) : RecursiveFunctions();
  const std::set<std::string> own = defined_in(modules);
  std::vector<ModulePlan> plans;
  std::vector<std::string> objects;
  for (std::size_t i = 0; i < modules.size(); i++) {
    plans.push_back(plan_counters(*modules[i], leaving, recursive));
    insert_counters(*modules[i], plans.back(), leaving, program.threads);
    if (stage == Stage::final && !program.threads) plans.back().routines = mark_library_calls(*modules[i], own);
  }
  for (std::size_t i = 0; i < modules.size(); i++) {
    const std::string base = program.scratch.file("unit" + std::to_string(i) + "." + stage_name(stage) + ".counted");
    bool lowered = false;
    if (!program.emulated) {
      TRY(lowered, lower_features(*modules[i]));
    }
    CHECK_OK(save_module(*modules[i], base + ".bc"));
    CHECK_OK(generate(program.units[i], stage, lowered, base + ".bc", base + ".o"));
    objects.push_back(base + ".o");
  }
  TRY(const std::string runtime, runtime_object(program, "counts", {"-O2"}));
  objects.push_back(runtime);
  CHECK_OK(link_program(program, objects, executable));
  return plans;
}

// Which thread filled a file: its number in the order the system gave them, so that the first thread comes first.
Result<std::uint64_t> thread_of(const std::string& path) {
  TRY(std::string bytes, read_file(path));
  std::uint64_t words[8] = {};
  std::memcpy(words, bytes.data(), std::min(bytes.size(), sizeof words));
  return words[5] ? words[5] : words[3];
}

// Adds up all files of one module; a file that another build wrote is refused.
Status add_file(const std::string& path, const std::map<std::uint64_t, std::size_t>& unit_of,
                std::vector<std::vector<std::uint64_t>>& sums, double& start_faults, bool& subnormal) {
  TRY(std::string bytes, read_file(path));
  std::vector<std::uint64_t> words(bytes.size() / 8);
  std::memcpy(words.data(), bytes.data(), words.size() * 8);
  // Ended between making the file, giving it its length and its first word: nothing was counted.
  if (words.empty() || words[0] == 0) return {};
  if (words.size() < counter_header_words) return unfit("a file of counts is cut short", path);
  auto unit = unit_of.find(words[1]);
  if (words[0] != counter_magic || unit == unit_of.end()) return unfit("a file of counts is not of this program", path);
  auto& sum = sums[unit->second];
  if (words[2] != sum.size() || words.size() < sum.size() + counter_header_words)
    return unfit("a file of counts has the wrong length", path);
  for (std::size_t i = 0; i < sum.size(); i++) sum[i] += words[i + counter_header_words];
  start_faults = static_cast<double>(words[4]), subnormal = subnormal || words[6] != 0;
  return {};
}

}  // namespace

struct CountedProgram::Parts {
  std::string executable;
  std::vector<ModulePlan> plans;
  std::vector<std::string> sources;
  bool threads = false;
};

Result<CountedProgram> CountedProgram::build(const CompiledProgram& program, Stage stage) {
  auto parts = std::make_shared<Parts>();
  parts->executable = program.scratch.file(stage_name(stage) + ".counted");
  TRY(parts->plans, llvm_ir::build(program, stage, parts->executable));
  for (const auto& unit : program.units) parts->sources.push_back(unit.source);
  parts->threads = program.threads;
  CountedProgram counted;
  counted.parts_ = std::move(parts);
  return counted;
}

Result<CountedRun> CountedProgram::run(const CountOptions& options) const {
  const std::vector<ModulePlan>& plans = parts_->plans;
  TRY(TemporaryFolder counts, TemporaryFolder::make("counts"));
  RunRequest request;
  request.command = options.runner;
  request.command.push_back(parts_->executable);
  request.command.insert(request.command.end(), options.arguments.begin(), options.arguments.end());
  request.environment = options.environment;
  request.environment["PERFCAST_COUNTS"] = counts.path().string();
  if (!options.input_file.empty()) request.input_file = options.input_file;
  request.folder = options.folder, request.limits = options.limits;
  CountedRun run;
  std::map<std::string, std::vector<std::string>> routines;
  for (const ModulePlan& plan : plans)
    if (!plan.routines.empty() && !options.emulated) routines[fmt::format("{:016x}", plan.checksum)] = plan.routines;
  std::optional<LibraryWatch> watch;
  if (!routines.empty()) watch.emplace(counts.path().string(), std::move(routines));
  TRY(run.outcome, run_program(request));
  if (watch) run.libraries = watch->stop();
  run.complete = run.outcome.ending == Ending::exited;

  std::map<std::uint64_t, std::size_t> unit_of;
  std::vector<std::vector<std::uint64_t>> sums;
  for (std::size_t i = 0; i < plans.size(); i++) {
    unit_of[plans[i].checksum] = i;
    sums.emplace_back(static_cast<std::size_t>(plans[i].counters));
  }
  double start_faults = 0;
  std::map<std::uint64_t, std::vector<std::vector<std::uint64_t>>> by_thread;
  const auto zeros = sums;
  for (const auto& file : fs::directory_iterator(counts.path())) {
    CHECK_OK(add_file(file.path().string(), unit_of, sums, start_faults, run.subnormal));
    if (!parts_->threads) continue;
    TRY(std::uint64_t thread, thread_of(file.path().string()));
    auto& own = by_thread.try_emplace(thread, zeros).first->second;
    double ignored = 0;
    CHECK_OK(add_file(file.path().string(), unit_of, own, ignored, run.subnormal));
  }
  const double faults = static_cast<double>(run.outcome.page_faults_minor + run.outcome.page_faults_major);
  run.page_faults = std::max(0.0, faults - start_faults);
  for (std::size_t i = 0; i < plans.size(); i++) run.units.push_back(counts_from(plans[i], sums[i]));
  tell_apart(run.units, parts_->sources);
  for (const auto& [thread, own] : by_thread) {
    auto& units = run.threads.emplace_back();
    for (std::size_t i = 0; i < plans.size(); i++) units.push_back(counts_from(plans[i], own[i]));
    tell_apart(units, parts_->sources);
  }
  return run;
}

Result<CountedRun> count_run(const CompiledProgram& program, Stage stage, const CountOptions& options) {
  TRY(CountedProgram counted, CountedProgram::build(program, stage));
  return counted.run(options);
}

Status build_counted(const CompiledProgram& program, Stage stage, const std::string& executable) {
  TRY([[maybe_unused]] auto plans, build(program, stage, executable));
  return {};
}

}  // namespace perfcast::llvm_ir

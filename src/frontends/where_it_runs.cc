#include "frontends/where_it_runs.h"

#include <algorithm>

#include "base/process.h"
#include "frontends/llvm_ir/emulated.h"
#include "frontends/llvm_ir/host_copy.h"

namespace perfcast {
namespace {

using llvm_ir::CompiledProgram;
using llvm_ir::CountedRun;
using llvm_ir::Stage;

#if defined(__x86_64__)
constexpr const char* host_isa = "x86_64";
#elif defined(__aarch64__)
constexpr const char* host_isa = "aarch64";
#else
constexpr const char* host_isa = "";
#endif

// Bits of the scalable vectors the program is compiled for, where that was said.
std::optional<int> vectors_of(const CompiledProgram& program, const std::string& cpu) {
  return llvm_ir::scalable_bits_of_flags(program.units.empty() ? std::vector<std::string>{} : program.units[0].flags, cpu);
}

// How long the program itself may run under qemu-user beside its copy.
constexpr Seconds judge_time{3};

// Why the copy's run is not the program's; empty: nothing speaks against it.
std::string doubt(const CountedRun& here, const CountedRun& judge) {
  if (here.outcome.ending == Ending::signalled) return "the copy for this host " + here.outcome.how_it_ended();
  if (judge.outcome.ending != Ending::timed_out && judge.outcome.ending != here.outcome.ending) return "the copy for this host ends otherwise";
  if (judge.complete && here.complete) return here.units == judge.units ? "" : "the copy for this host counts otherwise";
  const std::string& so_far = judge.outcome.output;
  return here.outcome.output.starts_with(so_far) ? "" : "the copy for this host prints otherwise";
}

}  // namespace

std::string isa_of(const std::string& target) { return target.empty() ? host_isa : target.substr(0, target.find('-')); }

bool needs_emulation(const AnalyzeOptions& options, const CompiledProgram& program) {
  if (isa_of(options.target) != host_isa || std::string(host_isa) != "aarch64" || !find_program("qemu-aarch64")) return false;
  const auto wanted = vectors_of(program, options.cpu);
  const bool other_vectors = wanted && wanted != llvm_ir::scalable_bits_here();
  return std::ranges::any_of(program.units, [&](const llvm_ir::Unit& unit) {
    return !llvm_ir::runs_here(unit.final_bitcode, other_vectors);
  });
}

Result<std::vector<std::string>> runner_for(const std::string& target, const CompiledProgram& program, const std::string& cpu) {
  const std::string wanted = isa_of(target);
  const bool foreign = wanted != host_isa;
  if (!foreign && !program.emulated) return std::vector<std::string>{};
  auto qemu = find_program("qemu-" + wanted);
  if (!qemu)
    return unfit("programs for " + wanted + " cannot be run here", "--target " + target, "apt install qemu-user");
  std::vector<std::string> runner = {*qemu};
  if (foreign) runner.insert(runner.end(), {"-L", "/usr/" + wanted + "-linux-gnu"});
  for (auto& word : llvm_ir::emulated_cpu(wanted, vectors_of(program, cpu).value_or(llvm_ir::scalable_bits({})))) runner.push_back(word);
  return runner;
}

std::optional<CompiledProgram> host_copy(const AnalyzeOptions& options, const CompiledProgram& program, Profile& profile) {
  if (isa_of(options.target) == host_isa || !options.launcher.empty()) return {};
  auto copy = options.emulate ? Result<CompiledProgram>(unfit("so asked")) : llvm_ir::copy_for_this_host(program);
  profile.made_by.more["counted"] = copy ? "on this host, from the same IR" : "under qemu-user: " + copy.error().what;
  if (!copy) return {};
  return std::move(*copy);
}

Result<CountedRun> count_final(const AnalyzeOptions& options, const CompiledProgram& program, std::optional<CompiledProgram>& copy,
                               llvm_ir::CountOptions& count, Profile& profile) {
  auto runner = runner_for(options.target, program, options.cpu);
  if (!copy) {
    TRY(count.runner, runner);
    count.emulated = !count.runner.empty();
    count.runner.insert(count.runner.begin(), options.launcher.begin(), options.launcher.end());
    auto run = count_run(program, Stage::final, count);
    // Why it is not counted on this host may be what can be changed.
    if (auto how = profile.made_by.more.find("counted"); !run && how != profile.made_by.more.end()) run.error().what += "\n  (it is to be counted " + how->second + ")";
    return run;
  }
  if (!runner) return count_run(*copy, Stage::final, count);
  llvm_ir::CountOptions judged = count;
  judged.runner = *runner, judged.emulated = !runner->empty(), judged.limits.time = std::min(count.limits.time, judge_time);
  auto judge = count_run(program, Stage::final, judged);
  auto here = count_run(*copy, Stage::final, count);
  if (!judge) return here;  // no libraries of the target to link with
  const std::string why = here ? doubt(*here, *judge) : "the copy for this host cannot be made";
  if (why.empty()) return here;
  copy.reset();
  count.runner = *runner, count.emulated = !runner->empty(), profile.made_by.more["counted"] = "under qemu-user: " + why;
  if (judge->outcome.ending != Ending::timed_out) return judge;
  return count_run(program, Stage::final, count);
}

}  // namespace perfcast

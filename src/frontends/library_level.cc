#include "frontends/library_level.h"

#include <algorithm>
#include <filesystem>

#include "engine/regions.h"
#include "frontends/library_calls.h"
#include "frontends/machine_code/machine_graph.h"

namespace perfcast {
namespace fs = std::filesystem;

Result<std::string> plain_program(const llvm_ir::CompiledProgram& program, llvm_ir::RunsOn runs_on) {
  const bool lower = runs_on == llvm_ir::RunsOn::qemu && !llvm_ir::qemu_knows(program);
  const std::string executable = program.scratch.file(lower ? "plain-for-qemu" : "plain");
  if (!fs::exists(executable)) CHECK_OK(llvm_ir::build_plain(program, executable, lower ? runs_on : llvm_ir::RunsOn::at_hand));
  return executable;
}

Result<machine_code::LibraryCode> library_code(const AnalyzeOptions& options, const std::vector<std::string>& arguments,
                                               const llvm_ir::CompiledProgram& program, const llvm_ir::CountedRun& counted,
                                               machine_code::LibraryTraceOptions trace, std::vector<InstructionForm>& forms) {
  trace.input_file = options.input_file, trace.folder = options.folder, trace.launcher = options.launcher;
  trace.patience = patience_for(counted.outcome.cpu);
  // Of threads it is not known which routine takes long, of ranks hardly: any might be waited for.
  constexpr Seconds of_many{30};
  if (program.threads || !options.launcher.empty()) trace.patience = std::min(trace.patience, of_many);
  for (const auto& unit : counted.units)
    for (const auto& function : unit.functions) trace.own_functions.push_back(function.name);
  TRY(const std::string executable, plain_program(program, llvm_ir::RunsOn::qemu));
  return machine_code::trace_library_code(executable, arguments, forms, trace);
}

LibraryLevel library_level(const AnalyzeOptions& options, const llvm_ir::CompiledProgram& program, const llvm_ir::CountedRun& counted,
                           const Profile& profile) {
  // Of the machine code: the code generator adds calls of its own, such as 128-bit division or copies of structures.
  auto known_calls = engine::calls_beyond(*profile.machine);
  const bool of_rank = !options.launcher.empty();
  std::erase_if(known_calls, [](const auto& call) { return engine::is_parallel_routine(call.first); });
  // What a launcher and all ranks took says nothing of one.
  const auto took = of_rank ? std::nullopt : std::optional(Seconds{profile.run.seconds});
  if (!worth_tracing(known_calls, machine_code::executed_instructions(*profile.machine), took)) return {};
  machine_code::LibraryTraceOptions trace;
  const llvm_ir::LibraryTime& seen = counted.libraries;
  if (seen.looks > 0) trace.time = time_to_trace(seen.all);
  else if (program.threads) trace.time = time_to_trace(1);  // at threads nobody looks
  for (const auto& [name, calls] : known_calls)
    if (!worth_awaiting(name, seen.at_most(name))) trace.not_awaited.insert(name);
  trace.known_calls = std::move(known_calls);
  LibraryLevel level;
  level.forms = profile.forms;
  level.code = library_code(options, options.arguments, program, counted, std::move(trace), level.forms);
  return level;
}

void add_libraries(LibraryLevel level, bool of_rank, Profile& profile) {
  if (!level.code) return;
  auto& libraries = *level.code;
  if (!libraries) {
    profile.gaps.push_back({"library code was not traced: " + libraries.error().what, {}, 0});
    profile.run.libraries_cut = of_rank;  // how long a rank computed was recorded: the interval of a prediction reaches there
    return;
  }
  profile.forms = std::move(level.forms);
  for (Function& function : libraries->graph.functions) profile.machine->functions.push_back(std::move(function));
  profile.gaps.insert(profile.gaps.end(), libraries->gaps.begin(), libraries->gaps.end());
  profile.run.system = libraries->system, profile.run.libraries_cut = libraries->cut;
}

}  // namespace perfcast

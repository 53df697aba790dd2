#include "frontends/analyze.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <future>
#include <set>

#include "base/text.h"
#include "frontends/library_level.h"
#include "frontends/llvm_ir/ir_graph.h"
#include "frontends/llvm_ir/runs_apart.h"
#include "frontends/llvm_ir/source_loops.h"
#include "frontends/machine_code/binary.h"
#include "frontends/machine_code/lost_returns.h"
#include "frontends/machine_code/machine_graph.h"
#include "frontends/machine_code/place.h"
#include "frontends/memory_profile/branches.h"
#include "frontends/scaling/add_scaling.h"
#include "frontends/source_level.h"
#include "frontends/where_it_runs.h"
#include "record/sized_arguments.h"

namespace perfcast {
namespace fs = std::filesystem;
namespace {

// What a program may use of memory for two runs of it to take place at once.
constexpr Bytes most_memory_side_by_side{512.0 * 1024 * 1024};

using llvm_ir::CompiledProgram;
using llvm_ir::CountedRun;
using llvm_ir::Stage;

llvm_ir::CompileRequest compile_request(const AnalyzeOptions& options) {
  llvm_ir::CompileRequest request;
  request.sources = options.sources, request.build_folder = options.build_folder, request.folder = options.folder;
  request.cflags = options.cflags, request.target = options.target, request.cpu = options.cpu;
  return request;
}

std::string program_name(const AnalyzeOptions& options) {
  if (!options.binary.empty()) return fs::path(options.binary).filename().string();
  if (!options.sources.empty()) return fs::path(options.sources.front()).stem().string();
  return fs::path(options.build_folder).lexically_normal().filename().string();
}

// A build by CMake names its programs.
std::string program_name(const AnalyzeOptions& options, const CompiledProgram& program) {
  std::set<std::string> names;
  for (const auto& unit : program.units) names.insert(unit.built_for);
  return names.size() == 1 && !names.begin()->empty() ? *names.begin() : program_name(options);
}

// The values of the parameters in the recorded run.
Status record_parameters(const AnalyzeOptions& options, ProgramRun& run) {
  TRY(run.parameters, parameter_values(options.arguments, options.parameters));
  run.parameter_arguments = options.parameters;
  return {};
}

void record_run(const AnalyzeOptions& options, const CompiledProgram& program, ProgramRun& run) {
  for (const auto& unit : program.units)
    run.sources.push_back(options.build_folder.empty() ? unit.source : (fs::path(unit.folder) / unit.source).lexically_normal().string());
  run.arguments = options.arguments, run.cflags = options.cflags, run.input = options.input_file;
  run.folder = fs::absolute(options.folder.empty() ? "." : options.folder).lexically_normal().string();
  run.build_folder = options.build_folder;
  run.language = program.languages(), run.compiler = program.compiler_name();
  run.target = options.target, run.cpu = options.cpu;
}

void record_outcome(const CountedRun& counted, const RunLimits& limits, Profile& profile) {
  const RunOutcome& outcome = counted.outcome;
  profile.run.exit_code = outcome.ending == Ending::exited ? outcome.code : 0;
  if (!outcome.ok()) profile.run.ending = outcome.how_it_ended(limits), profile.run.complaint = last_lines(outcome.errors);
  profile.run.seconds = outcome.cpu.value;
  profile.run.page_faults = counted.page_faults;
  if (!counted.complete)
    profile.gaps.push_back({"the program " + profile.run.ending + ": counts of the loops running then are missing", {}, 0});
  if (counted.subnormal)
    profile.gaps.push_back({"numbers too small to be normal occurred; many cores compute with them a hundred times slower, which is not costed", {}, 0});
}

// For the run that watches memory and branches.
memory_profile::Options memory_options(const llvm_ir::CountOptions& count, bool whole_run, double expected_seconds) {
  memory_profile::Options options;
  options.arguments = count.arguments, options.input_file = count.input_file, options.limits = count.limits;
  options.runner = count.runner, options.folder = count.folder;
  options.expected_seconds = expected_seconds, options.whole_run = whole_run || expected_seconds < memory_profile::short_run_seconds;
  return options;
}

// How the accesses and branches behave, from a run of its own. Counts are known without it, so it may fail.
memory_profile::Choices add_memory(const Result<memory_profile::MemoryProfile>& seen, const memory_profile::Options& options, Profile& profile) {
  if (!seen) {
    profile.gaps.push_back({"memory behaviour is not known: " + seen.error().what, {}, 0});
    return {};
  }
  if (seen->outcome.ending != Ending::exited)
    profile.gaps.push_back({"the run that watched memory " + seen->outcome.how_it_ended(options.limits), {}, 0});
  profile.made_by.more["memory bursts"] = options.whole_run ? "the whole run" :
      fmt::format("{} short, {} long, {:.0f} % of the time, up to {} lines", seen->short_bursts, seen->long_bursts,
                  100 * seen->burst_share, seen->deepest_lines);
  apply(*seen, *profile.ir);
  return choices_of(*seen);
}

// The machine code of the same IR, decoded, with its counts.
Status add_machine(const CompiledProgram& program, const CountedRun& run, Profile& profile) {
  TRY(machine_code::MachineLevel level, machine_code::machine_level(program, run.units));
  profile.run.isa = isa_of(program.target);
  profile.machine = std::move(level.graph), profile.forms = std::move(level.forms);
  profile.gaps.insert(profile.gaps.end(), level.gaps.begin(), level.gaps.end());
  return {};
}

// Where the code lies when it is linked. Only x86-64 has cores that mind, and one that cannot be linked here may be judged without.
void place_code(const CompiledProgram& program, Profile& profile) {
  if (profile.run.isa != "x86_64") return;
  auto executable = plain_program(program);
  auto placed = executable ? machine_code::place(*executable, *profile.machine) : Status(std::unexpected(executable.error()));
  if (!placed) profile.gaps.push_back({"where the linker puts the code is not known: " + placed.error().what, {}, 0});
}

// What the source calls a function, where its linkage name tells a person little (_QQmain, second_); the body of a parallel
// region is named for the function around it.
void pass_on_names(Profile& profile) {
  if (!profile.source) return;
  std::map<std::string, std::string> readable;
  for (const auto& function : profile.source->functions)
    if (!function.readable.empty()) readable[function.name] = function.readable;
  auto name_of = [&](const std::string& linkage) -> std::string {
    const auto own = std::min(linkage.find(".."), linkage.size());
    auto known = readable.find(linkage.substr(0, own));
    return known == readable.end() ? "" : known->second + linkage.substr(own);
  };
  for (auto* graph : {&profile.ir, &profile.machine})
    if (*graph)
      for (Function& function : (*graph)->functions)
        if (function.readable.empty() && !function.library) function.readable = name_of(function.name);
  auto pass_on = [&](auto& loop) { if (std::string name = name_of(loop.source_function); !name.empty()) loop.source_function = name; };
  std::ranges::for_each(profile.source_loops, pass_on);
  if (profile.ir)
    for (Function& function : profile.ir->functions) std::ranges::for_each(function.loops, pass_on);
}

// Where a function begins that the machine code's own lines do not tell, as they do not for flang's bodies of parallel regions.
void pass_on_places(Profile& profile) {
  if (!profile.ir || !profile.machine) return;
  std::map<std::string, Location> places;
  for (const Function& function : profile.ir->functions) places[function.name] = function.at;
  for (Function& function : profile.machine->functions)
    if (auto known = places.find(function.name); known != places.end() && !function.at.known() && !function.library) function.at = known->second;
}

Result<Profile> analyze_executable(const AnalyzeOptions& options) {
  machine_code::BinaryOptions binary;
  binary.input_file = options.input_file, binary.folder = options.folder, binary.limits = options.limits;
  binary.memory = !options.memory_level ? machine_code::WatchMemory::no : options.whole_run ? machine_code::WatchMemory::whole_run : machine_code::WatchMemory::in_bursts;
  if (options.progress) options.progress("counting the machine code, watching memory and branches");
  TRY(Profile profile, machine_code::analyze_binary(options.binary, options.arguments, binary));
  CHECK_OK(record_parameters(options, profile.run));
  return profile;
}

Status add_levels(const AnalyzeOptions& options, const CompiledProgram& program, Profile& profile) {
  auto tell = [&](const std::string& text) { if (options.progress) options.progress(text); };
  llvm_ir::CountOptions count;
  count.arguments = options.arguments, count.input_file = options.input_file, count.limits = options.limits;
  count.folder = options.folder;
  std::optional<CompiledProgram> copy = host_copy(options, program, profile);
  tell("counting the compiled code");
  TRY(CountedRun final_run, count_final(options, program, copy, count, profile));
  const CompiledProgram& counted = copy ? *copy : program;
  record_outcome(final_run, options.limits, profile);
  if (program.link_time && program.units.size() > 1)
    profile.gaps.push_back({"-flto was left out: calls between sources that the linker would inline are counted as calls; --binary analyses what it made", {}, 0});
  if (options.ir_level) {
    TRY(llvm_ir::IrLevel level, ir_level(program, final_run));
    profile.ir = std::move(level.graph), profile.library_calls = std::move(level.library_calls);
  }
  if (options.machine_level) {
    tell("decoding the machine code");
    if (auto added = add_machine(program, final_run, profile); !added)
      profile.gaps.push_back({"the machine level is missing: " + added.error().message(), {}, 0});
    else
      place_code(program, profile);
  }
  // What is run again from here on is run side by side, where the runs leave each other alone.
  const bool side_by_side = options.launcher.empty() && final_run.outcome.peak_memory < most_memory_side_by_side && llvm_ir::runs_apart(counted);
  const auto policy = side_by_side ? std::launch::async | std::launch::deferred : std::launch::deferred;
  const memory_profile::Options watching = memory_options(count, options.whole_run, profile.run.seconds);
  std::future<Result<memory_profile::MemoryProfile>> memory;
  if (options.memory_level && profile.ir && final_run.complete) {
    tell("watching memory and branches");
    auto made = profile.machine ? memory_profile::made_branches(profile.forms, *profile.machine) : memory_profile::MadeBranches();
    memory = std::async(policy, [&counted, &watching, made = std::move(made)] { return profile_memory(counted, made, watching); });
    if (!side_by_side) memory.wait();
  }
  LibraryLevel libraries;
  if (profile.machine && profile.ir && final_run.complete) {
    tell("counting what runs in libraries");
    libraries = library_level(options, program, final_run, profile);
  }
  // At -O0 the final IR has every source position already: one run serves both levels.
  const bool one_stage = std::ranges::all_of(
      program.units, [](const llvm_ir::Unit& unit) { return unit.early_bitcode == unit.final_bitcode; });
  CountedRun early_run;
  if (options.source_level && final_run.complete && !one_stage) {
    tell("counting the source statements");
    TRY(early_run, count_run(counted, Stage::early, count));
  }
  const CountedRun& source_run = one_stage ? final_run : early_run;
  std::optional<Result<std::vector<SourceLoop>>> loops;
  PositionCounts positions;
  std::vector<SourceReading> readings;
  std::vector<Gap> source_gaps;
  if (options.source_level && final_run.complete) {
    if (options.machine_level) loops = llvm_ir::source_loops(program, Stage::early, source_run);
    TRY(positions, position_counts(program, Stage::early, source_run));
    readings = read_sources(program, source_gaps, profile.regions);
  }
  memory_profile::Choices choices;
  if (memory.valid()) choices = add_memory(memory.get(), watching, profile);
  if (profile.machine && profile.ir) {
    memory_profile::pass_on_branches(*profile.ir, choices, profile.forms, *profile.machine);
    machine_code::add_lost_returns(final_run.units, profile.forms, *profile.machine);
    add_libraries(std::move(libraries), !options.launcher.empty(), profile);
  }
  if (options.source_level && final_run.complete) {
    if (!one_stage && early_run.outcome.output != final_run.outcome.output)
      profile.gaps.push_back({"two runs printed different output: the source and compiled levels may disagree", {}, 0});
    if (loops) add_source_loops(program, std::move(*loops), profile);
    profile.gaps.insert(profile.gaps.end(), source_gaps.begin(), source_gaps.end());
    profile.source = counted_source(readings, positions, profile.gaps);
  }
  if (options.parameters.empty() || !profile.ir || !final_run.complete) return {};

  scaling::ScalingOptions scaling;
  scaling.count = count, scaling.parameters = options.parameters, scaling.memory = options.memory_level, scaling.progress = options.progress;
  scaling.one_stage = one_stage;
  if (!options.launcher.empty()) scaling.sizes.run_seconds = 3, scaling.sizes.total_seconds = 90;  // a launcher's own time is in each run
  scaling.source = [&](const CountedRun& run) -> std::optional<Graph> {
    auto positions = position_counts(program, Stage::early, run);
    std::vector<Gap> ignored;
    return positions ? counted_source(readings, *positions, ignored) : std::nullopt;
  };
  scaling.library = [&](const std::vector<std::string>& arguments) -> std::optional<Graph> {
    std::vector<InstructionForm> forms;
    auto code = library_code(options, arguments, program, final_run, machine_code::LibraryTraceOptions(), forms);
    return code && code->complete ? std::optional(std::move(code->graph)) : std::nullopt;
  };
  scaling.code = &program;
  return scaling::add_scaling(counted, final_run, scaling, profile);
}

}  // namespace

Result<Profile> analyze(const AnalyzeOptions& options) {
  if (!options.binary.empty())
    return analyze_executable(options);
  Profile profile;
  profile.made_by = made_here();
  CHECK_OK(record_parameters(options, profile.run));
  llvm_ir::CompileRequest request = compile_request(options);
  request.early = options.source_level;
  if (options.progress) options.progress("compiling");
  TRY(CompiledProgram program, compile_program(request));
  profile.program = program_name(options, program);
  record_run(options, program, profile.run);
  program.emulated = needs_emulation(options, program);
  if (program.emulated) profile.made_by.more["counted"] = "under qemu-user: for a processor with other vectors or instructions than this one";
  profile.made_by.compiler = profile.run.compiler, profile.made_by.flags = options.cflags;
  CHECK_OK(add_levels(options, program, profile));
  pass_on_names(profile);
  pass_on_places(profile);
  return profile;
}

Status build_program(const AnalyzeOptions& options, const std::string& executable) {
  if (!options.binary.empty()) {
    std::error_code error;
    fs::copy_file(options.binary, executable, fs::copy_options::overwrite_existing, error);
    if (error) return unfit("cannot copy: " + error.message(), options.binary);
    return {};
  }
  llvm_ir::CompileRequest request = compile_request(options);
  request.early = false;
  TRY(CompiledProgram program, compile_program(request));
  return build_plain(program, fs::absolute(executable).string());
}

}  // namespace perfcast

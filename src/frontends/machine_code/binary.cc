#include "frontends/machine_code/binary.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>

#include "base/text.h"
#include "frontends/machine_code/decode.h"
#include "frontends/machine_code/fatal_errors.h"
#include "frontends/machine_code/machine_graph.h"
#include "frontends/machine_code/scale_to_calls.h"
#include "frontends/machine_code/traced_graph.h"

namespace perfcast::machine_code {
namespace {

bool host_can_run(const std::string& triple) {
#if defined(__x86_64__)
  return triple.starts_with("x86_64");
#else
  return triple.starts_with("aarch64");
#endif
}

// A program that crashes or runs too long leaves the counts of what it did until then.
Result<Trace> trace_as_far_as_it_goes(const std::string& executable, const std::vector<std::string>& arguments, const BinaryOptions& options) {
  TraceOptions how;
  how.input_file = options.input_file, how.folder = options.folder, how.limits = options.limits, how.system_root = options.system_root;
  how.memory = options.memory;
  return trace_program(executable, arguments, how);
}

Result<RunOutcome> run_plainly(const std::string& executable, const std::vector<std::string>& arguments, const BinaryOptions& options) {
  RunRequest request;
  request.command = {std::filesystem::absolute(executable).string()};
  request.command.insert(request.command.end(), arguments.begin(), arguments.end());
  request.limits = options.limits, request.folder = options.folder;
  if (!options.input_file.empty()) request.input_file = options.input_file;
  return run_program(request);
}

// Page faults and time of a plain run; the emulator's own say nothing.
void add_plain_run(const std::string& executable, const std::vector<std::string>& arguments, const BinaryOptions& options, ProgramRun& run) {
  auto outcome = run_plainly(executable, arguments, options);
  if (!outcome || outcome->ending != Ending::exited) return;
  run.page_faults = static_cast<double>(outcome->page_faults_minor + outcome->page_faults_major);
  run.seconds = outcome->cpu.value;
}

// Where no plain run told, each page touched is a fault.
void record_watch(const MemoryWatch& watch, Profile& profile) {
  if (profile.run.page_faults <= 0) profile.run.page_faults = watch.pages;
  profile.made_by.more["memory bursts"] = watch.whole ? "the whole run" :
      fmt::format("{} short, {} long, {:.0f} % of the instructions, up to {} lines", watch.short_bursts, watch.long_bursts, 100 * watch.share,
                  watch.deepest_lines);
}

// Leaves out the rarest library functions, together at most this share of the executed instructions: start-up code has
// many, and a profile should stay readable. One gap tells how much it was. Routines that the program calls itself stay.
constexpr double left_out_share = 0.0005;

void leave_out_rare(Graph& graph, const std::map<std::string, double>& called, std::vector<Gap>& gaps) {
  auto is_called = [&](const std::string& name) { return called.contains(name.substr(0, name.find("@plt"))); };
  std::vector<std::pair<double, std::size_t>> by_weight;
  double all = 0, left_out = 0;
  for (std::size_t k = 0; k < graph.functions.size(); ++k) {
    by_weight.push_back({executed_instructions(graph.functions[k]), k});
    all += by_weight.back().first;
  }
  std::sort(by_weight.begin(), by_weight.end());
  std::vector<bool> out(graph.functions.size());
  int count = 0;
  for (auto [weight, k] : by_weight) {
    if (!graph.functions[k].library || is_called(graph.functions[k].name)) continue;
    if (left_out + weight > left_out_share * all) break;
    left_out += weight, out[k] = true, ++count;
  }
  if (!count) return;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < graph.functions.size(); ++k)
    if (!out[k]) {
      if (kept != k) graph.functions[kept] = std::move(graph.functions[k]);
      ++kept;
    }
  graph.functions.resize(kept);
  gaps.push_back({std::to_string(count) + " rarely executed library functions are left out", {}, left_out});
}

bool is_illegal(const RunOutcome& outcome) { return outcome.ending == Ending::signalled && outcome.code == SIGILL; }

// For a program that an illegal instruction ends under qemu alone.
std::unexpected<Error> unknown_to_qemu(const std::string& executable) {
  return unfit("the program needs instructions that qemu does not know, such as AVX-512", executable,
               "build it for a processor without them (-march=x86-64-v3), or analyze its sources");
}

Result<Profile> profile_of_binary(const std::string& executable, const std::vector<std::string>& arguments, const BinaryOptions& options) {
  TRY(const Trace trace, trace_as_far_as_it_goes(executable, arguments, options));
  if (is_illegal(trace.outcome) && host_can_run(trace.triple)) {
    auto plain = run_plainly(executable, arguments, options);
    if (plain && !is_illegal(*plain)) return unknown_to_qemu(executable);
  }
  TRY(Decoder decoder, Decoder::make(trace.triple, options.tables_cpu));
  FormTable forms;
  TracedGraphOptions how;
  how.executable = executable;
  TracedGraph traced = graph_of_trace(trace, decoder, forms, how);
  Profile profile;
  profile.program = std::filesystem::path(executable).filename().string();
  profile.made_by = made_here();
  ProgramRun& run = profile.run;
  run.binary = std::filesystem::absolute(executable).string(), run.arguments = arguments, run.input = options.input_file;
  run.folder = std::filesystem::absolute(options.folder.empty() ? "." : options.folder).lexically_normal().string();
  if (!host_can_run(trace.triple)) run.target = trace.triple;
  run.isa = trace.triple.substr(0, trace.triple.find('-'));
  run.exit_code = trace.outcome.code;
  if (!trace.outcome.ok()) run.ending = trace.outcome.how_it_ended(options.limits), run.complaint = last_lines(trace.outcome.errors);
  const bool ended = trace.outcome.ending == Ending::exited;
  if (!ended) traced.gaps.push_back({"the program " + run.ending + " while it was counted (10 to 20 times as slow as a plain run): the counts are of what it did until then", {}, 0});
  if (ended && options.plain_run && host_can_run(trace.triple)) add_plain_run(executable, arguments, options, run);
  if (trace.memory) record_watch(*trace.memory, profile);
  leave_out_rare(traced.graph, {}, traced.gaps);
  profile.run.system = trace.system;
  profile.machine = std::move(traced.graph);
  profile.forms = forms.take();
  profile.library_calls = std::move(traced.library_calls);
  profile.gaps = std::move(traced.gaps);
  if (trace.threads > 1)
    profile.gaps.push_back({"ran " + std::to_string(trace.threads) + " threads; their work is added up", {}, 0});
  return profile;
}

}  // namespace

Result<Profile> analyze_binary(const std::string& executable, const std::vector<std::string>& arguments, const BinaryOptions& options) {
  try {
    FatalErrorsAreThrown guard;
    return profile_of_binary(executable, arguments, options);
  } catch (const Fatal& fatal) {
    return unfit("the file is damaged: " + fatal.what, executable);
  }
}

Result<LibraryCode> trace_library_code(const std::string& executable, const std::vector<std::string>& arguments,
                                       std::vector<InstructionForm>& forms, const LibraryTraceOptions& options) {
  TraceOptions how;
  how.input_file = options.input_file, how.folder = options.folder, how.system_root = options.system_root;
  how.limits.time = Seconds{4 * options.patience.value + 5}, how.processor_time = options.time;  // a busy machine may need longer
  how.launcher = options.launcher, how.skip = options.own_functions, how.routines = options.known_calls, how.patience = options.patience;
  for (const auto& brief : options.not_awaited)
    if (auto known = how.routines.find(brief); known != how.routines.end()) known->second = 0;
  TRY(const Trace trace, trace_program(executable, arguments, how));
  if (is_illegal(trace.outcome)) return unknown_to_qemu(executable);
  TRY(Decoder decoder, Decoder::make(trace.triple, options.tables_cpu));
  FormTable table;
  for (const auto& form : forms) table.intern(form);
  TracedGraphOptions what;
  what.executable = executable, what.library_only = true;
  TracedGraph traced = graph_of_trace(trace, decoder, table, what);
  LibraryCode code;
  code.complete = trace.complete && !trace.sampled;
  code.cut = !trace.unfinished.empty(), code.system = trace.system;
  if (!trace.complete) {
    const double seen = executed_instructions(traced.graph);
    scale_to_calls(traced.graph, options.known_calls);
    if (seen > 0) code.system *= executed_instructions(traced.graph) / seen;
    traced.gaps.push_back({"library code was traced in part only and scaled by the number of calls", {}, 0});
    if (code.cut)
      traced.gaps.push_back({"the trace of library code ended before the work of " + trace.unfinished + " did: what it does later is missing", {}, 0});
  } else if (trace.sampled) {
    traced.gaps.push_back({"library code was counted in samples after the first seconds", {}, 0});
  }
  leave_out_rare(traced.graph, options.known_calls, traced.gaps);
  code.graph = std::move(traced.graph), code.gaps = std::move(traced.gaps);
  forms = table.take();
  return code;
}

}  // namespace perfcast::machine_code

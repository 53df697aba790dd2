#include "frontends/machine_code/binary.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "frontends/machine_code/decode.h"
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

Result<Trace> trace_to_the_end(const std::string& executable, const std::vector<std::string>& arguments, const BinaryOptions& options) {
  TraceOptions how;
  how.input_file = options.input_file, how.limits = options.limits, how.system_root = options.system_root;
  TRY(Trace trace, trace_program(executable, arguments, how));
  const RunOutcome& outcome = trace.outcome;
  if (outcome.ending == Ending::timed_out)
    return unfit("the program " + outcome.how_it_ended(options.limits) + " while it was counted", executable,
                 "smaller input or a larger --timeout (counting takes 10 to 20 times the plain run)");
  if (outcome.ending != Ending::exited)
    return unfit("the program " + outcome.how_it_ended(options.limits) + " while it was counted", executable,
                 "run it plainly with the same arguments first");
  return trace;
}

// Page faults and time of a plain run; the emulator's own say nothing.
void add_plain_run(const std::string& executable, const std::vector<std::string>& arguments, const BinaryOptions& options, ProgramRun& run) {
  RunRequest request;
  request.command = {std::filesystem::absolute(executable).string()};
  request.command.insert(request.command.end(), arguments.begin(), arguments.end());
  request.limits = options.limits;
  if (!options.input_file.empty()) request.input_file = options.input_file;
  auto outcome = run_program(request);
  if (!outcome || outcome->ending != Ending::exited) return;
  run.page_faults = static_cast<double>(outcome->page_faults_minor + outcome->page_faults_major);
  run.seconds = outcome->cpu.value;
}

// One factor for all library code of a run that was cut off: how often its routines were called in the whole run, to
// how often in the part seen, weighted with calls. The dynamic linker's work is done at the start and stays.
double scale_of(const TracedGraph& traced, const std::map<std::string, double>& known) {
  double whole = 0, seen = 0;
  for (const auto& f : traced.graph.functions) {
    const std::string name = f.name.ends_with("@plt") ? f.name.substr(0, f.name.size() - 4) : "";
    auto exact = known.find(name);
    if (exact == known.end()) continue;
    whole += exact->second, seen += f.calls.value;
  }
  return seen > 0 && whole > seen ? whole / seen : 1;
}

void multiply(Count& count, double factor) { count.value *= factor, count.certainty = Certainty::ratio; }

void scale_up(Graph& graph, double factor) {
  for (auto& f : graph.functions) {
    if (f.library_name.starts_with("ld-linux")) continue;
    multiply(f.calls, factor);
    for (auto& b : f.blocks) {
      multiply(b.count, factor);
      for (auto& edge : b.next) multiply(edge.count, factor);
    }
    for (auto& loop : f.loops) multiply(loop.entries, factor), multiply(loop.iterations, factor);
  }
}

}  // namespace

Result<Profile> analyze_binary(const std::string& executable, const std::vector<std::string>& arguments, const BinaryOptions& options) {
  TRY(const Trace trace, trace_to_the_end(executable, arguments, options));
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
  run.folder = std::filesystem::current_path().string();
  run.target = trace.triple, run.cpu = decoder.cpu(), run.exit_code = trace.outcome.code;
  if (!trace.outcome.ok()) run.ending = trace.outcome.how_it_ended(options.limits);
  if (options.plain_run && host_can_run(trace.triple)) add_plain_run(executable, arguments, options, run);
  profile.machine = std::move(traced.graph);
  profile.forms = forms.take();
  profile.library_calls = std::move(traced.library_calls);
  profile.gaps = std::move(traced.gaps);
  if (trace.threads > 1)
    profile.gaps.push_back({"ran " + std::to_string(trace.threads) + " threads; their work is added up", {}, 0});
  return profile;
}

Result<LibraryCode> trace_library_code(const std::string& executable, const std::vector<std::string>& arguments,
                                       std::vector<InstructionForm>& forms, const LibraryTraceOptions& options) {
  TraceOptions how;
  how.input_file = options.input_file, how.system_root = options.system_root;
  how.limits.time = options.time;
  how.skip = options.own_functions;
  TRY(const Trace trace, trace_program(executable, arguments, how));
  TRY(Decoder decoder, Decoder::make(trace.triple, options.tables_cpu));
  FormTable table;
  for (const auto& form : forms) table.intern(form);
  TracedGraphOptions what;
  what.executable = executable, what.library_only = true;
  TracedGraph traced = graph_of_trace(trace, decoder, table, what);
  LibraryCode code;
  code.complete = trace.outcome.ending != Ending::timed_out;
  if (!code.complete) {
    code.scale = scale_of(traced, options.known_calls);
    scale_up(traced.graph, code.scale);
    traced.gaps.push_back({"library code was traced for the first " + std::to_string(static_cast<int>(options.time.value)) +
                               " s under emulation only and scaled by the number of calls", {}, 0});
  }
  code.graph = std::move(traced.graph), code.gaps = std::move(traced.gaps);
  forms = table.take();
  return code;
}

}  // namespace perfcast::machine_code

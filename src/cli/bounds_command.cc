#include "cli/command.h"
#include "cli/common.h"
#include "cli/program.h"
#include "methods/bounds/bounds.h"
#include "report/bounds_text.h"
#ifdef PERFCAST_LLVM
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <thread>

#include "base/mpi.h"
#include "frontends/sampling/sampling.h"
#include "frontends/thread_runs.h"
#endif

namespace perfcast::cli {
namespace {

struct BoundsArguments {
  ProgramWords program;
  std::vector<std::string> machines, loops;
  bool listing = false, no_measure = false;
  int threads = 0;
  std::string trace;
  bounds::BoundsOptions options;
  report::BoundsView view;
  OutputOptions output;
};

#ifdef PERFCAST_LLVM
// Clocks wander with what the other cores do; times are restated at the machine file's. Beyond this it is another machine.
constexpr double other_clock = 0.3;

// Why times taken here would say nothing about the machine; empty: they do.
std::string not_here(const Machine& machine) {
  if (machine.isa != host_instruction_set()) return machine.name + " is not this machine";
  ReferenceChain chain;
  for (int k = 0; k < 20; k++) chain.step_ns();
  double step_ghz = 1 / chain.best_ns();
  if (machine.core && std::abs(step_ghz / machine.core->clock_ghz.value - 1) > other_clock)
    return fmt::format("{} runs at {:.2f} GHz and this machine at {:.2f}", machine.name, machine.core->clock_ghz.value, step_ghz);
  return "";
}

// The program's own time on this machine, loop by loop; what stands in the way is said in the answer.
void measure(const Profile& profile, const Machine& machine, BoundsArguments& arguments) {
  bounds::BoundsOptions& options = arguments.options;
  auto ready = ready_program(profile.run, arguments.program.limits.limits());
  if (!ready) return void(options.not_measured = ready.error().what);
  // Loops are bounded for one core: parallel programs are sampled with one thread.
  const bool threads = runs_threads(profile);
  if (threads) ready->run.environment["OMP_NUM_THREADS"] = ready->run.environment["OMP_THREAD_LIMIT"] = "1";
  auto sampled = sampling::sample_program(profile, ready->run);
  if (!sampled) return void(options.not_measured = sampled.error().what);
  bounds::MeasuredProgram& measured = options.measured.emplace();
  const double ghz = machine.core ? machine.core->clock_ghz.value : sampled->clock_ghz, slower = sampled->clock_ghz / ghz;
  measured.seconds = sampled->seconds * slower, measured.samples = sampled->samples, measured.how = sampled->how + (threads ? "; with one thread" : "");
  measured.how += fmt::format("; told for the machine file's {:.2f} GHz, run at {:.2f}", ghz, sampled->clock_ghz);
  for (const auto& block : sampled->blocks) measured.blocks.push_back({block.function, block.block, block.seconds * slower});
}

// What each thread does with 1 to P threads. Counts hold for any machine of the instruction set, times for this one.
void run_with_threads(const Profile& profile, const Machine& machine, bool timed, BoundsArguments& arguments) {
  std::vector<int> numbers;
  int most = arguments.threads > 0 ? arguments.threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (int t = 1; t <= most; t = t < 8 ? t + 1 : t < most && 2 * t > most ? most : 2 * t) numbers.push_back(t);
  InFolder in_folder(profile.run.folder);
  auto runs = run_threads(profile, numbers, {arguments.program.limits.timeout}, timed);
  if (!runs) return remark("threads: " + runs.error().message());
  for (ThreadRun& run : *runs) {
    const double slower = machine.core && run.clock_ghz > 0 ? run.clock_ghz / machine.core->clock_ghz.value : 1;
    bounds::ThreadedRun& made = arguments.options.threaded.emplace_back(run.threads, run.seconds * slower, std::move(run.counts));
    made.plain = std::move(run.plain);
    for (const ThreadRegion& region : run.regions) {
      bounds::RegionSeconds& watched = made.regions.emplace_back(region.function, region.at, region.wall * slower, region.seconds);
      for (double& seconds : watched.busy) seconds *= slower;
    }
    if (run.threads > usable_processors())
      made.doubt = fmt::format("{} threads share {} processors: {} little", run.threads, usable_processors(), timed ? "their times mean" : "which of them took what of a dynamic schedule means");
  }
}

void run_here(const Profile& profile, const Machine& machine, BoundsArguments& arguments) {
  std::string& why = arguments.options.not_measured;
  why = arguments.no_measure ? "not asked for" : not_here(machine);
  const bool timed = why.empty();
  if (timed) measure(profile, machine, arguments);
  if (runs_threads(profile) && profile.run.isa == host_instruction_set() && (arguments.threads > 0 || !arguments.no_measure)) run_with_threads(profile, machine, timed, arguments);
}

// The addresses of one loop's lines; K-Trace.
Status trace(const Profile& profile, const BoundsArguments& arguments) {
  if (arguments.options.loops.size() != 1) return wrong_usage("--trace wants one --loop", "perfcast bounds p.json --loop sweep:12 --trace sweep.trace");
  const bounds::LoopName& name = arguments.options.loops[0];
  for (const SourceLoop& loop : profile.source_loops) {
    bool here = name.function.empty() || name.function == bounds::without_body_mark(loop.function) || name.function == bounds::without_body_mark(loop.source_function);
    if (!here || (name.line != 0 && loop.at.line != name.line)) continue;
    std::string output = std::filesystem::absolute(arguments.trace).string();
    CHECK_OK(can_write(output + ".0"));
    InFolder in_folder(profile.run.folder);
    TRY(llvm_ir::Traced traced, trace_region(profile, loop.at.file, loop.first_line, loop.last_line, output, {arguments.program.limits.timeout}));
    remark(fmt::format("{} loads and stores on lines {} to {} of {} were traced into {}.*", traced.places, loop.first_line, loop.last_line, loop.at.file, arguments.trace));
    if (!traced.whole) remark("a thread made more accesses than a trace holds: its trace is only the beginning");
    return {};
  }
  return wrong_usage("no executed loop of the source is named " + arguments.loops[0], "perfcast bounds without --loop lists those there are");
}
#else
Status trace(const Profile&, const BoundsArguments&) { return unfit("this perfcast was built without LLVM", "--trace"); }
void run_here(const Profile&, const Machine&, BoundsArguments& arguments) {
  arguments.options.not_measured = arguments.no_measure ? "not asked for" : "this perfcast was built without LLVM";
}
#endif

Status run(BoundsArguments& arguments) {
  CHECK_OK(can_write(arguments.output.file));
  for (const std::string& text : arguments.loops) {
    TRY(bounds::LoopName name, bounds::loop_name(text));
    arguments.options.loops.push_back(name);
  }
  arguments.program.arguments = program_arguments();
  TRY(std::vector<Machine> machines, machines_for(arguments.program, arguments.machines));
  if (machines.size() != 1) return wrong_usage("bounds are for one machine", "perfcast bounds PROFILE --machine M");
  TRY(Profile profile, profile_of(arguments.program));
  if (arguments.listing) return write_file(arguments.output.file, bounds::listing(profile, arguments.options));
  if (!arguments.trace.empty()) return trace(profile, arguments);
  run_here(profile, machines[0], arguments);
  TRY(Bounds result, bounds::bounds(profile, machines[0], arguments.options));
  return emit(result, report::bounds_text(result, arguments.view), arguments.output);
}

}  // namespace

void add_bounds(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<BoundsArguments>();
  add_program_options(app, arguments->program);
  add_machine_option(app, arguments->machines);
  app.add_option("--loop", arguments->loops, "FUNCTION:LINE, FUNCTION or LINE; repeatable. Default: every hot loop")->allow_extra_args(false);
  app.add_option("--hot", arguments->options.hot_share, "Share of the time from which a loop is hot")->check(CLI::Range(0.0, 1.0))->capture_default_str();
  app.add_option("--rows", arguments->view.loops, "Loops shown in full")->capture_default_str();
  app.add_flag("--listing", arguments->listing, "Loops of the machine code, their nesting and what is in them, instead of bounds");
  app.add_option("--trace", arguments->trace, "Write the addresses that the --loop loads and stores to FILE.0, FILE.1, ... by thread, instead of bounds");
  app.add_flag("--no-measure", arguments->no_measure, "Do not run the program to measure its loops; with --threads, threads are counted but not timed");
  app.add_option("--threads", arguments->threads, "Run a parallel program with 1 to this many threads; default: those of this machine")->check(CLI::Range(1, 4096));
  add_output_options(app, arguments->output);
  action = [arguments] { return run(*arguments); };
}

}  // namespace perfcast::cli

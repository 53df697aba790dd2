#include "cli/command.h"
#include "cli/common.h"
#include "cli/program.h"
#include "methods/bounds/bounds.h"
#include "report/bounds_text.h"
#ifdef PERFCAST_LLVM
#include "frontends/sampling/sampling.h"
#endif

namespace perfcast::cli {
namespace {

struct BoundsArguments {
  ProgramWords program;
  std::vector<std::string> machines, loops;
  bool listing = false, no_measure = false;
  bounds::BoundsOptions options;
  report::BoundsView view;
  OutputOptions output;
};

#ifdef PERFCAST_LLVM
// The program's own time on this machine, loop by loop; what stands in the way is said in the answer.
void measure(const Profile& profile, const Machine& machine, BoundsArguments& arguments) {
  bounds::BoundsOptions& options = arguments.options;
  if (arguments.no_measure) return void(options.not_measured = "not asked for");
  if (machine.isa != host_instruction_set()) return void(options.not_measured = machine.name + " is not this machine");
  auto ready = ready_program(profile.run, {arguments.program.timeout});
  if (!ready) return void(options.not_measured = ready.error().what);
  auto sampled = sampling::sample_program(profile, ready->run);
  if (!sampled) return void(options.not_measured = sampled.error().what);
  bounds::MeasuredProgram& measured = options.measured.emplace();
  measured.seconds = sampled->seconds, measured.samples = sampled->samples, measured.how = sampled->how;
  for (const auto& block : sampled->blocks) measured.blocks.push_back({block.function, block.block, block.seconds});
}
#else
void measure(const Profile&, const Machine&, BoundsArguments& arguments) {
  arguments.options.not_measured = "this perfcast was built without LLVM";
}
#endif

Status run(BoundsArguments& arguments) {
  for (const std::string& text : arguments.loops) {
    TRY(bounds::LoopName name, bounds::loop_name(text));
    arguments.options.loops.push_back(name);
  }
  arguments.program.arguments = program_arguments();
  TRY(std::vector<Machine> machines, load_machines(arguments.machines));
  if (machines.size() != 1) return wrong_usage("bounds are for one machine", "perfcast bounds PROFILE --machine M");
  TRY(Profile profile, profile_of(arguments.program));
  if (arguments.listing) return write_file(arguments.output.file, bounds::listing(profile, arguments.options));
  measure(profile, machines[0], arguments);
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
  app.add_flag("--no-measure", arguments->no_measure, "Do not run the program to measure its loops");
  add_output_options(app, arguments->output);
  action = [arguments] { return run(*arguments); };
}

}  // namespace perfcast::cli

// perfcast dilate -D 1,2,4,6 -- mpirun -n 2 ./app
#include "cli/command.h"
#include "cli/common.h"
#include "cli/progress.h"
#include "methods/dilate/dilate.h"
#include "report/dilation_text.h"

namespace perfcast::cli {
namespace {

struct DilateArguments {
  dilate::DilateOptions options;
  double timeout = 600;
  OutputOptions output;
};

Status run(DilateArguments& arguments) {
  CHECK_OK(can_write(arguments.output.file));
  ProgressBar bar;
  arguments.options.time_limit = Seconds{arguments.timeout};
  arguments.options.progress = [&](const std::string& doing, double fraction) { bar.show(doing, fraction); };
  auto dilation = dilate::dilate(program_arguments(), arguments.options);
  bar.clear();
  if (!dilation) return std::unexpected(dilation.error());
  return emit(*dilation, report::dilation_text(*dilation), arguments.output);
}

}  // namespace

void add_dilate(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<DilateArguments>();
  app.footer("The command stands behind --, as: perfcast dilate -D 1,2,4,6 -- mpirun -n 2 ./app");
  app.add_option("-D", arguments->options.factors, "Factors by which computation is stretched")->delimiter(',')->capture_default_str();
  app.add_option("--repeats", arguments->options.repeats, "Runs of each factor, interleaved")->capture_default_str();
  app.add_flag("--threads", arguments->options.threads, "An OpenMP program: virtual speed-up of each parallel region");
  app.add_option("--regions", arguments->options.regions, "With --threads: how many of the largest regions")->capture_default_str();
  app.add_flag("--cpu-clock", arguments->options.cpu_clock, "Time segments by CPU time: on a machine that others use, for long segments");
  app.add_option("--timeout", arguments->timeout, "Seconds that one run may take")->capture_default_str();
  add_output_options(app, arguments->output);
  action = [arguments] { return run(*arguments); };
}

}  // namespace perfcast::cli

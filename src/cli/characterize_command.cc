// perfcast characterize: measures this machine and saves it.
#include <fmt/format.h>

#include <atomic>
#include <csignal>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/progress.h"
#include "methods/characterize/characterize.h"
#include "report/characterization_text.h"

namespace perfcast::cli {
namespace {

struct Options {
  characterize::CharacterizeOptions what;
  OutputOptions output{"text", ""};
};

std::atomic<bool> stop = false;
void stop_on_signal(int signal) {
  stop = true;
  std::signal(signal, SIG_DFL);  // a second Ctrl-C ends at once
}

Status run(Options& options) {
  ProgressBar bar;
  options.what.stop = &stop;
  options.what.progress = [&](const characterize::Progress& p) { bar.show(p.doing, p.fraction, p.left.value); };
  options.what.remark = [&](const std::string& text) { bar.clear(), remark(text); };
  std::signal(SIGINT, stop_on_signal);
  TRY(Machine machine, characterize::characterize(options.what));
  bar.clear();
  if (stop) remark("interrupted: what was measured is kept, the rest is listed under gaps");
  if (options.output.file.empty()) {
    CHECK_OK(save_machine(machine, true));
    remark("saved as \"" + machine.name + "\"; it is now the default machine");
    return write_file("-", options.output.json() ? record_text(machine) : report::characterization_text(machine));
  }
  return emit(machine, report::characterization_text(machine), options.output);
}

}  // namespace

void add_characterize(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  auto& what = options->what;
  app.add_flag("--quick", what.quick, "At most 30 seconds, at -O0 only; otherwise up to 5 minutes");
  app.add_option("--name", what.name, "Name of the machine; otherwise made from the processor and the host");
  app.add_option("--compiler", what.compilers, "Characterize this compiler only; repeatable")->allow_extra_args(false);
  app.add_option("--cflags", what.flags, "A set of compiler flags, \"-O3 -march=native\"; repeatable; otherwise -O0 and -O2")
      ->allow_extra_args(false);
  app.add_option("--section", what.sections, "Measure this section only; repeatable")->allow_extra_args(false);
  app.add_option("--confidence", what.confidence, "Of intervals, and of what is \"not detected\"")
      ->check(CLI::Range(0.5, 0.9999))
      ->capture_default_str();
  add_output_options(app, options->output);
  action = [options] { return run(*options); };
}

}  // namespace perfcast::cli

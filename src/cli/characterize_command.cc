// perfcast characterize: measures this machine and saves it.
#include <fmt/format.h>

#include <atomic>
#include <filesystem>

#include "base/ending.h"
#include "base/mpi.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/common.h"
#include "cli/progress.h"
#include "methods/characterize/characterize.h"
#include "methods/characterize/source/study.h"
#include "report/characterization_text.h"
#include "report/parallel_text.h"

namespace perfcast::cli {
namespace {

struct Options {
  characterize::CharacterizeOptions what;
  OutputOptions output{"text", ""};
  bool study = false, messages = false;
};

std::atomic<bool> stop = false;

std::string study_text(const characterize::Study& study, double confidence) {
  Table intervals({"test", "repetitions", "half interval", "9 of 10 below", "not detected"});
  for (const auto& p : study.intervals)
    intervals.add({time_text(1e-9 * p.test_ns), std::to_string(p.repetitions), percent_text(p.typical),
                   percent_text(p.worst), percent_text(p.undetected)});
  Table checks({"code", "measured ns", "by minimum", "by median", "by average"});
  auto error = [](double predicted, double measured) { return percent_text(predicted / measured - 1, true); };
  for (const auto& c : study.checks)
    checks.add({c.name, number_text(c.measured_ns), error(c.minimum_ns, c.measured_ns), error(c.median_ns, c.measured_ns),
                error(c.average_ns, c.measured_ns)});
  checks.rule();
  checks.add({"mean error", "", percent_text(study.minimum_error), percent_text(study.median_error), percent_text(study.average_error)});
  checks.add({"of the total", "", error(study.minimum_total, 1), error(study.median_total, 1), error(study.average_total, 1)});
  return fmt::format("{}; clock resolution {:.0f} ns, overhead {:.0f} ns\n\nHalf intervals at {:.0f} %, relative to the cost "
                     "(median over operations)\n{}\nOrdinary code predicted from costs by each statistic\n{}",
                     study.title, study.clock_resolution_ns, study.clock_overhead_ns, 100 * confidence, intervals.text(),
                     checks.text());
}

Status run_study(Options& options) {
  TRY(auto study, characterize::study(options.what));
  OutputOptions output = options.output;
  if (output.file.empty()) output.file = "-";
  return emit(study, study_text(study, options.what.confidence), output);
}

// Only messages and threads: they become part of the machine that is there already.
Status measure_parallel(Options& options, ProgressBar& bar) {
  options.what.sections = {"threads", "messages"};
  TRY(Machine measured, characterize::characterize(options.what));
  bar.clear();
  if (auto place = mpi_place(); place && place->rank != 0) return {};
  std::string name = options.what.name.empty() ? default_machine().value_or(measured.name) : options.what.name;
  Machine machine = measured;
  auto known = find_machine(name);
  std::error_code ignored;
  if (!known && std::filesystem::exists(options.output.file, ignored)) known = find_machine(options.output.file);
  if (known) {
    machine = *known, name = known->name;
    if (!measured.messages.is_null()) machine.messages = measured.messages;
    if (!measured.threads.is_null()) machine.threads = measured.threads;
  }
  machine.name = name;
  if (!options.output.file.empty()) return emit(machine, report::parallel_costs_text(machine), options.output);
  CHECK_OK(save_machine(machine, !default_machine() || default_machine() == name));
  remark("messages and threads were added to \"" + machine.name + "\"");
  return options.output.json() ? write_file("-", record_text(machine)) : write_text(report::parallel_costs_text(machine));
}

// What an interrupted run measured is kept, but not in the place of an earlier machine, which may be whole: it gets another
// name. Says whether.
bool set_aside(Machine& machine, std::string& file) {
  remark("interrupted: what was measured is kept, the rest is listed under gaps");
  std::error_code ignored;
  const bool taken = file.empty() ? find_machine(machine.name).has_value() : std::filesystem::is_regular_file(file, ignored);
  if (!taken) return false;
  const std::string place = file.empty() ? machine.name : file;
  (file.empty() ? machine.name : file) += file.empty() ? "-interrupted" : ".interrupted";
  remark("\"" + place + "\" is left as it was; this is \"" + (file.empty() ? machine.name : file) + "\"");
  return true;
}

// Who measures some sections of this computer again keeps the others.
void keep_the_rest(Machine& machine) {
  auto known = find_machine(machine.name);
  auto processor = [](const Machine& m) { return m.isa + m.description.substr(0, m.description.find(", characterized")); };
  if (!known || processor(*known) != processor(machine)) return;
  machine = refreshed(std::move(*known), std::move(machine));
  remark("the other sections of \"" + machine.name + "\" are kept as they were");
}

Status run(Options& options) {
  CHECK_OK(can_write(options.output.file));
  // Started by mpirun on one host: rank 0 measures with as many ranks as there are; the others have nothing to do.
  if (auto place = mpi_place(); place && (place->one_host || !options.messages)) {
    if (place->rank != 0) return {};
    leave_own_core();
  }
  ProgressBar bar;
  options.what.stop = &stop;
  options.what.progress = [&](const characterize::Progress& p) { bar.show(p.doing, p.fraction, p.left.value); };
  options.what.remark = [&](const std::string& text) { bar.clear(), remark(text); };
  stop_at_first_interrupt(stop);  // a second Ctrl-C ends at once
  if (options.study) return run_study(options);
  if (options.messages) return measure_parallel(options, bar);
  TRY(Machine machine, characterize::characterize(options.what));
  bar.clear();
  const bool aside = stop && set_aside(machine, options.output.file);
  // There are thousands of costs: who asked for some of them, or for the output as such, sees them all.
  const bool every_cost = !options.what.compilers.empty() || !options.what.sections.empty() || options.output.file == "-";
  const std::string text = report::characterization_text(machine, options.what.confidence, every_cost);
  if (options.output.file.empty()) {
    if (!options.what.sections.empty() && !aside) keep_the_rest(machine);
    CHECK_OK(save_machine(machine, !aside));
    remark("saved as \"" + machine.name + "\"" + (aside ? "" : "; it is now the default machine"));
    return options.output.json() ? write_file("-", record_text(machine)) : write_text(text + (every_cost ? "" : "\nevery number: perfcast machines show " + machine.name + "\n"));
  }
  return emit(machine, text, options.output);
}

}  // namespace

void add_characterize(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  auto& what = options->what;
  app.add_flag("--quick", what.quick, "About 20 seconds, at -O0 only; otherwise about 3 minutes");
  app.add_option("--name", what.name, "Name of the machine; otherwise made from the processor and the host");
  app.add_option("--compiler", what.compilers, "Characterize this compiler only; repeatable")->allow_extra_args(false);
  app.add_option("--cflags", what.flags, "A set of compiler flags, \"-O3 -march=native\"; repeatable; otherwise -O0 and -O2")
      ->allow_extra_args(false);
  app.add_option("--section", what.sections, "Measure this section only; repeatable")->allow_extra_args(false);
  app.add_option("--confidence", what.confidence, "Of intervals, and of what is \"not detected\"")
      ->check(CLI::Range(0.5, 0.9999))
      ->capture_default_str();
  app.add_flag("--messages", options->messages,
               "Only what messages between ranks and threads cost (alone, or as mpirun -n 2 perfcast characterize --messages); added to the machine");
  app.add_flag("--study", options->study,
               "Show how intervals shrink with test length and repetitions, and which statistic predicts best");
  add_output_options(app, options->output);
  action = [options] { return run(*options); };
}

}  // namespace perfcast::cli

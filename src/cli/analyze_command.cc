#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "cli/command.h"
#include "cli/common.h"
#include "cli/program.h"
#include "cli/progress.h"
#include "frontends/analyze_parallel.h"
#include "methods/parallel/parallel.h"
#include "report/parallel_text.h"
#include "report/profile_text.h"

namespace perfcast::cli {
namespace {

struct AnalyzeArguments {
  AnalyzeOptions options;
  std::vector<std::string> parameters, levels;
  ParallelAnalysis parallel;
  LimitWords limits;
  report::ProfileView view;
  OutputOptions output{"text", ""};
};

Status check(const AnalyzeArguments& arguments) {
  const AnalyzeOptions& o = arguments.options;
  if (o.sources.empty() && o.build_folder.empty() && o.binary.empty())
    return wrong_usage("nothing to analyse", "perfcast analyze prog.c -- ARGS, or --binary EXE, or -p BUILD");
  if (!o.binary.empty() && (!o.sources.empty() || !o.build_folder.empty()))
    return wrong_usage("--binary stands alone: it is analysed without its sources");
  return {};
}

// Counts and sizes of messages as expressions, where several runs were recorded.
Status describe_messages(Profile& profile) {
  TRY(auto messages, part_of<MessageProfile>(profile.messages, profile.program));
  if (!messages) return {};
  parallel::describe_sites(*messages);
  profile.messages = to_json_value(*messages);
  return {};
}

Status run(AnalyzeArguments& arguments) {
  CHECK_OK(can_write(arguments.output.file));
  CHECK_OK(check(arguments));
  AnalyzeOptions& options = arguments.options;
  options.arguments = program_arguments();
  for (const auto& text : arguments.parameters) {
    TRY(auto parameter, parameter_of(text));
    for (const auto& [name, number] : options.parameters)
      if (name == parameter.first || number == parameter.second)
        return wrong_usage(fmt::format("--param {} and {}=ARG{} speak of the same {}", text, name, number, name == parameter.first ? "name" : "argument"), "one name for each argument");
    options.parameters.insert(parameter);
  }
  options.limits = arguments.limits.limits();
  if (!arguments.levels.empty()) {
    auto wanted = [&](const char* level) { return std::ranges::find(arguments.levels, level) != arguments.levels.end(); };
    options.source_level = wanted("source"), options.ir_level = wanted("ir") || wanted("machine") || wanted("memory");
    options.machine_level = wanted("machine"), options.memory_level = wanted("memory");
  }
  ProgressBar bar;
  int step = 0;
  options.progress = [&](const std::string& doing) { bar.show(doing, std::min(0.95, 0.2 * step++), 0); };
  TRY(Profile profile, analyze_parallel(options, arguments.parallel));
  CHECK_OK(describe_messages(profile));
  bar.clear();
  // What was counted before a crash is kept where the user asked for a file; the answer is still "unfit".
  auto trouble = run_trouble(profile);
  if (trouble && arguments.output.file.empty()) return std::unexpected(*trouble);
  const std::string& file = arguments.output.file;
  const std::string path = file.empty() ? profile.program + ".profile.json" : file;
  CHECK_OK(write_record(path, profile));
  if (trouble) return std::unexpected(*trouble);
  if (path == "-") return {};
  if (arguments.output.json()) return write_file("-", record_text(profile));
  return write_text(report::profile_text(profile, arguments.view) + report::parallel_text(profile) + "\nwritten to " + path + "\n");
}

}  // namespace

void add_analyze(CLI::App& app, Action& action) {
  auto a = std::make_shared<AnalyzeArguments>();
  app.add_option("sources", a->options.sources, "C, C++ or Fortran sources; after -- the program's own arguments");
  app.add_option("--binary", a->options.binary, "An executable of any compiler, analysed without its sources");
  app.add_option("-p,--build", a->options.build_folder, "A folder with compile_commands.json");
  app.add_option("--cflags", a->options.cflags, "Flags of compiler and linker, as one word: \"-O2 -DN=5 -lm\"");
  app.add_option("--param", a->parameters, "An argument that is a parameter: N=ARG1; repeatable")->allow_extra_args(false);
  app.add_option("--target", a->options.target, "Compile for another machine: a triple, aarch64-linux-gnu");
  app.add_option("--mcpu", a->options.cpu, "Compile for this CPU: neoverse-v1, sapphirerapids");
  app.add_flag("--emulate", a->options.emulate, "Count a program for another instruction set under qemu-user, even where its IR could run here");
  app.add_option("--ranks", a->parallel.ranks, "An MPI program: started with so many ranks; more numbers (2,3,4) record its messages with those too")
      ->delimiter(',')
      ->check(CLI::Range(1, 100000))
      ->allow_extra_args(false);
  app.add_option("--threads", a->parallel.threads, "An OpenMP program: its regions are watched with so many threads")->check(CLI::Range(1, 256));
  app.add_option("--input", a->options.input_file, "A file given as standard input (default: none)");
  add_limit_options(app, a->limits);
  app.add_option("--levels", a->levels, "Only these: source, ir, machine, memory")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"source", "ir", "machine", "memory"}));
  app.add_flag("--whole-run", a->options.whole_run, "Watch memory and branches from beginning to end instead of in bursts; some 30 times as long as the plain run");
  app.add_option("--rows", a->view.rows, "Rows of each table")->capture_default_str();
  app.add_option("--format", a->output.format, "How to show the result: text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app.add_option("-o,--output", a->output.file, "The profile's file; default PROGRAM.profile.json, - is standard output");
  action = [a] { return run(*a); };
}

}  // namespace perfcast::cli

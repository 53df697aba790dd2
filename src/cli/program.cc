#include "cli/program.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/assert.h"
#include "base/paths.h"
#include "base/source_is_there.h"
#include "base/text.h"
#include "cli/progress.h"
#include "frontends/analyze.h"
#include "record/library.h"

namespace perfcast::cli {
namespace fs = std::filesystem;
namespace {

Status same_instruction_set(const ProgramRun& run) {
  std::string here = host_instruction_set(), there = run.target.substr(0, run.target.find('-'));
  if (there.empty() || here == there) return {};
  return unfit("the program was analysed for " + run.target + " and cannot be timed on this " + here + " machine");
}

#ifdef PERFCAST_LLVM
Status build(const ProgramRun& run, const std::string& executable) {
  return perfcast::build_program(options_of(run), executable);
}
#else
Status build(const ProgramRun& run, const std::string& executable) {
  RunRequest request;
  request.command = {run.language == "fortran" ? "gfortran" : run.language == "c++" ? "c++" : "cc"};
  for (const auto& source : run.sources) request.command.push_back(source);
  for (const auto& flag : split_words(run.cflags)) request.command.push_back(flag);
  request.command.insert(request.command.end(), {"-o", executable, "-lm"});
  TRY(RunOutcome outcome, run_program(request));
  if (!outcome.ok()) return unfit("the program does not compile:\n" + outcome.errors, run.sources.front());
  return {};
}
#endif

}  // namespace

bool is_source_file(const std::string& name) {
  static const std::set<std::string> endings = {".c", ".cc", ".cpp", ".cxx", ".C", ".f", ".F", ".for", ".f77", ".f90", ".F90", ".f95", ".f03", ".f08"};
  return endings.contains(fs::path(name).extension().string());
}

bool is_executable_file(const std::string& name) {
  std::error_code ignored;
  return fs::is_regular_file(name, ignored) && ::access(name.c_str(), X_OK) == 0 && fs::path(name).extension() != ".json";
}

bool is_design_file(const std::string& name) {
  std::error_code ignored;
  return name.ends_with(".design") || (!fs::exists(name, ignored) && fs::exists(design_path(name), ignored));
}

std::string design_path(const std::string& name) {
  return name.ends_with(".design") ? name : (bundled_data() / "designs" / (name + ".design")).string();
}

std::string host_instruction_set() {
  utsname names{};
  return ::uname(&names) == 0 ? names.machine : "";
}

RunLimits LimitWords::limits() const {
  RunLimits limits;
  limits.time = Seconds{timeout};
  if (memory_gib > 0) limits.memory = Bytes{memory_gib * (1 << 30)};
  if (output_mib > 0) limits.output = Bytes{output_mib * (1 << 20)};
  if (file_mib > 0) limits.file_size = Bytes{file_mib * (1 << 20)};
  return limits;
}

void add_limit_options(CLI::App& app, LimitWords& words) {
  app.add_option("--timeout", words.timeout, "Seconds that one run of the program may take")->check(above_zero())->capture_default_str();
  app.add_option("--memory-limit", words.memory_gib, "GiB of memory that each of its processes may take")->check(above_zero());
  app.add_option("--output-limit", words.output_mib, "MiB that it may print (default 16)")->check(above_zero());
  app.add_option("--file-limit", words.file_mib, "MiB that each file it writes may grow to, ours with its counts included")->check(above_zero());
}

void add_program_options(CLI::App& app, ProgramWords& program) {
  app.add_option("program", program.words, "A profile (a file, or the name of a bundled one), or sources to analyse first")
      ->required();
  app.add_option("--cflags", program.cflags, "Flags of compiler and linker for sources, as one word: \"-O2 -DN=5 -lm\"");
  app.add_option("--input", program.input, "A file given as standard input");
  add_limit_options(app, program.limits);
}

void choose_levels(ProgramWords& program, const std::vector<Model>& models, const std::vector<Machine>& machines) {
  auto asked = [&](Model model) { return std::find(models.begin(), models.end(), model) != models.end(); };
  bool all_have_cores = std::all_of(machines.begin(), machines.end(), [](const Machine& m) { return m.core.has_value(); });
  program.source_level = models.empty() ? !all_have_cores : asked(Model::hllc) || asked(Model::poc);
  program.compiled_levels = models.empty() || asked(Model::icc) || asked(Model::intcc);
}

Result<Profile> profile_of(const ProgramWords& program) {
  ensure(!program.words.empty(), "a program is named");
  if (program.words.size() == 1 && !is_source_file(program.words[0])) return find_profile(program.words[0]);
  for (const auto& word : program.words)
    if (!is_source_file(word)) return wrong_usage("\"" + word + "\" is not a source file; a profile stands alone");
  AnalyzeOptions options;
  options.sources = program.words, options.cflags = program.cflags, options.arguments = program.arguments;
  options.input_file = program.input, options.limits = program.limits.limits();
  options.target = program.target;
  options.source_level = program.source_level;
  options.ir_level = options.machine_level = options.memory_level = program.compiled_levels;
  ProgressBar bar;
  double done = 0;
  options.progress = [&](const std::string& doing) { bar.show(doing, std::min(0.95, 0.2 * done++)); };
  TRY(Profile profile, analyze(options));
  if (auto trouble = run_trouble(profile)) return std::unexpected(*trouble);
  return profile;
}

Result<std::vector<Machine>> machines_for(const ProgramWords& program, const std::vector<std::string>& names) {
  if (names.empty() && !default_machine())
    for (const std::string& word : program.words) {
      if (is_source_file(word)) CHECK_OK(source_is_there(word, word));
      if (!is_source_file(word) && !is_design_file(word)) CHECK_OK(find_profile(word));
    }
  return load_machines(names);
}

Result<ReadyProgram> ready_program(const ProgramRun& run, const RunLimits& limits) {
  if (run.sources.empty() && run.build_folder.empty() && run.binary.empty())
    return unfit("the profile names neither sources nor a binary, so it cannot be timed here", "--measure");
  CHECK_OK(same_instruction_set(run));
  InFolder in_folder(run.folder);
  ReadyProgram built;
  built.run.folder = fs::current_path().string();
  built.run.limits = limits;
  if (!run.input.empty()) built.run.input_file = fs::absolute(run.input).string();
  std::string executable = run.binary;
  if (executable.empty()) {
    TRY(TemporaryFolder folder, TemporaryFolder::make("measure"));
    built.folder = std::make_shared<TemporaryFolder>(std::move(folder));
    executable = built.folder->file("program");
    CHECK_OK(build(run, executable));
  }
  built.run.command = {fs::absolute(executable).string()};
  built.run.command.insert(built.run.command.end(), run.arguments.begin(), run.arguments.end());
  return built;
}

Result<MeasuredTime> measure_program(const ProgramRun& run, const RunLimits& limits) {
  TRY(ReadyProgram built, ready_program(run, limits));
  ReferenceChain chain;
  ProgressBar bar;
  auto progress = [&](double done) { bar.show("timing the program", std::min(0.99, done)); };
  TRY(std::vector<TimedRun> runs, time_program(built.run, chain, run.exit_code, 15, {20}, progress));
  bar.clear();
  RunSummary summary = summarize_runs(runs);
  return MeasuredTime{summary.seconds, summary.interval, summary.runs, summary.disturbed, summary.how};
}

}  // namespace perfcast::cli

#include "methods/characterize/source/program.h"

#include <cmath>
#include <csignal>
#include <filesystem>
#include <regex>
#include <sstream>

#include "base/files.h"
#include "base/paths.h"
#include "base/run_tidily.h"
#include "base/text.h"
#include "methods/characterize/source/generate.h"
#include "methods/characterize/work.h"

namespace perfcast::characterize {
namespace fs = std::filesystem;
namespace {

constexpr int compile_attempts = 6;
constexpr Seconds compile_time{600};  // a busy machine is no reason to lose a language

std::string experiments_folder() { return (bundled_data() / "experiments").string(); }

RunLimits compile_limits() {
  RunLimits limits;
  limits.time = compile_time;
  return limits;
}

Result<RunOutcome> compile(std::vector<std::string> command, const std::string& folder) {
  RunRequest request;
  request.command = std::move(command);
  request.folder = folder;
  request.environment = {{"LC_ALL", "C"}};
  request.limits = compile_limits();
  return run_tidily(request);
}

Status must_compile(std::vector<std::string> command, const std::string& folder) {
  std::string compiler = command[0];
  TRY(RunOutcome outcome, compile(std::move(command), folder));
  if (outcome.ok()) return {};
  return unfit("cannot compile the experiments: it " + outcome.how_it_ended(compile_limits()) + "\n" + outcome.errors.substr(0, 600),
               compiler);
}

std::string source_ending(const std::string& language) {
  return language == "c" ? ".c" : language == "c++" ? ".cc" : ".f90";
}

// Experiments named in a compiler's messages ("bodies.c:123:4: error: ...").
std::vector<std::size_t> blamed(const std::string& messages, const GeneratedSource& source) {
  static const std::regex place(R"(bodies\.\w+[:"(, line]+(\d+))");
  std::vector<std::size_t> found;
  for (std::sregex_iterator it(messages.begin(), messages.end(), place), end; it != end; ++it) {
    auto line = static_cast<std::size_t>(std::stoul((*it)[1].str()));
    if (line >= 1 && line <= source.line_of.size() && source.line_of[line - 1] != std::string::npos)
      found.push_back(source.line_of[line - 1]);
  }
  return found;
}

// Compiles the bodies; what the compiler refuses is left out and it is tried again.
Status compile_bodies(ExperimentProgram& program, std::vector<std::string> command, const std::string& folder) {
  std::string file = "bodies" + source_ending(program.choice.language);
  command.push_back("-c"), command.push_back(file), command.push_back("-o"), command.push_back("bodies.o");
  program.refused.assign(program.set.bodies.size(), false);
  for (int attempt = 0;; attempt++) {
    auto source = generate(program.set, program.choice.language, program.refused);
    CHECK_OK(write_file(folder + "/" + file, source.bodies));
    CHECK_OK(write_file(folder + "/table.c", source.table));
    TRY(RunOutcome outcome, compile(command, folder));
    if (outcome.ok()) return {};
    auto culprits = blamed(outcome.output + outcome.errors, source);
    if (culprits.empty() || attempt == compile_attempts)
      return unfit("cannot compile the experiments: it " + outcome.how_it_ended(compile_limits()) + "\n" + outcome.errors.substr(0, 600),
                   program.choice.compiler);
    for (auto culprit : culprits) {
      if (!program.refused[culprit]) program.lost.push_back(program.set.bodies[culprit].name);
      program.refused[culprit] = true;
    }
  }
}

}  // namespace

Result<ExperimentProgram> build_program(const CompilerChoice& choice, const std::string& c_compiler,
                                        const std::string& folder, bool with_checks) {
  std::error_code error;
  fs::create_directories(folder, error);
  ExperimentProgram program{choice, {}, folder + "/experiments", {}, {}};
  std::string data = experiments_folder(), table = choice.language == "fortran" ? "fortran" : "c";
  std::string path = data + "/" + table + ".experiments";
  TRY(std::string text, read_file(path));
  TRY(program.set, parse_experiments(text, path, choice.language, with_checks));
  std::vector<std::string> base = {choice.compiler};
  for (auto& word : split_words(choice.flags)) base.push_back(std::move(word));
  base.insert(base.end(), {"-w", "-I" + data});
  CHECK_OK(compile_bodies(program, base, folder));

  auto with = [](std::vector<std::string> command, std::initializer_list<std::string> more) {
    command.insert(command.end(), more);
    return command;
  };
  bool fortran = choice.language == "fortran";
  if (choice.language == "c++") {
    CHECK_OK(must_compile(with(base, {"-c", "-x", "c++", data + "/c_unit.c", "-o", "unit.o"}), folder));
  } else {
    CHECK_OK(must_compile(with(base, {"-c", data + (fortran ? "/fortran_unit.f90" : "/c_unit.c"), "-o", "unit.o"}), folder));
  }
  std::vector<std::string> plain = {choice.language == "c" ? choice.compiler : c_compiler, "-O1", "-w", "-c", data + "/harness.c", "table.c"};
  std::vector<std::string> objects = {"bodies.o", "unit.o", "harness.o", "table.o"};
  if (fortran) plain.push_back(data + "/fortran_data.c"), objects.push_back("fortran_data.o");
  CHECK_OK(must_compile(plain, folder));
  auto link = base;
  link.insert(link.end(), objects.begin(), objects.end());
  CHECK_OK(must_compile(with(link, {"-o", "experiments", "-lm"}), folder));
  return program;
}

Result<RawResults> run_experiments(const ExperimentProgram& program, const RunPlan& plan) {
  RunRequest request;
  request.command = {program.executable, std::to_string(plan.rounds), std::to_string(plan.slice_ns),
                     std::to_string(plan.time.value)};
  for (auto number : plan.only) request.command.push_back(std::to_string(number));
  request.core = measuring_core();
  request.limits.time = plan.time * 2 + Seconds{20};
  TRY(RunOutcome outcome, run_program(request));
  if (!outcome.ok()) return unfit("the experiments did not end well: the program " + outcome.how_it_ended(request.limits),
                                  program.choice.compiler + " " + program.choice.flags);
  TRY(RawResults results, parse_results(outcome.errors, program.set.bodies.size()));
  for (std::size_t i = 0; i < program.refused.size(); i++)
    if (program.refused[i]) results.bodies[i] = {}, results.bodies[i].failed_with_signal = SIGILL;
  return results;
}

Result<RawResults> parse_results(const std::string& text, std::size_t bodies) {
  RawResults results;
  results.bodies.resize(bodies);
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string kind, word;
    std::size_t number = 0;
    words >> kind;
    if (kind == "clock") {
      words >> results.clock.resolution_ns >> results.clock.overhead_ns >> results.clock.overhead_sd_ns;
    } else if (kind == "canary") {
      words >> results.canary_cycles;
    } else if (kind == "f" && words >> number && number < bodies) {
      words >> results.bodies[number].failed_with_signal;
    } else if (kind == "v" && words >> number && number < bodies) {
      results.bodies[number].vanished = true;
    } else if (kind == "e" && words >> number >> word && number < bodies) {
      while (words >> word) {
        auto colon = word.find(':');
        if (colon == word.npos) return unfit("the experiments printed something unexpected: " + word);
        results.bodies[number].once.push_back(std::strtod(word.c_str(), nullptr));
        results.bodies[number].twice.push_back(std::strtod(word.c_str() + colon + 1, nullptr));
        results.bodies[number].disturbed.push_back(word.back() == '*' || word.back() == '~');
      }
    }
  }
  if (results.clock.overhead_ns <= 0) return unfit("the experiments printed no clock");
  return results;
}

double slice_for(const ClockFacts& clock, double error) {
  return std::clamp((clock.resolution_ns + clock.overhead_ns) / error, 20e3, 20e6);
}

}  // namespace perfcast::characterize

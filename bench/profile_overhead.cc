// How much longer the memory-profiled program runs than the plain one, over a suite (default: validation/) at -O2. Prints
// the ratio of processor times, minimum over rounds in which the two take turns, and that of the profiled build with its
// bursts off. Aims: median at most 1.5, worst 2.
//
//   profile_overhead [--level=-O2] [--rounds=3] [--only=NAME,...] [SUITE_FOLDER]
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/json.h"
#include "base/statistics.h"
#include "base/text.h"
#include "frontends/llvm_ir/instrument.h"
#include "frontends/memory_profile/memory_profile.h"
#include "suite_settings.h"

using namespace perfcast;
using namespace perfcast::llvm_ir;

namespace {

struct Settings : SuiteSettings {
  std::string level = "-O2";
};

struct Times {
  double plain = 1e30, idle = 1e30, profiled = 1e30;  // seconds
};

using Environment = decltype(RunRequest::environment);
Result<RunOutcome> run_once(const std::string& executable, const std::vector<std::string>& arguments, const Json& program, Environment environment) {
  RunRequest request;
  request.command = {executable};
  request.command.insert(request.command.end(), arguments.begin(), arguments.end());
  request.environment = std::move(environment);
  if (program.contains("input")) request.input_file = program["input"].get<std::string>();
  TRY(RunOutcome outcome, run_program(request));
  if (outcome.ending != Ending::exited) return unfit(outcome.how_it_ended(), executable);
  return outcome;
}

Result<Times> measure(const Json& program, const Settings& settings) {
  CompileRequest request;
  for (const auto& source : program["sources"]) request.sources.push_back(source);
  for (const auto& word : split_words(program.value("cflags", "")))
    if (!word.starts_with("-O")) request.cflags += word + " ";
  request.cflags += settings.level;
  TRY(CompiledProgram compiled, compile_program(request));
  const std::string plain = compiled.scratch.file("plain"), results = compiled.scratch.file("results");
  CHECK_OK(build_plain(compiled, plain));
  TRY(const auto built, memory_profile::ProfiledProgram::build(compiled, {}));
  const std::string& profiled = built.executable();
  std::vector<std::string> arguments;
  if (program.contains("args")) arguments = program["args"].get<std::vector<std::string>>();
  Times best;
  for (int round = 0; round < settings.rounds; round++) {
    TRY(RunOutcome p, run_once(plain, arguments, program, {}));
    TRY(RunOutcome i, run_once(profiled, arguments, program, {}));
    best.plain = std::min(best.plain, p.cpu.value), best.idle = std::min(best.idle, i.cpu.value);
    TRY(RunOutcome m, run_once(profiled, arguments, program, {{"PERFCAST_MEMORY_PROFILE", results}, {"PERFCAST_EXPECTED_SECONDS", std::to_string(best.plain)}}));
    if (p.output != m.output) return unfit("the profiled program prints something else");
    best.profiled = std::min(best.profiled, m.cpu.value);
  }
  return best;
}

Status run(const Settings& settings) {
  std::filesystem::current_path(settings.folder);
  TRY(Json suite, read_json_file("suite.json"));
  Table table({"program", "plain", "bursts off", "profiled"});
  std::vector<double> idle, profiled;
  for (const auto& program : suite["programs"]) {
    const std::string name = program["name"];
    if (!settings.only.empty() && !settings.only.contains(name)) continue;
    auto measured = measure(program, settings);
    if (!measured) {
      table.add({name, "failed: " + measured.error().what.substr(0, 60), "", ""});
      continue;
    }
    idle.push_back(measured->idle / measured->plain), profiled.push_back(measured->profiled / measured->plain);
    table.add({name, time_text(measured->plain), fmt::format("{:.2f}", idle.back()), fmt::format("{:.2f}", profiled.back())});
  }
  if (profiled.empty()) return unfit("no program could be profiled", settings.folder);
  table.rule();
  auto row = [&](const char* name, double q) { table.add({name, "", fmt::format("{:.2f}", quantile(idle, q)), fmt::format("{:.2f}", quantile(profiled, q))}); };
  row("median", 0.5), row("nine in ten", 0.9), row("worst", 1);
  fmt::print("profiled / plain at {}\n{}\n", settings.level, table.text());
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; i++) {
    const std::string word = argv[i];
    if (word.starts_with("--level=")) settings.level = word.substr(8);
    else settings.take(word);
  }
  if (auto done = run(settings); !done) return fmt::print(stderr, "{}\n", done.error().message()), 3;
}

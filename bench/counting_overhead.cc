// How much slower a counted program runs than the plain one, over a suite (default: validation/), at the given levels.
// Prints the ratio of processor times, minimum over rounds in which the three builds take turns: `final` counts the
// compiled code, `early` the source statements. Aims: median at most 1.3 at -O0 and 1.5 at -O2.
//
//   counting_overhead [--levels=-O0,-O2] [--rounds=3] [--only=NAME,...] [SUITE_FOLDER]
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/json.h"
#include "base/statistics.h"
#include "base/text.h"
#include "frontends/llvm_ir/instrument.h"
#include "suite_settings.h"

using namespace perfcast;
using namespace perfcast::llvm_ir;

namespace {

struct Settings : SuiteSettings {
  std::vector<std::string> levels = {"-O0", "-O2"};
};

struct Ratios {
  double plain = 0, final = 0, early = 0;  // seconds
};

Result<double> seconds_of(const std::string& executable, const std::vector<std::string>& arguments, std::string& output) {
  RunRequest request;
  request.command = {executable};
  request.command.insert(request.command.end(), arguments.begin(), arguments.end());
  TRY(RunOutcome outcome, run_program(request));
  if (outcome.ending != Ending::exited) return unfit(outcome.how_it_ended(), executable);
  output = outcome.output;
  return outcome.cpu.value;
}

Result<Ratios> measure(const Json& program, const std::string& level, int rounds) {
  CompileRequest request;
  for (const auto& source : program["sources"]) request.sources.push_back(source);
  for (const auto& word : split_words(program.value("cflags", "")))
    if (!word.starts_with("-O")) request.cflags += word + " ";
  request.cflags += level;
  TRY(CompiledProgram compiled, compile_program(request));
  const std::string plain = compiled.scratch.file("plain"), final = compiled.scratch.file("final"),
                    early = compiled.scratch.file("early");
  CHECK_OK(build_plain(compiled, plain));
  CHECK_OK(build_counted(compiled, Stage::final, final));
  CHECK_OK(build_counted(compiled, Stage::early, early));
  std::vector<std::string> arguments;
  if (program.contains("args")) arguments = program["args"].get<std::vector<std::string>>();
  Ratios best{1e30, 1e30, 1e30};
  for (int round = 0; round < rounds; round++) {
    std::string outputs[3];
    TRY(double p, seconds_of(plain, arguments, outputs[0]));
    TRY(double f, seconds_of(final, arguments, outputs[1]));
    TRY(double e, seconds_of(early, arguments, outputs[2]));
    if (outputs[0] != outputs[1] || outputs[0] != outputs[2]) return unfit("a counted program prints something else");
    best = {std::min(best.plain, p), std::min(best.final, f), std::min(best.early, e)};
  }
  return best;
}

Status run(const Settings& settings) {
  std::filesystem::current_path(settings.folder);
  TRY(Json suite, read_json_file("suite.json"));
  for (const auto& level : settings.levels) {
    Table table({"program", "plain", "final", "early"});
    std::vector<double> finals, earlies;
    for (const auto& program : suite["programs"]) {
      const std::string name = program["name"];
      if (!settings.only.empty() && !settings.only.contains(name)) continue;
      auto measured = measure(program, level, settings.rounds);
      if (!measured) {
        table.add({name, "failed: " + measured.error().what.substr(0, 60), "", ""});
        continue;
      }
      finals.push_back(measured->final / measured->plain), earlies.push_back(measured->early / measured->plain);
      table.add({name, time_text(measured->plain), fmt::format("{:.2f}", finals.back()), fmt::format("{:.2f}", earlies.back())});
      fmt::print(stderr, "{} {}: {:.2f} {:.2f}\n", name, level, finals.back(), earlies.back());
    }
    if (finals.empty()) continue;
    table.rule();
    auto row = [&](const char* name, double q) {
      table.add({name, "", fmt::format("{:.2f}", quantile(finals, q)), fmt::format("{:.2f}", quantile(earlies, q))});
    };
    row("median", 0.5), row("nine in ten", 0.9), row("worst", 1);
    fmt::print("counted / plain at {}\n{}\n", level, table.text());
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; i++) {
    const std::string word = argv[i];
    if (word.starts_with("--levels=")) settings.levels = split(word.substr(9), ',');
    else settings.take(word);
  }
  if (auto done = run(settings); !done) return fmt::print(stderr, "{}\n", done.error().message()), 3;
}

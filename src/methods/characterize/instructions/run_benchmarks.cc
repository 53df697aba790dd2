#include "methods/characterize/instructions/run_benchmarks.h"

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <set>
#include <sstream>

#include "base/files.h"
#include "base/paths.h"
#include "base/run_tidily.h"
#include "base/text.h"

namespace perfcast::instructions {
namespace {

constexpr int most_attempts = 4;  // at assembling, each without the instructions the assembler refused before

// The benchmarks whose lines an assembler complained about: "file.s:123: Error: no such instruction".
std::set<std::size_t> culprits(const std::string& errors, const std::vector<int>& first_lines) {
  static const std::regex place(R"(bench\.s:(\d+)(:\d+)?: *([Ee]rror))");
  std::set<std::size_t> found;
  for (auto it = std::sregex_iterator(errors.begin(), errors.end(), place); it != std::sregex_iterator(); ++it) {
    const int line = std::stoi((*it)[1]);
    auto after = std::ranges::upper_bound(first_lines, line);
    if (after != first_lines.begin()) found.insert(static_cast<std::size_t>(after - first_lines.begin() - 1));
  }
  return found;
}

// Builds `program`; drops from `benchmarks` what the assembler does not know and returns their names.
Result<std::vector<std::string>> build(const FormTable& table, std::vector<Benchmark>& benchmarks,
                                       const std::string& compiler, const TemporaryFolder& folder,
                                       const std::string& program) {
  std::vector<std::string> dropped;
  const std::string harness = (bundled_data() / "instructions" / "harness.c").string();
  for (int attempt = 0; attempt < most_attempts; attempt++) {
    std::vector<int> lines;
    CHECK_OK(write_file(folder.file("bench.s"), write_assembly(table, benchmarks, &lines)));
    RunRequest request;
    request.command = {compiler, "-O1", "-o", program, harness, "bench.s", "-lm"};
    request.folder = folder.path().string();
    TRY(auto outcome, run_tidily(request));
    if (outcome.ok()) return dropped;
    const auto bad = culprits(outcome.errors, lines);
    if (bad.empty())
      return unfit("cannot build the instruction benchmarks: " + outcome.errors.substr(0, 300), compiler,
                   "install a C compiler and its assembler (gcc, or clang)");
    for (auto it = bad.rbegin(); it != bad.rend(); ++it) {
      dropped.push_back(benchmarks[*it].name);
      benchmarks.erase(benchmarks.begin() + static_cast<std::ptrdiff_t>(*it));
    }
  }
  return unfit("the assembler refuses too many instructions", compiler, "use a newer gcc or clang");
}

}  // namespace

const Timing* Timings::find(const std::string& name) const {
  auto it = of.find(name);
  return it == of.end() ? nullptr : &it->second;
}
std::optional<double> Timings::cycles(const std::string& name) const {
  const Timing* timing = find(name);
  if (!timing || !timing->kept) return {};
  return timing->cycles;
}

Result<Timings> read_timings(const std::string& output, const std::vector<Benchmark>& benchmarks) {
  std::map<std::string, double> per;
  for (auto& b : benchmarks) per[b.name] = b.per;
  Timings timings;
  for (auto& line : split(output, '\n')) {
    std::istringstream in(line);
    std::string name, word;
    if (!(in >> name)) continue;
    if (name == "clock" && in >> timings.clock_ghz >> timings.clock_low >> timings.clock_high) continue;
    if (name == "canary") {
      double value = 0;
      in >> value;
      if (std::string rest; in >> rest && rest == "rounds") { timings.canary = value; continue; }
      in = std::istringstream(line);
      in >> name;
    }
    if (!(in >> word)) return unfit("cannot read the line `" + line + "` of the benchmark run");
    if (word == "signal") {
      in >> timings.refused[name];
      continue;
    }
    Timing t{.cycles = 0, .spread = 0, .kept = std::atoi(word.c_str()), .taken = 0};
    double value = 0, spread = 0;
    if (!(in >> t.taken >> value >> spread))
      return unfit("cannot read the line `" + line + "` of the benchmark run");
    const double unit = per.contains(name) ? per[name] : 1;
    t.cycles = value / unit, t.spread = spread / unit;
    timings.of[name] = t;
  }
  if (timings.of.empty()) return unfit("the benchmark run printed nothing");
  return timings;
}

std::string write_timings(const Timings& timings, const std::vector<Benchmark>& benchmarks) {
  std::ostringstream out;
  out.precision(7);
  out << "clock " << timings.clock_ghz << ' ' << timings.clock_low << ' ' << timings.clock_high << '\n';
  out << "canary " << timings.canary << " rounds 0\n";
  for (auto& b : benchmarks) {
    if (auto signal = timings.refused.find(b.name); signal != timings.refused.end())
      out << b.name << " signal " << signal->second << '\n';
    else if (const Timing* t = timings.find(b.name))
      out << b.name << ' ' << t->kept << ' ' << t->taken << ' ' << t->cycles * b.per << ' ' << t->spread * b.per << '\n';
  }
  return out.str();
}

Result<Timings> run_benchmarks(const FormTable& table, std::vector<Benchmark> benchmarks, const RunOptions& options) {
  std::string compiler = options.compiler;
  if (compiler.empty()) {
    const auto found = find_c_compiler();
    if (!found) return unfit("no C compiler is in PATH", {}, "install gcc or clang");
    compiler = *found;
  }
  TRY(auto folder, TemporaryFolder::make("instructions"));
  const std::string program = folder.file("bench");
  TRY(auto dropped, build(table, benchmarks, compiler, folder, program));
  RunRequest request;
  request.command = {program, std::to_string(options.seconds), std::to_string(options.slice_us),
                     std::to_string(options.least_slices)};
  request.limits.time = Seconds{2 * options.seconds + 60};
  for (int core : options.cores) request.command.push_back(std::to_string(core));
  TRY(auto outcome, run_program(request));
  if (!outcome.ok()) return unfit("the benchmark run " + outcome.how_it_ended(request.limits), program);
  TRY(auto timings, read_timings(outcome.output, benchmarks));
  timings.not_assembled = std::move(dropped);
  return timings;
}

}  // namespace perfcast::instructions

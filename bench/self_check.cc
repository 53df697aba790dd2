// Does the engine give every instruction benchmark of a machine back? Prints those that are more than 5 % off and
// the share within 5 % per kind.
//   self_check MACHINE|measure TIMINGS [PART_OF_A_NAME]
// TIMINGS is a file of timings; when it does not exist, the benchmarks are run here and the file is written. With
// `measure` instead of a machine, the core is made from the timings, as characterize makes it.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "../tests/instructions/decoded_benchmarks.h"
#include "base/cores.h"
#include "base/files.h"
#include "methods/characterize/instructions/closest_core.h"
#include "methods/characterize/instructions/measure_core.h"
#include "record/library.h"

using namespace perfcast;
using namespace perfcast::instructions;

static Result<Timings> timings_from(const std::string& path, const FormTable& table, const std::vector<Benchmark>& list) {
  if (std::filesystem::exists(path)) {
    TRY(auto text, read_file(path));
    return read_timings(text, list);
  }
  RunOptions options;
  options.cores = allowed_cores();
  TRY(auto timings, run_benchmarks(table, list, options));
  CHECK_OK(write_file(path, write_timings(timings, list)));
  return timings;
}

static Status check(const std::string& name, const std::string& path, const std::string& part) {
  Machine machine;
  Family family;
  if (name == "measure") {
    machine.isa = host_isa();
    TRY(const auto cpuinfo, read_file("/proc/cpuinfo"));
    TRY(family, family_of(cpuinfo, machine.isa));
  } else {
    TRY(machine, find_machine(name));
  }
  TRY(auto table, bundled_form_table(machine.isa));
  const auto list = list_benchmarks(table);
  TRY(auto timings, timings_from(path, table, list));
  if (name == "measure") {
    TRY(auto described, bundled_described_forms(machine.isa));
    TRY(const auto frame, starting_core(family, machine.isa, table, described, timings));
    auto fitted = fit_core(frame.core, family.core.empty() ? Frame::usual : Frame::family, table, described, timings);
    for (auto& change : fitted.changes) fmt::print("changed: {}\n", change);
    for (auto& gap : fitted.gaps) fmt::print("gap: {}\n", gap.what);
    machine.core = fitted.core;
  }
  TRY(auto decoded, decode_benchmarks(table, list, ""));  // with the tables that profiles have
  std::map<std::string, std::pair<int, int>> within;
  for (std::size_t i = 0; i < list.size(); i++) {
    const auto& b = list[i];
    const auto measured = timings.cycles(b.name);
    if (!measured || !simulable(b)) continue;
    const bool wanted = part.empty() || b.name.find(part) != std::string::npos;
    TRY(double cycles, simulate_benchmark(decoded, i, b, *machine.core));
    const bool good = std::abs(cycles / *measured - 1) <= 0.05;
    for (const auto& kind : {b.name.substr(0, b.name.find('/')), std::string("all")}) within[kind].first += good, within[kind].second++;
    if (wanted && (!part.empty() || !good))
      fmt::print("{:44} measured {:8.3f} engine {:8.3f} {:+6.1f} %\n", b.name, *measured, cycles, 100 * (cycles / *measured - 1));
  }
  for (const auto& [kind, counts] : within)
    fmt::print("{}: {} of {} within 5 % ({:.1f} %)\n", kind, counts.first, counts.second, 100.0 * counts.first / counts.second);
  return {};
}

int main(int count, char** words) {
  if (count < 3) return fmt::print(stderr, "usage: self_check MACHINE TIMINGS [PART]\n"), 2;
  auto done = check(words[1], words[2], count > 3 ? words[3] : "");
  if (!done) return fmt::print(stderr, "{}\n", done.error().message()), 3;
}

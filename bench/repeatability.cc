// How repeatable are the instruction benchmarks? Two runs on this machine, the share of numbers within 2 %, and those
// that differ most.
//   repeatability [SECONDS_PER_RUN]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "base/cores.h"
#include "methods/characterize/instructions/run_benchmarks.h"

using namespace perfcast;
using namespace perfcast::instructions;

static Status compare(double seconds) {
  TRY(auto table, bundled_form_table(host_isa()));
  const auto list = list_benchmarks(table);
  RunOptions options;
  options.seconds = seconds, options.cores = allowed_cores();
  TRY(auto first, run_benchmarks(table, list, options));
  TRY(auto second, run_benchmarks(table, list, options));
  std::map<std::string, std::pair<int, int>> within;
  std::vector<std::pair<double, std::string>> worst;
  for (auto& b : list) {
    const auto one = first.cycles(b.name), two = second.cycles(b.name);
    if (!one || !two) continue;
    const double off = std::abs(*two / *one - 1);
    for (const auto& kind : {b.name.substr(0, b.name.find('/')), std::string("all")}) within[kind].first += off <= 0.02, within[kind].second++;
    worst.push_back({off, fmt::format("{:44} {:8.3f} {:8.3f}", b.name, *one, *two)});
  }
  std::ranges::sort(worst, std::greater{});
  for (std::size_t i = 0; i < std::min<std::size_t>(20, worst.size()); i++) fmt::print("{} {:+.1f} %\n", worst[i].second, 100 * worst[i].first);
  for (auto& [kind, counts] : within)
    fmt::print("{}: {} of {} within 2 % ({:.1f} %)\n", kind, counts.first, counts.second, 100.0 * counts.first / counts.second);
  return {};
}

int main(int count, char** words) {
  auto done = compare(count > 1 ? std::atof(words[1]) : 40);
  if (!done) return fmt::print(stderr, "{}\n", done.error().message()), 3;
}

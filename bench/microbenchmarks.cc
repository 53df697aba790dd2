// Prints every microbenchmark of the bundled measured machines beside what the engine says of its loop.
//   microbenchmarks SOURCE_FOLDER [MACHINE [PART_OF_A_NAME]]
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "../tests/engine/assembled_loops.h"

using namespace perfcast;

static int show(const std::string& folder, const std::string& name, const std::string& part) {
  auto loops = assemble_measured_loops(folder, name);
  if (!loops) return fmt::print(stderr, "{}\n", loops.error().message()), 3;
  auto simulated = simulate_measured_loops(*loops);
  if (!simulated) return fmt::print(stderr, "{}\n", simulated.error().message()), 3;
  std::map<std::string, std::pair<int, int>> within;
  int within_fastest = 0;
  for (const auto& one : *simulated) {
    bool good = std::abs(one.error()) <= 0.05;
    within[one.loop->kind].first += good, within[one.loop->kind].second++;
    within_fastest += good || std::abs(one.cycles / one.loop->fastest - 1) <= 0.05;
    within["all"].first += good, within["all"].second++;
    if (part.empty() ? !good : (one.loop->kind + " " + one.loop->name).find(part) != std::string::npos)
      fmt::print("{:6} {:40} measured {:8.3f} (fastest {:8.3f}) engine {:8.3f} {:+6.1f} %\n", one.loop->kind, one.loop->name,
                 one.loop->cycles, one.loop->fastest, one.cycles, 100 * one.error());
  }
  for (const auto& [kind, counts] : within)
    fmt::print("{} {}: {} of {} within 5 % ({:.1f} %)\n", name, kind, counts.first, counts.second, 100.0 * counts.first / counts.second);
  fmt::print("{}: {} of {} within 5 % of the second fastest or of the fastest round\n", name, within_fastest, simulated->size());
  return 0;
}

int main(int count, char** words) {
  if (count < 2) return fmt::print(stderr, "usage: microbenchmarks SOURCE_FOLDER [MACHINE [PART]]\n"), 2;
  std::string part = count > 3 ? words[3] : "";
  if (count > 2) return show(words[1], words[2], part);
  int first = show(words[1], "emerald-rapids", part);
  return first ? first : show(words[1], "neoverse-v1", part);
}

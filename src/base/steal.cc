#include "base/steal.h"

#include <unistd.h>

#include <sstream>

#include "base/files.h"

namespace perfcast {

std::optional<Seconds> stolen_in(const std::string& stat, std::optional<int> core, double ticks_per_second) {
  // cpu3 user nice system idle iowait irq softirq steal ...
  constexpr int column = 8;
  const std::string wanted = core ? "cpu" + std::to_string(*core) : "cpu";
  std::istringstream lines(stat);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (name != wanted) continue;
    double ticks = 0;
    for (int i = 0; i < column; i++)
      if (!(words >> ticks)) return {};
    return Seconds{ticks / ticks_per_second};
  }
  return {};
}

Seconds stolen_seconds(std::optional<int> core) {
  auto stat = read_file("/proc/stat");
  if (!stat) return {0};
  return stolen_in(*stat, core, static_cast<double>(::sysconf(_SC_CLK_TCK))).value_or(Seconds{0});
}

}  // namespace perfcast

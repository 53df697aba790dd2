#include "record/lift.h"

#include <algorithm>
#include <vector>

namespace perfcast {

std::span<const Lift> lifts() {
  // One line per step, e.g. {"perfcast.machine", 1, [](Json& file) { file["clock_ghz"] = file.at("clock").get<double>() / 1e9; }}.
  // Every format is in its first version. A sample of each old version lies in tests/formats.
  static const std::vector<Lift> steps = {};
  return steps;
}

Result<Json> lifted(Json file, int version, const std::string& name, std::span<const Lift> steps) {
  const auto format = file.at("format").get<std::string>();
  for (int from = file.at("version").get<int>(); from < version; ++from) {
    const auto step = std::ranges::find_if(steps, [&](const Lift& lift) { return lift.format == format && lift.from == from; });
    if (step == steps.end())
      return unfit("version " + std::to_string(from) + " of " + format + " is no longer read", name, "make the file again with this perfcast");
    try {
      step->step(file);
    } catch (const Json::exception&) {
      return unfit("the file is not of version " + std::to_string(from) + " of " + format + " as it says", name, "docs/formats.md describes the file");
    }
    file["version"] = from + 1;
  }
  return file;
}

}  // namespace perfcast

// Files of older versions. A format whose shape changes gets a new version and one small step here that turns version n
// into n + 1; reading applies the steps one after another to the JSON, so that the records know the newest shape alone.
// Only what the old shape meant otherwise needs a step: a new key with a default needs no new version.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/json.h"

namespace perfcast {

struct Lift {
  std::string_view format;  // "perfcast.machine"
  int from;                 // the version it takes; it leaves version from + 1
  void (*step)(Json& file);  // may use at(): what is not there is reported as a broken file
};

// All steps there are.
std::span<const Lift> lifts();

// The file, of a version from 1 up to `version`, as a file of `version`. Refused when a step is missing or the file does not have the shape
// of the version it names.
Result<Json> lifted(Json file, int version, const std::string& name, std::span<const Lift> steps = lifts());

}  // namespace perfcast

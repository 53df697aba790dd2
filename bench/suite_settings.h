// What the benchmarks over a suite are told: which programs, how often, and where the suite is.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>

#include "base/text.h"

namespace perfcast {

struct SuiteSettings {
  std::string folder = PERFCAST_SOURCE_DIR "/validation";
  std::set<std::string> only;
  int rounds = 3;

  // A word of the command line that is not an option of the benchmark's own.
  void take(const std::string& word) {
    if (word.starts_with("--rounds=")) rounds = std::max(1, std::atoi(word.c_str() + 9));
    else if (word.starts_with("--only=")) { for (auto& name : split(word.substr(7), ',')) only.insert(name); }
    else folder = word;
  }
};

}  // namespace perfcast

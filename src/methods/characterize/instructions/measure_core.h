// How do instructions flow through this core? Generated benchmarks, timed without counters, become a CoreModel.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "methods/characterize/instructions/families.h"
#include "methods/characterize/instructions/fit_core.h"

namespace perfcast::instructions {

struct CoreOptions {
  bool quick = false;           // a few seconds: without pairs and slots; else about half a minute
  std::vector<int> cores;       // measured on these in turn; empty: all that are allowed
  std::string compiler;         // empty: the first C compiler found
  std::function<void(double done, const std::string& what)> progress;
};

struct MeasuredCore {
  CoreModel core;
  std::vector<Gap> gaps;
  std::vector<std::string> changes;   // where this core differs from the family's model
  std::string family;                 // the bundled core it started from; empty: none fits, the closest
};
Result<MeasuredCore> measure_core(const CoreOptions& options = {});

}  // namespace perfcast::instructions

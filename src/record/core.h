// The core of a machine: how fast instructions flow through it. What differs between instruction sets and makes
// (fusion, elimination, folding, bypasses, port binding, queues) is data here, not code in the engine.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/measurement.h"

namespace perfcast {

struct CoreModel {
  Measurement clock_ghz;
  std::string llvm_cpu;  // the -mcpu name whose tables are the fall-back
  bool operator==(const CoreModel&) const = default;
};
template <class Fields>
void describe(Fields& f, CoreModel& c) { f.need("clock_ghz", c.clock_ghz), f("llvm_cpu", c.llvm_cpu); }

}  // namespace perfcast

// What one operation of the compiler's IR costs on a core, when all that is known is its name: latency in a chain and
// share of the busiest pipe in a stream, from the instruction a compiler would most likely choose for it, through the
// engine itself.
#pragma once

#include <map>
#include <string>

#include "record/core.h"

namespace perfcast::engine {

struct OperationCost {
  double latency = 0;     // cycles in a chain of itself
  double throughput = 0;  // cycles each in a stream of independent ones
  std::string pipe;       // operations of one pipe share it: "load", "store", "float", "integer", "divide", "branch"
  double slots = 1;       // rename slots
};

class OperationCosts {
 public:
  // `isa`: "x86_64" or "aarch64".
  OperationCosts(const CoreModel& core, const std::string& isa) : core_(core), isa_(isa) {}
  // "fadd.f64", "load.v4f64", "forward.i64" (a store and the load that waits for it). Free operations cost nothing.
  const OperationCost& of(const std::string& operation);

 private:
  OperationCost measure(const std::string& operation) const;
  const CoreModel& core_;
  std::string isa_;
  std::map<std::string, OperationCost> known_;
};

}  // namespace perfcast::engine

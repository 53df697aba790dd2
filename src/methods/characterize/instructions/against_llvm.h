// Where do the measured instructions of a machine and LLVM's scheduling tables disagree?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "methods/characterize/instructions/described_forms.h"
#include "record/core.h"

namespace perfcast::instructions {

struct Disagreement {
  std::string form, opcode;                        // "div.sd", "DIVSDrr"
  std::optional<double> latency, llvm_latency;     // cycles, where they disagree
  std::optional<double> throughput, llvm_throughput;
};
struct AgainstLlvm {
  std::string llvm_cpu;                 // whose tables these are
  std::string own_cpu;                  // the machine's own, where its tables are not here; empty: these are they
  int compared = 0;                     // forms with a measurement
  std::vector<Disagreement> rows;       // in the order of the table
};
// Latencies count as different beyond 0.45 cycles, throughputs beyond 25 %. `tables`: of the machine's processor; none: those that
// are bundled for its instruction set.
Result<AgainstLlvm> against_llvm(const CoreModel& core, const std::string& isa, std::optional<DescribedForms> tables = {});

}  // namespace perfcast::instructions

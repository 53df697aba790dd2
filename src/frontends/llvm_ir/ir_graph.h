// The IR level of a Profile: functions, blocks, edges and loops of the final IR with the counts of a run. A block's
// usage is the IR operations of one execution, named OPERATION or OPERATION.TYPE (docs/analyze.md lists them), plus
// "flops", "bytes_loaded" and "bytes_stored".
#pragma once

#include "frontends/llvm_ir/instrument.h"
#include "record/profile.h"

namespace perfcast::llvm_ir {

struct IrLevel {
  Graph graph;
  std::map<std::string, double> library_calls;  // callees without a body in the program
};

Result<IrLevel> ir_level(const CompiledProgram& program, const CountedRun& run);

}  // namespace perfcast::llvm_ir

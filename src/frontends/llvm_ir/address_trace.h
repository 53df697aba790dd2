// The addresses that a region of the source loads and stores in a run, thread by thread (what K-Trace made): a build
// of the final IR with a call before each load and store of these lines. The format is described in
// data/runtime/address_trace.c and docs/bounds.md.
#pragma once

#include <string>

#include "frontends/llvm_ir/instrument.h"

namespace perfcast::llvm_ir {

struct TraceRegion {
  std::string file;             // as records spell it
  int first_line = 0, last_line = 0;
  std::string output;           // files output.0, output.1, ...
  double limit = 10e6;          // records per thread
};

struct Traced {
  int places = 0;     // loads and stores of the code that were watched
  bool whole = true;  // no thread came to the limit
};

// An error when there is no such place, or the program did not end well. What was inlined into the lines belongs to them.
Result<Traced> trace_addresses(const CompiledProgram& program, const TraceRegion& region, const CountOptions& options);

}  // namespace perfcast::llvm_ir

// The statements of a program's sources, and what its loops ask for: read from the syntax trees and the early IR, with the counts
// of a run.
#pragma once

#include <optional>
#include <vector>

#include "frontends/llvm_ir/compile.h"
#include "frontends/llvm_ir/instrument.h"
#include "frontends/position_counts.h"
#include "record/profile.h"

namespace perfcast {

// Statements read from the syntax trees, not counted yet.
struct SourceReading {
  Graph graph;
  void (*apply)(Graph&, const PositionCounts&, std::vector<Gap>&);
  std::vector<Gap> gaps;
};

// What cannot be read is a gap.
std::vector<SourceReading> read_sources(const llvm_ir::CompiledProgram& program, std::vector<Gap>& gaps, std::vector<Region>& regions);

// The statements with the executions of their positions.
std::optional<Graph> counted_source(const std::vector<SourceReading>& readings, const PositionCounts& positions, std::vector<Gap>& gaps);

// What the source's loops ask for, and what the compiler said about them. Only `bounds` asks, so it may be missing.
void add_source_loops(const llvm_ir::CompiledProgram& program, Result<std::vector<SourceLoop>> loops, Profile& profile);

}  // namespace perfcast

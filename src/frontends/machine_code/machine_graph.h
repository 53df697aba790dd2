// The machine level of a profile, from the final IR and its counts: every block of the generated code with decoded
// instructions, the IR block it came from, its count and those of its edges, the loops, the calls. Blocks the code
// generator split, copied or merged get their counts by conservation of flow (flow.h); what that leaves open is
// marked `ratio` and named in the gaps, with its weight.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "frontends/llvm_ir/compile.h"
#include "frontends/llvm_ir/counts.h"
#include "frontends/machine_code/codegen.h"
#include "frontends/machine_code/decode.h"
#include "frontends/machine_code/elf_image.h"
#include "record/profile.h"

namespace perfcast::machine_code {

struct MachineLevel {
  Graph graph;
  std::vector<InstructionForm> forms;
  std::vector<Gap> gaps;
};

struct MachineOptions {
  std::string tables_cpu;  // whose scheduling tables are the fall-back; empty: default_cpu()
};

// The whole program: generates code for each unit's final bitcode; `counts` stand beside the units.
Result<MachineLevel> machine_level(const llvm_ir::CompiledProgram& program,
                                   const std::vector<llvm_ir::UnitCounts>& counts, const MachineOptions& options = {});

// The same graph for several runs of the program; code is generated once. Shapes are alike, counts differ.
Result<std::vector<Graph>> machine_graphs(const llvm_ir::CompiledProgram& program,
                                          const std::vector<std::vector<llvm_ir::UnitCounts>>& runs);

// One unit's functions added to `graph`.
Status add_unit(const GeneratedCode& code, const llvm_ir::UnitCounts& counts, Decoder& decoder, FormTable& forms,
                Graph& graph, std::vector<Gap>& gaps);

// What the unit's flags mean for code generation.
CodegenOptions codegen_options(const llvm_ir::Unit& unit);

// The sum over blocks of count times instructions.
double executed_instructions(const Function& function);
double executed_instructions(const Graph& graph);

}  // namespace perfcast::machine_code

// What a program runs in libraries, as machine code: the plain program, traced under emulation.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontends/analyze.h"
#include "frontends/llvm_ir/compile.h"
#include "frontends/llvm_ir/instrument.h"
#include "frontends/machine_code/binary.h"

namespace perfcast {

// The program as anyone would build it, linked once; for qemu, without what that does not know.
Result<std::string> plain_program(const llvm_ir::CompiledProgram& program, llvm_ir::RunsOn runs_on = llvm_ir::RunsOn::at_hand);

// With these arguments: counted to the end, or scaled by calls. `forms` grows.
Result<machine_code::LibraryCode> library_code(const AnalyzeOptions& options, const std::vector<std::string>& arguments,
                                               const llvm_ir::CompiledProgram& program, const llvm_ir::CountedRun& counted,
                                               machine_code::LibraryTraceOptions trace, std::vector<InstructionForm>& forms);

// Of the recorded run, where it is worth tracing.
struct LibraryLevel {
  std::optional<Result<machine_code::LibraryCode>> code;
  std::vector<InstructionForm> forms;  // those of the program's own code and more
};
LibraryLevel library_level(const AnalyzeOptions& options, const llvm_ir::CompiledProgram& program, const llvm_ir::CountedRun& counted,
                           const Profile& profile);
// Where it cannot be had, routines are costed by name later.
void add_libraries(LibraryLevel level, bool of_rank, Profile& profile);

}  // namespace perfcast

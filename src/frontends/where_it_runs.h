// Where a compiled program is counted: on this host, on this host from a copy of its IR, or under qemu-user.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontends/analyze.h"
#include "frontends/llvm_ir/compile.h"
#include "frontends/llvm_ir/instrument.h"

namespace perfcast {

// The instruction set of a target; no target: this host's.
std::string isa_of(const std::string& target);
// Code of this instruction set for another CPU: with instructions that this one lacks, or for other scalable vectors.
bool needs_emulation(const AnalyzeOptions& options, const llvm_ir::CompiledProgram& program);
// The loader that runs a program made for another instruction set, with vectors as wide as those of its CPU.
Result<std::vector<std::string>> runner_for(const std::string& target, const llvm_ir::CompiledProgram& program, const std::string& cpu);
// For another instruction set: a copy of the IR for this host where that is safe; otherwise qemu-user runs it.
std::optional<llvm_ir::CompiledProgram> host_copy(const AnalyzeOptions& options, const llvm_ir::CompiledProgram& program, Profile& profile);
// The counts of the final IR, from the copy where there is one and it does what the program does: the first seconds of the
// program itself under qemu-user are the judge. Otherwise the copy is dropped. Fills `count.runner` for the runs to come.
Result<llvm_ir::CountedRun> count_final(const AnalyzeOptions& options, const llvm_ir::CompiledProgram& program,
                                        std::optional<llvm_ir::CompiledProgram>& copy, llvm_ir::CountOptions& count, Profile& profile);

}  // namespace perfcast

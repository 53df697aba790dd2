// LLVM's description of one instruction set, opened by triple and CPU: what the decoder and the code generator share.
// Only x86-64 and AArch64 are set up; both are in every LLVM library, whatever the host. Internal to this folder.
#pragma once

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/TargetParser/Triple.h>

#include <memory>
#include <string>

#include "base/result.h"

namespace perfcast::machine_code {

struct LlvmTarget {
  llvm::Triple triple;
  const llvm::Target* target = nullptr;
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembler;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;        // the target's usual dialect
  std::unique_ptr<llvm::MCInstPrinter> sized_printer;  // x86: Intel dialect, which names operand sizes; else none
  std::unique_ptr<llvm::MCInstrAnalysis> analysis;

  bool x86() const { return triple.isX86(); }
};

// Registers the two targets with LLVM; cheap when done before.
void register_targets();
// LLVM's target of a triple, or an error that names the two we know.
Result<const llvm::Target*> find_target(const llvm::Triple& triple);
// `cpu` must be one LLVM knows; its scheduling tables are used.
Result<std::unique_ptr<LlvmTarget>> open_target(const std::string& triple, const std::string& cpu);

}  // namespace perfcast::machine_code

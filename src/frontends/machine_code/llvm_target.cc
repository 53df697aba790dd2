#include "frontends/machine_code/llvm_target.h"

#include <llvm/Support/TargetSelect.h>

#include <mutex>

extern "C" {
#define PERFCAST_TARGET(name)                                                                          \
  void LLVMInitialize##name##TargetInfo(), LLVMInitialize##name##Target(), LLVMInitialize##name##TargetMC(), \
      LLVMInitialize##name##AsmPrinter(), LLVMInitialize##name##AsmParser(), LLVMInitialize##name##Disassembler();
PERFCAST_TARGET(X86)
PERFCAST_TARGET(AArch64)
#undef PERFCAST_TARGET
}

namespace perfcast::machine_code {

void register_targets() {
  static std::once_flag once;
  std::call_once(once, [] {
#define PERFCAST_TARGET(name)                                                                            \
  LLVMInitialize##name##TargetInfo(), LLVMInitialize##name##Target(), LLVMInitialize##name##TargetMC(),  \
      LLVMInitialize##name##AsmPrinter(), LLVMInitialize##name##AsmParser(), LLVMInitialize##name##Disassembler()
    PERFCAST_TARGET(X86);
    PERFCAST_TARGET(AArch64);
#undef PERFCAST_TARGET
  });
}

Result<const llvm::Target*> find_target(const llvm::Triple& triple) {
  register_targets();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple.str(), error);
  const bool known = triple.getArch() == llvm::Triple::x86_64 || triple.getArch() == llvm::Triple::aarch64;
  if (!target || !known)
    return unfit("code for the instruction set '" + triple.getArchName().str() + "' is not supported", triple.str(),
                 "a program for x86_64 or aarch64");
  return target;
}

Result<std::unique_ptr<LlvmTarget>> open_target(const std::string& triple, const std::string& cpu) {
  auto t = std::make_unique<LlvmTarget>();
  t->triple = llvm::Triple(llvm::Triple::normalize(triple));
  TRY(t->target, find_target(t->triple));
  const std::string name = t->triple.str();
  // Decode whatever is there: AArch64 refuses instructions of extensions the CPU lacks, so all are switched on.
  const std::string features = t->triple.isAArch64() ? "+all" : "";
  t->registers.reset(t->target->createMCRegInfo(name));
  t->assembler.reset(t->target->createMCAsmInfo(*t->registers, name, t->options));
  t->subtarget.reset(t->target->createMCSubtargetInfo(name, "", ""));
  if (!cpu.empty() && !t->subtarget->isCPUStringValid(cpu))
    return unfit("unknown processor '" + cpu + "' for " + t->triple.getArchName().str(), {},
                 "a name from: llc-19 -march=" + std::string(t->x86() ? "x86-64" : "aarch64") + " -mcpu=help");
  t->subtarget.reset(t->target->createMCSubtargetInfo(name, cpu, features));
  t->instructions.reset(t->target->createMCInstrInfo());
  t->context = std::make_unique<llvm::MCContext>(t->triple, t->assembler.get(), t->registers.get(), t->subtarget.get());
  t->disassembler.reset(t->target->createMCDisassembler(*t->subtarget, *t->context));
  auto printer = [&](unsigned dialect) {
    return t->target->createMCInstPrinter(t->triple, dialect, *t->assembler, *t->instructions, *t->registers);
  };
  t->printer.reset(printer(t->assembler->getAssemblerDialect()));
  if (t->x86()) t->sized_printer.reset(printer(1));
  t->analysis.reset(t->target->createMCInstrAnalysis(t->instructions.get()));
  return t;
}

}  // namespace perfcast::machine_code

#include "frontends/llvm_ir/host_copy.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>

#include "base/process.h"
#include "frontends/llvm_ir/module.h"

namespace perfcast::llvm_ir {
namespace {

// Types whose size or layout differs between instruction sets.
bool is_foreign(const llvm::Type* type) {
  if (type->isX86_FP80Ty() || type->isFP128Ty() || type->isPPC_FP128Ty() || type->isScalableTy()) return true;
  return std::ranges::any_of(type->subtypes(), is_foreign);
}

// Routines that are given structures of the system, or come back twice.
bool has_own_layout(llvm::StringRef name) {
  static constexpr const char* starts[] = {"pthread_", "sem_", "thrd_", "mtx_", "cnd_", "sig", "__kmpc_", "epoll_", "_ZNSt6thread", "_ZNSt5mutex"};
  static constexpr const char* ends[] = {"setjmp", "longjmp", "stat", "stat64", "setcontext", "getcontext"};
  return std::ranges::any_of(starts, [&](const char* s) { return name.starts_with(s); }) ||
         std::ranges::any_of(ends, [&](const char* e) { return name.ends_with(e); });
}

std::string trouble_of(const llvm::CallBase& call) {
  if (call.isInlineAsm()) return "inline assembly";
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
    switch (intrinsic->getIntrinsicID()) {
      case llvm::Intrinsic::vastart:
      case llvm::Intrinsic::vacopy:
      case llvm::Intrinsic::vaend: return "variable arguments";
      default: return "";
    }
  }
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration()) return "";
  for (unsigned i = 0; i < call.arg_size(); i++)
    if (call.isByValArgument(i)) return "a structure passed to " + callee->getName().str() + " by value";
  return "";
}

// What stands in the way of running this module here; empty: nothing.
std::string trouble_of(const llvm::Module& module) {
  if (!module.getModuleInlineAsm().empty()) return "inline assembly";
  for (const auto& global : module.globals())
    if (is_foreign(global.getValueType())) return "long double";
  for (const auto& function : module) {
    const llvm::StringRef name = function.getName();
    if (function.isIntrinsic() && (name.starts_with("llvm.x86.") || name.starts_with("llvm.aarch64.") || name.starts_with("llvm.arm.")))
      return "the intrinsic " + name.str();
    if (function.isDeclaration() && !function.use_empty() && has_own_layout(name)) return "the routine " + name.str();
    for (const auto& instruction : llvm::instructions(function)) {
      if (llvm::isa<llvm::VAArgInst>(instruction)) return "variable arguments";
      if (is_foreign(instruction.getType())) return "long double";
      for (const auto& operand : instruction.operands())
        if (is_foreign(operand->getType())) return "long double";
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (std::string why = trouble_of(*call); !why.empty()) return why;
    }
  }
  return "";
}

// Whether the target multiplies and adds in one rounding where the compiler was allowed to: the host must do the same, or
// a loop that ends when a number is small enough may end elsewhere.
bool fuses(const llvm::Module& module) {
  if (!llvm::Triple(module.getTargetTriple()).isX86()) return true;
  return std::ranges::any_of(module, [](const llvm::Function& f) { return f.getFnAttribute("target-features").getValueAsString().contains("+fma"); });
}

bool host_fuses() {
  if (!llvm::Triple(llvm::sys::getProcessTriple()).isX86()) return true;
  auto features = llvm::sys::getHostCPUFeatures();
  return features.lookup("fma");
}

void retarget(llvm::Module& module, bool fused, const std::string& layout) {
  module.setTargetTriple(llvm::sys::getProcessTriple());
  module.setDataLayout(layout);
  const bool x86 = llvm::Triple(module.getTargetTriple()).isX86();
  for (auto& function : module)
    for (const char* attribute : {"target-cpu", "target-features", "tune-cpu"}) {
      function.removeFnAttr(attribute);
      if (fused && x86 && !function.isIntrinsic() && std::string(attribute) == "target-features") function.addFnAttr("target-features", "+fma,+avx");
    }
}

std::vector<std::string> host_flags(const std::vector<std::string>& flags, bool fused) {
  std::vector<std::string> kept = without_cpu(flags);
  std::erase_if(kept, [](const std::string& flag) { return flag.starts_with("--target") || flag.starts_with("--sysroot"); });
  if (!fused) kept.push_back("-ffp-contract=off");
  return kept;
}

// What clang takes for this host, from a module of its own.
Result<std::string> host_layout(const TemporaryFolder& folder) {
  CHECK_OK(write_file(folder.file("empty.c"), "int perfcast_empty;\n"));
  CHECK_OK(run_compiler({find_program("clang-19").value_or("clang-19"), "-emit-llvm", "-c", folder.file("empty.c"), "-o", folder.file("empty.bc")}, {}, "empty.c"));
  TRY(LoadedModule loaded, load_module(folder.file("empty.bc")));
  return loaded.module->getDataLayoutStr();
}

Result<std::string> copy_bitcode(const std::string& bitcode, const std::string& to, const std::string& layout, bool& fused) {
  if (bitcode.empty()) return bitcode;
  TRY(LoadedModule loaded, load_module(bitcode));
  llvm::Module& module = *loaded.module;
  if (module.getDataLayout().getPointerSize() != llvm::DataLayout(layout).getPointerSize()) return unfit("its pointers have another size");
  if (std::string why = trouble_of(module); !why.empty()) return unfit("it uses " + why);
  fused = fuses(module);
  if (fused && !host_fuses()) return unfit("its target fuses multiplications and additions and this host cannot");
  retarget(module, fused, layout);
  CHECK_OK(save_module(module, to));
  return to;
}

}  // namespace

Result<CompiledProgram> copy_for_this_host(const CompiledProgram& program) {
  TRY(TemporaryFolder scratch, TemporaryFolder::make("host-copy"));
  TRY(std::string layout, host_layout(scratch));
  CompiledProgram copy{.units = program.units, .folder = program.folder, .link_flags = program.link_flags, .target = "", .cpu = "",
                       .threads = program.threads, .scratch = std::move(scratch)};
  if (program.threads) return unfit("it uses threads");
  for (std::size_t i = 0; i < copy.units.size(); i++) {
    Unit& unit = copy.units[i];
    const std::string base = copy.scratch.file("unit" + std::to_string(i));
    const bool one = unit.early_bitcode == unit.final_bitcode;
    bool fused = false;
    TRY(unit.final_bitcode, copy_bitcode(unit.final_bitcode, base + ".final.bc", layout, fused));
    if (one) unit.early_bitcode = unit.final_bitcode;
    else {
      TRY(unit.early_bitcode, copy_bitcode(unit.early_bitcode, base + ".early.bc", layout, fused));
    }
    unit.flags = host_flags(unit.flags, fused);
  }
  return copy;
}

}  // namespace perfcast::llvm_ir

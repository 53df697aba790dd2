#include "frontends/llvm_ir/host_copy.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>

#include "base/process.h"
#include "frontends/llvm_ir/module.h"
#include "frontends/llvm_ir/same_meaning.h"

namespace perfcast::llvm_ir {
namespace {

// What is in the way of a type: its size or layout differs between instruction sets. Empty: nothing.
std::string trouble_of(const llvm::Type* type) {
  if (type->isX86_FP80Ty() || type->isFP128Ty() || type->isPPC_FP128Ty()) return "long double";
  if (llvm::isa<llvm::ScalableVectorType>(type)) return "vectors whose length the processor decides (SVE)";
  for (const llvm::Type* part : type->subtypes())
    if (std::string why = trouble_of(part); !why.empty()) return why;
  return "";
}

std::string trouble_of(const llvm::CallBase& call) {
  if (call.isInlineAsm()) return "inline assembly";
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
    switch (intrinsic->getIntrinsicID()) {
      case llvm::Intrinsic::vastart:
      case llvm::Intrinsic::vacopy:
      case llvm::Intrinsic::vaend: return "variable arguments";
      case llvm::Intrinsic::vscale: return "vectors whose length the processor decides (SVE)";
      default: return "";
    }
  }
  const llvm::Function* callee = call.getCalledFunction();
  if (call.hasFnAttr(llvm::Attribute::ReturnsTwice)) return callee ? "the routine " + callee->getName().str() : "a routine that returns twice";
  return "";
}

// What stands in the way of running this module here; empty: nothing.
std::string trouble_of(const llvm::Module& module) {
  if (!module.getModuleInlineAsm().empty()) return "inline assembly";
  for (const auto& global : module.globals())
    if (std::string why = trouble_of(global.getValueType()); !why.empty()) return why;
  for (const auto& function : module) {
    const llvm::StringRef name = function.getName();
    if (function.isIntrinsic() && (name.starts_with("llvm.x86.") || name.starts_with("llvm.aarch64.") || name.starts_with("llvm.arm.")))
      return "the intrinsic " + name.str();
    // What traps differs: a division by zero does on one instruction set and not on the other.
    if (function.isDeclaration() && !function.use_empty() && name.starts_with("sig")) return "the routine " + name.str();
    for (const auto& instruction : llvm::instructions(function)) {
      if (llvm::isa<llvm::VAArgInst>(instruction)) return "variable arguments";
      if (std::string why = trouble_of(instruction.getType()); !why.empty()) return why;
      for (const auto& operand : instruction.operands())
        if (std::string why = trouble_of(operand->getType()); !why.empty()) return why;
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

std::vector<std::string> host_flags(const std::vector<std::string>& flags) {
  std::vector<std::string> kept = without_cpu(flags);
  std::erase_if(kept, [](const std::string& flag) { return flag.starts_with("--target") || flag.starts_with("--sysroot"); });
  return kept;
}

// The program's sources with this host's headers, as far as the front end goes. Characters keep the sign they have on the
// target: the IR settles that.
Status check_meaning(const CompiledProgram& program, const TemporaryFolder& scratch) {
  std::vector<Unit> there = program.units, here = program.units;
  const bool x86 = program.target.starts_with("x86_64");
  for (Unit& unit : here) {
    unit.flags = host_flags(unit.flags);
    if (unit.language != Language::fortran) unit.flags.insert(unit.flags.begin(), x86 ? "-fsigned-char" : "-funsigned-char");
  }
  // At -O0 the early file is the final one, in which small functions are inlined already.
  if (std::ranges::any_of(there, [](const Unit& unit) { return unit.early_bitcode.empty() || unit.early_bitcode == unit.final_bitcode; }))
    CHECK_OK(compile_early(there, scratch.file("there")));
  if (auto compiled = compile_early(here, scratch.file("here")); !compiled) return unfit("it does not compile for this host");
  for (std::size_t i = 0; i < here.size(); i++) {
    TRY(LoadedModule target, load_module(there[i].early_bitcode));
    TRY(LoadedModule host, load_module(here[i].early_bitcode));
    if (std::string what = difference_in_meaning(*target.module, *host.module); !what.empty())
      return unfit("it uses " + what + ", which is another on this host");
  }
  return {};
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
    unit.flags = host_flags(unit.flags);
    if (!fused) unit.flags.push_back("-ffp-contract=off");
  }
  CHECK_OK(check_meaning(program, copy.scratch));
  return copy;
}

}  // namespace perfcast::llvm_ir

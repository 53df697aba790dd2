#include "frontends/llvm_ir/module.h"

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#include "frontends/llvm_ir/emulated.h"

namespace perfcast::llvm_ir {
namespace {

// A CPU and its features as IR attributes name them: "+avx2,-avx512f".
struct Features {
  std::string cpu, text;
  llvm::StringMap<bool> known;
};

// On AArch64 LLVM names only some of what the host has and nothing that it lacks; the kernel knows.
void note_missing([[maybe_unused]] llvm::StringMap<bool>& known) {
#if defined(__aarch64__)
  const unsigned long here = getauxval(AT_HWCAP), more = getauxval(AT_HWCAP2);
  const std::pair<const char*, bool> extensions[] = {
      {"sve", here & HWCAP_SVE},           {"sve2", more & HWCAP2_SVE2},     {"bf16", more & HWCAP2_BF16},
      {"i8mm", more & HWCAP2_I8MM},        {"dotprod", here & HWCAP_ASIMDDP}, {"fullfp16", here & HWCAP_ASIMDHP},
      {"fp16fml", here & HWCAP_ASIMDFHM},  {"lse", here & HWCAP_ATOMICS},    {"rdm", here & HWCAP_ASIMDRDM},
      {"rcpc", here & HWCAP_LRCPC},        {"jsconv", here & HWCAP_JSCVT},   {"complxnum", here & HWCAP_FCMA},
      {"sha3", here & HWCAP_SHA3},         {"sm4", here & HWCAP_SM4}};
  for (const auto& [name, is_here] : extensions)
    if (!is_here) known[name] = false;
#endif
}

// What runs modules of this architecture here: the host itself, or qemu-user.
Features features_at_hand(const llvm::Triple& target, RunsOn runs_on) {
  Features at_hand;
  const llvm::Triple host(llvm::sys::getProcessTriple());
  if (target.getArch() == host.getArch() && runs_on == RunsOn::at_hand) {
    at_hand.cpu = llvm::sys::getHostCPUName().str();
    for (const auto& feature : llvm::sys::getHostCPUFeatures()) at_hand.known[feature.first()] = feature.second;
    note_missing(at_hand.known);
  } else if (target.isX86()) {
    at_hand.cpu = "x86-64-v3";  // qemu-user 7.2
    for (const char* missing : {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx512fp16", "amx-tile"})
      at_hand.known[missing] = false;
  }
  for (const auto& feature : at_hand.known)
    at_hand.text += (at_hand.text.empty() ? "" : ",") + std::string(feature.second ? "+" : "-") + feature.first().str();
  return at_hand;
}

// The first feature a function is compiled for and that is not at hand; empty: none.
std::string missing_feature(const llvm::Function& function, const Features& at_hand) {
  llvm::SmallVector<llvm::StringRef, 64> wanted;
  function.getFnAttribute("target-features").getValueAsString().split(wanted, ',');
  for (llvm::StringRef feature : wanted) {
    if (!feature.consume_front("+")) continue;
    auto known = at_hand.known.find(feature);
    if (known != at_hand.known.end() && !known->second) return feature.str();
  }
  return {};
}

// Instructions written out as such: intrinsics of the missing extension, vectors without a fixed length.
bool names_instructions(const llvm::Module& module) {
  for (const auto& function : module) {
    const llvm::StringRef name = function.getName();
    if (function.isIntrinsic() && (name.contains(".avx512") || name.contains(".sve.") || name.contains(".amx"))) return true;
    if (function.getReturnType()->isScalableTy()) return true;
    for (const auto& block : function)
      for (const auto& instruction : block) {
        if (instruction.getType()->isScalableTy()) return true;
        for (const auto& operand : instruction.operands())
          if (operand->getType()->isScalableTy()) return true;
      }
  }
  return false;
}

bool starts_region(const llvm::CallBase& call) {
  const llvm::Function* routine = call.getCalledFunction();
  return routine && routine->getName().starts_with("__kmpc_fork_");
}

// Line and column that compilers tell the run-time library: ";file;function;line;column;;". 0: not told.
std::pair<unsigned, unsigned> directive_of(const llvm::CallBase& starter) {
  auto* noted = llvm::dyn_cast<llvm::GlobalVariable>(starter.getArgOperand(0)->stripPointerCasts());
  auto* parts = noted && noted->hasInitializer() ? llvm::dyn_cast<llvm::ConstantStruct>(noted->getInitializer()) : nullptr;
  auto* text = parts ? llvm::dyn_cast<llvm::GlobalVariable>(parts->getOperand(parts->getNumOperands() - 1)->stripPointerCasts()) : nullptr;
  auto* letters = text && text->hasInitializer() ? llvm::dyn_cast<llvm::ConstantDataSequential>(text->getInitializer()) : nullptr;
  if (!letters || !letters->isCString()) return {0, 0};
  llvm::SmallVector<llvm::StringRef, 8> words;
  letters->getAsCString().split(words, ';');
  unsigned line = 0, column = 0;
  if (words.size() < 5 || words[3].getAsInteger(10, line) || words[4].getAsInteger(10, column)) return {0, 0};
  return {line, column};
}

}  // namespace

Result<LoadedModule> load_module(const std::string& bitcode) {
  LoadedModule loaded;
  loaded.context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic trouble;
  loaded.module = llvm::parseIRFile(bitcode, trouble, *loaded.context);
  if (!loaded.module) return unfit("cannot read this bitcode: " + trouble.getMessage().str(), bitcode);
  return loaded;
}

Status save_module(const llvm::Module& module, const std::string& bitcode) {
  std::error_code error;
  llvm::raw_fd_ostream out(bitcode, error, llvm::sys::fs::OF_None);
  if (!error) {
    // Use lists are kept in order, so that passes and code generation see exactly the module we saw.
    llvm::WriteBitcodeToFile(module, out, /*ShouldPreserveUseListOrder=*/true);
    out.close();
    error = out.error();
    out.clear_error();
  }
  if (error) return unfit("cannot write: " + error.message(), bitcode, "check the free space");
  return {};
}

bool has_code(const llvm::Function& function) {
  if (function.isDeclaration() || function.hasAvailableExternallyLinkage()) return false;
  // What chooses between versions of a function runs inside the loader, before the program and its counters.
  for (const auto& chosen : function.getParent()->ifuncs())
    if (chosen.getResolver()->stripPointerCasts() == &function) return false;
  return true;
}

void name_blocks(llvm::Module& module) {
  for (auto& function : module) {
    int number = 0;
    for (auto& block : function) {
      if (!block.hasName()) block.setName("b" + std::to_string(number));
      number++;
    }
  }
}

Result<bool> lower_features(llvm::Module& module, RunsOn runs_on) {
  const Features at_hand = features_at_hand(llvm::Triple(module.getTargetTriple()), runs_on);
  std::string missing;
  for (const auto& function : module)
    if (has_code(function) && missing.empty()) missing = missing_feature(function, at_hand);
  if (missing.empty()) return false;
  if (names_instructions(module))
    return unfit("it is compiled for a CPU with " + missing + ", uses its instructions by name, and cannot run here",
                 module.getSourceFileName(), "analyze it on such a machine");
  for (auto& function : module) {
    if (function.isIntrinsic()) continue;
    function.addFnAttr("target-cpu", at_hand.cpu);
    function.addFnAttr("target-features", at_hand.text);
    function.removeFnAttr("tune-cpu");
  }
  return true;
}

bool runs_here(const std::string& bitcode, bool other_vectors) {
  auto loaded = load_module(bitcode);
  if (!loaded) return true;  // whoever needs it will say so
  return !(other_vectors && names_instructions(*loaded->module)) && lower_features(*loaded->module).has_value();
}

bool uses_threads(const llvm::Module& module) {
  static constexpr const char* starters[] = {"pthread_create", "thrd_create", "clone", "__kmpc_fork_call",
                                             "_ZNSt6thread15_M_start_thread"};
  for (const auto& function : module)
    for (const char* starter : starters)
      if (function.getName().starts_with(starter)) return true;
  return false;
}

const llvm::CallBase* starter_of(const llvm::Function& function) {
  for (const llvm::User* user : function.users())
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(user); call && starts_region(*call)) return call;
  return nullptr;
}

void place_regions(llvm::Module& module) {
  for (const auto& function : module) {
    if (!function.getSubprogram() || function.getSubprogram()->getLine() > 0) continue;
    for (llvm::User* user : const_cast<llvm::Function&>(function).users()) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(user);
      const llvm::DILocation* at = call && starts_region(*call) ? call->getDebugLoc().get() : nullptr;
      if (!at) continue;
      if (auto [line, column] = directive_of(*call); line > 0)
        call->setDebugLoc(llvm::DILocation::get(module.getContext(), line, column, at->getScope(), at->getInlinedAt()));
    }
  }
}

Result<bool> finish_bitcode(const std::string& bitcode) {
  TRY(LoadedModule loaded, load_module(bitcode));
  name_blocks(*loaded.module);
  place_regions(*loaded.module);
  CHECK_OK(save_module(*loaded.module, bitcode));
  return uses_threads(*loaded.module);
}

std::string llvm_version() { return LLVM_VERSION_STRING; }

}  // namespace perfcast::llvm_ir

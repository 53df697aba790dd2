#include "frontends/llvm_ir/module.h"

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

namespace perfcast::llvm_ir {

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
  return !function.isDeclaration() && !function.hasAvailableExternallyLinkage();
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

bool uses_threads(const llvm::Module& module) {
  static constexpr const char* starters[] = {"pthread_create", "thrd_create", "clone", "__kmpc_fork_call",
                                             "_ZNSt6thread15_M_start_thread"};
  for (const auto& function : module)
    for (const char* starter : starters)
      if (function.getName().starts_with(starter)) return true;
  return false;
}

Result<bool> finish_bitcode(const std::string& bitcode) {
  TRY(LoadedModule loaded, load_module(bitcode));
  name_blocks(*loaded.module);
  CHECK_OK(save_module(*loaded.module, bitcode));
  return uses_threads(*loaded.module);
}

std::string llvm_version() { return LLVM_VERSION_STRING; }

}  // namespace perfcast::llvm_ir

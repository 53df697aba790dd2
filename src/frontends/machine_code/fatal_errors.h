// LLVM ends the process on what it cannot compile ("Cannot select") and on some damaged files. While this lives, it throws
// instead, and who holds it makes an error of it.
#pragma once

#include <llvm/Support/ErrorHandling.h>

#include <string>

namespace perfcast::machine_code {

struct Fatal {
  std::string what;
};

struct FatalErrorsAreThrown {
  FatalErrorsAreThrown() {
    llvm::install_fatal_error_handler([](void*, const char* reason, bool) { throw Fatal{reason}; });
  }
  ~FatalErrorsAreThrown() { llvm::remove_fatal_error_handler(); }
};

}  // namespace perfcast::machine_code

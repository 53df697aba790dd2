#include "frontends/llvm_ir/leaving.h"

#include <llvm/ADT/StringSet.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/TargetParser/Triple.h>

#include "frontends/llvm_ir/module.h"

namespace perfcast::llvm_ir {
namespace {

// Library routines that always come back, beside those LLVM's library table knows.
const llvm::StringSet<>& returning() {
  static const llvm::StringSet<> names = {
      "rand", "srand", "random", "srandom", "rand_r", "drand48", "lrand48", "mrand48", "erand48", "nrand48", "srand48",
      "clock", "time", "clock_gettime", "difftime", "getpid", "getrusage", "isalpha", "isalnum", "isspace", "isupper",
      "islower", "isxdigit", "ispunct", "isprint", "tolower", "toupper", "__ctype_b_loc", "__ctype_tolower_loc",
      "__ctype_toupper_loc", "__errno_location", "lround", "lroundf", "lrint", "lrintf", "llround", "llrint", "tgamma",
      "lgamma", "erfc", "erfcf", "hypot", "hypotf", "sincos", "sincosf", "nextafter", "fdim", "fma", "fmaf", "cexp",
      "csqrt", "clog", "cpow", "csin", "ccos", "carg", "__muldc3", "__divdc3", "__mulsc3", "__divsc3", "__mulxc3",
      "__isoc99_fscanf", "__isoc23_strtol", "__isoc23_strtoul", "__isoc23_strtoll", "__isoc23_sscanf", "usleep",
      "omp_get_thread_num", "omp_get_num_threads", "omp_get_max_threads", "omp_get_wtime", "__kmpc_global_thread_num",
      "__kmpc_for_static_init_4", "__kmpc_for_static_init_8", "__kmpc_for_static_fini", "__kmpc_barrier",
      "pthread_mutex_lock", "pthread_mutex_unlock", "pthread_self", "__cxa_begin_catch", "__cxa_end_catch",
      "__cxa_allocate_exception", "__cxa_free_exception", "__cxa_get_exception_ptr"};
  return names;
}
const llvm::StringSet<>& doubling() {
  static const llvm::StringSet<> names = {"fork", "vfork", "qsort", "execl", "execle", "execlp", "execv", "execvP",
                                          "execve", "execvp", "execvpe"};
  return names;
}

const llvm::TargetLibraryInfoImpl& library() {
  static const llvm::TargetLibraryInfoImpl table(llvm::Triple("x86_64-unknown-linux-gnu"));
  return table;
}

bool returns_by_name(const llvm::Function& function) {
  const llvm::StringRef name = function.getName();
  if (doubling().contains(name)) return false;
  if (returning().contains(name)) return true;
  for (const char* prefix : {"_FortranAFPow", "_FortranAcpow", "_FortranAzpow", "_FortranAModReal", "_FortranAModulo"})
    if (name.starts_with(prefix)) return true;
  llvm::LibFunc known;
  return library().getLibFunc(function, known);
}

// What a function without a body here may do.
Leaving of_declaration(const llvm::Function& function) {
  // A coroutine that suspends returns from the middle and comes back in there.
  if (function.isIntrinsic())
    return {false, function.hasFnAttribute(llvm::Attribute::NoReturn) || function.getName().starts_with("llvm.coro.suspend")};
  const bool comes_back = returns_by_name(function);
  Leaving leaving;
  leaving.throws = !function.doesNotThrow() && !(comes_back && !function.getName().starts_with("_Zn"));
  leaving.exits = !function.hasFnAttribute(llvm::Attribute::WillReturn) && !comes_back;
  return leaving;
}

}  // namespace

LeavingCalls::LeavingCalls(std::span<llvm::Module* const> modules) {
  auto key = [](const llvm::Function& function) {
    return std::pair(function.hasLocalLinkage() ? function.getParent() : nullptr, function.getName().str());
  };
  for (const llvm::Module* module : modules)
    for (const auto& function : *module)
      if (has_code(function)) bodies_[key(function)] = {};
  for (bool changed = true; changed;) {
    changed = false;
    for (const llvm::Module* module : modules)
      for (const auto& function : *module) {
        if (!has_code(function)) continue;
        Leaving& known = bodies_[key(function)];
        Leaving found = of_body(function);
        found.throws |= known.throws, found.exits |= known.exits;
        if (!(found == known)) known = found, changed = true;
      }
  }
}

Leaving LeavingCalls::of_body(const llvm::Function& function) const {
  Leaving leaving;
  for (const auto& block : function)
    for (const auto& instruction : block) {
      if (llvm::isa<llvm::ResumeInst>(instruction)) leaving.throws = true;
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (!call) continue;
      const Leaving callee = of(*call);
      leaving.exits |= callee.exits;
      leaving.throws |= callee.throws && !llvm::isa<llvm::InvokeInst>(call);
    }
  if (function.doesNotThrow()) leaving.throws = false;
  return leaving;
}

Leaving LeavingCalls::of(const llvm::CallBase& call) const {
  if (call.isInlineAsm()) return {call.mayThrow(), false};
  if (call.hasFnAttr(llvm::Attribute::ReturnsTwice)) return {false, true};
  const llvm::Function* callee = call.getCalledFunction();
  Leaving leaving{true, true};
  if (callee) {
    const llvm::Module* home = callee->hasLocalLinkage() ? callee->getParent() : nullptr;
    auto body = bodies_.find({home, callee->getName().str()});
    leaving = body != bodies_.end() ? body->second : of_declaration(*callee);
  }
  if (call.doesNotThrow()) leaving.throws = false;
  if (call.hasFnAttr(llvm::Attribute::WillReturn) && !(callee && doubling().contains(callee->getName())))
    leaving.exits = false;
  return leaving;
}

bool LeavingCalls::in_block(const llvm::BasicBlock& block) const {
  for (const auto& instruction : block) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call || llvm::isa<llvm::DbgInfoIntrinsic>(call)) continue;
    const Leaving leaving = of(*call);
    if (leaving.exits || (leaving.throws && !llvm::isa<llvm::InvokeInst>(call))) return true;
  }
  return false;
}

}  // namespace perfcast::llvm_ir

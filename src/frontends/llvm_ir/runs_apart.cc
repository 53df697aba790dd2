#include "frontends/llvm_ir/runs_apart.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstrTypes.h>

#include <algorithm>
#include <set>

#include "frontends/llvm_ir/module.h"

namespace perfcast::llvm_ir {
namespace {

// Of the C library, by how the name begins: files and folders, other programs, what programs share by name, the network.
constexpr const char* reaching_out[] = {
    "fopen", "freopen", "fdopen", "open", "__open", "creat", "mkstemp", "mkostemp", "mkdtemp", "mkfifo", "mknod", "mkdir", "tmpfile", "tmpnam", "tempnam",
    "rename", "remove", "unlink", "rmdir", "link", "symlink", "truncate", "chmod", "chown", "utime", "mount", "system", "popen", "exec", "posix_spawn", "dlopen",
    "shm", "sem_open", "sem_unlink", "sem", "msg", "mq_", "ftok", "socket", "bind", "connect", "listen", "accept", "kill", "ptrace", "syscall", "ioctl", "io_",
    "scandir", "opendir", "nftw", "ftw", "glob", "inotify_", "daemon", "pthread_setaffinity", "sched_setaffinity"};

// Of the run-time libraries of C++ and Fortran, where these letters are in the name: streams and functions on files.
constexpr const char* reaching_out_inside[] = {"basic_ofstream", "basic_ifstream", "basic_fstream", "basic_filebuf", "10filesystem", "AioBeginOpen", "AioBeginUnformatted", "AioBeginInquireFile",
                                               "AioBeginClose", "AExecuteCommandLine", "ARename", "AUnlink"};

// Libraries that do nothing but compute, beside those that every program of its language is linked with.
bool is_known_library(const std::string& flag) {
  static const std::set<std::string> names = {"-lm", "-lpthread", "-ldl", "-lrt", "-lc", "-lgcc", "-lstdc++", "-lc++", "-lblas", "-llapack", "-lopenblas"};
  return names.contains(flag);
}

bool is_no_library(const std::string& flag) {
  return flag.starts_with("-") && !flag.starts_with("-l") && !flag.starts_with("-Wl,") && !flag.starts_with("-Xlinker");
}

// Standard input and output of Fortran; what has another number is a file.
bool is_standard_unit(const llvm::CallBase& call) {
  for (const llvm::Use& argument : call.args()) {
    if (!argument->getType()->isIntegerTy(32)) continue;
    const auto* unit = llvm::dyn_cast<llvm::ConstantInt>(argument.get());
    const long number = unit ? static_cast<long>(unit->getSExtValue()) : 99;
    return number <= 0 || number == 5 || number == 6;
  }
  return false;
}

bool reaches_out(const llvm::Function& routine) {
  const llvm::StringRef name = routine.getName();
  if (std::ranges::any_of(reaching_out, [&](const char* start) { return name.starts_with(start); })) return true;
  if (std::ranges::any_of(reaching_out_inside, [&](const char* part) { return name.contains(part); })) return true;
  if (!name.starts_with("_FortranAioBeginExternal")) return false;
  return !std::ranges::all_of(routine.users(), [](const llvm::User* user) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    return call && is_standard_unit(*call);
  });
}

}  // namespace

bool runs_apart(const CompiledProgram& program) {
  if (!std::ranges::all_of(program.link_flags, [](const std::string& flag) { return is_no_library(flag) || is_known_library(flag); })) return false;
  std::set<std::string> own, asked;  // functions of the program; what it calls that may reach out
  for (const Unit& unit : program.units) {
    auto loaded = load_module(unit.final_bitcode);
    if (!loaded || !loaded->module->getModuleInlineAsm().empty()) return false;
    for (const llvm::Function& function : *loaded->module) {
      if (!function.isDeclaration()) own.insert(function.getName().str());
      else if (!function.isIntrinsic() && reaches_out(function)) asked.insert(function.getName().str());
    }
  }
  return std::ranges::includes(own, asked);
}

}  // namespace perfcast::llvm_ir

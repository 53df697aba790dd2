// A program's sources become LLVM bitcode, by the compilers' own drivers (clang-19, clang++-19, flang-new-19):
//
//   final  the optimised IR a plain compile with the user's flags would generate code from. Analysed machine code,
//          counted program and timed program all come from this one file (design: counts are exact for the code that
//          really runs). Every block has a name.
//   early  the IR before any optimisation, whose instructions still carry every source position. For -O0 it is the
//          final one.
//
// Modules are kept apart, one per source: linking them would give other code than a plain compile does.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "frontends/llvm_ir/flags.h"

namespace perfcast::llvm_ir {

struct CompileRequest {
  std::vector<std::string> sources;  // of these, or ...
  std::string build_folder;          // ... those of the compile_commands.json in this folder
  std::string folder;                // where the sources' names start from; empty: here
  std::string cflags;                // as typed: "-O2 -DN=5 -lm"
  std::string target, cpu;           // triple and CPU; empty: what the compiler takes for this host
  bool early = true;                 // make the early IR too
};

// One source file and what became of it.
struct Unit {
  std::string source;              // as the user named it
  Language language = Language::c;
  std::string compiler;            // full path of the driver
  std::string folder;              // where the driver ran (compile_commands.json says); empty: the current folder
  std::vector<std::string> flags;  // of the compilation, without -c, -o, -l and the source
  std::string optimisation;        // "-O0" ... "-O3", "-Os", ...: the one that counts
  std::string final_bitcode, early_bitcode;  // files; the same file at -O0, early empty when not asked for
  std::string built_for;           // the target of CMake it is part of; empty: not known
  std::string remarks_file;        // what the compiler said while making the final one (remarks.h)
};

struct CompiledProgram {
  std::vector<Unit> units;
  std::string folder;                   // where names in link_flags start from; empty: here
  std::vector<std::string> link_flags;  // -l, -L, -Wl, -pthread, -fopenmp, -static, objects and archives
  std::string target, cpu;
  bool threads = false;                 // it may run more than one thread
  bool link_time = false;               // its flags ask for optimisation by the linker, which is not done
  bool emulated = false;                // runs under qemu-user, which has every instruction: nothing is lowered
  TemporaryFolder scratch;              // holds the bitcode; give new files names of your own in it

  std::string compiler_name() const;    // "clang 19.1.7", for records
  std::string languages() const;        // "c", "c++", "fortran", "c, fortran"
};

// The language by the file's ending; none: not a source we know.
Result<Language> language_of(const std::string& source);

Result<CompiledProgram> compile_program(const CompileRequest& request);

// The early IR of units alone, with the flags they have now, in files of this folder.
Status compile_early(std::vector<Unit>& units, const std::string& folder);

// The command that generates code from a bitcode file and runs no IR pass on it: `clang-19 -x ir -O2 -Xclang
// -disable-llvm-passes -c`, with those of the unit's flags that matter then. Block names are kept. `lowered`: the
// functions say for which CPU, not the flags (module.h, lower_features).
std::vector<std::string> code_generation_command(const Unit& unit, const std::string& bitcode,
                                                 const std::string& object, bool lowered = false);

// Runs a compiler; its message is the error's text.
Status run_compiler(const std::vector<std::string>& command, const std::string& folder, const std::string& what);

// The object of a source of data/runtime, "counts" for counts.c, to be linked into the program: made when perfcast was built, or now, for
// the program's target. `flags` are those that cmake is told for it.
Result<std::string> runtime_object(const CompiledProgram& program, const std::string& name, const std::vector<std::string>& flags);

// Links objects into an executable with the program's own link flags and the driver its languages need.
Status link_program(const CompiledProgram& program, const std::vector<std::string>& objects,
                    const std::string& executable, const std::vector<std::string>& more_flags = {});

// The executable a plain compile would give, made from the final bitcode: what is timed. For qemu: without instructions
// that it does not know.
enum class RunsOn { at_hand, qemu };
Status build_plain(const CompiledProgram& program, const std::string& executable, RunsOn runs_on = RunsOn::at_hand);
// Whether qemu knows the instructions of the plain executable.
bool qemu_knows(const CompiledProgram& program);

}  // namespace perfcast::llvm_ir

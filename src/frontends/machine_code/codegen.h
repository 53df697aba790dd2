// From the compiler's final IR to machine code whose every block knows the IR block it came from. The code generator
// runs in this process, set up as clang sets it up, with one pass of ours at its end that writes down, for each
// machine block, its IR block and successors; the object's block address map says where each block lies. The code is
// byte for byte what `clang -x ir -Ox -Xclang -disable-llvm-passes -c` makes (a test compares them).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace llvm {
class Module;
}

namespace perfcast::machine_code {

struct MachineBlockOrigin {
  unsigned id = 0;                        // as in the block address map
  std::optional<std::string> ir_block;    // none: made by the code generator, or from a block it made itself
  std::vector<unsigned> successors;       // ids, fall-through and landing pads included
  std::vector<double> probabilities;      // of the successors, as the code generator guessed them
  bool operator==(const MachineBlockOrigin&) const = default;
};

struct GeneratedCode {
  std::string object;                                             // an ELF object file
  std::map<std::string, std::vector<MachineBlockOrigin>> blocks;  // by function, in layout order
  std::string triple, cpu;
};

struct CodegenOptions {
  int optimization = 2;    // the N of -ON the module was made with: 0 to 3 (-Os, -Oz: 2)
  bool fast_contract = false;  // -ffp-contract=fast, -Ofast, -ffast-math: fuse products and sums freely
  std::string cpu;         // empty: the functions' own "target-cpu"
};

// The module is left as it is: a copy is compiled. Blocks without a name have no known origin, so name them first.
Result<GeneratedCode> generate_code(const llvm::Module& module, const CodegenOptions& options = {});

// The same for a file of IR, text or bitcode; nameless blocks are named first.
Result<GeneratedCode> generate_code_from_file(const std::string& ir_file, const CodegenOptions& options = {});

}  // namespace perfcast::machine_code

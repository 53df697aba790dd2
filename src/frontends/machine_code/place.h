// Where code lies in the linked program. The compiler knows an address within its object only; how far a jump is from a
// boundary of 32 bytes, which some cores mind, the linker decides.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "frontends/machine_code/elf_image.h"
#include "record/profile.h"

namespace perfcast::machine_code {

// By how much the functions of a graph, whose addresses are those of objects, have moved in `linked`. Of several functions of one
// name each is the one of its size.
class Placement {
 public:
  explicit Placement(const ElfImage& linked);
  // What is added to the addresses of this function; none: it is not there.
  std::optional<std::uint64_t> moved(const Function& function);

 private:
  std::map<std::string, std::vector<CodeSymbol>> symbols_;
};

// The addresses of the program's own functions become those of the executable.
Status place(const std::string& executable, Graph& machine);

}  // namespace perfcast::machine_code

// Which operands of an instruction form its memory address, and how many bytes it touches. LLVM's public tables do
// not say: on x86 an address is five operands in a row, on AArch64 the shape is read off the opcode's name. Where a
// size cannot be told (gathers, rare string forms) it stays 0. Internal to this folder.
#pragma once

#include <optional>
#include <vector>

#include "frontends/machine_code/llvm_target.h"

namespace perfcast::machine_code {

struct Addressing {
  std::vector<unsigned> operands;             // places in the MCInst of the registers that form the address
  std::vector<unsigned> constants;            // places of displacement, scale and shift
  std::optional<std::int64_t> displacement;   // bytes; of a pc-relative access: the absolute address
  bool indexed = false, write_back = false;
  int scale = 1;
  int bytes = 0;
};

Addressing addressing_of(const LlvmTarget& target, const llvm::MCInst& instruction, std::uint64_t address,
                         std::uint64_t size);
// Bytes an AArch64 load or store of this opcode touches, vectors of `vector_bits`.
int aarch64_memory_bytes(llvm::StringRef opcode, int vector_bits);

}  // namespace perfcast::machine_code

// Which CPU qemu-user plays. Code for scalable vectors (SVE) runs its loops as often as the vectors are wide, so an
// emulator with other vectors than the machine it stands for counts wrongly; qemu's own are 512 bits.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace perfcast::llvm_ir {

// Bits of the scalable vectors of a CPU as LLVM names it: 256 on neoverse-v1, 512 on a64fx, 128 on later ones. Without
// a name those of neoverse-v1, whose tables serve then too.
int scalable_bits(const std::string& cpu);

// Bits that code compiled with these flags is meant for, where they say so: -msve-vector-bits, -mcpu, else `cpu`.
std::optional<int> scalable_bits_of_flags(const std::vector<std::string>& flags, const std::string& cpu);

// Of the processor this runs on; none where it has no such vectors.
std::optional<int> scalable_bits_here();

// Does a bitcode file of this host's instruction set run here as it would there, lowered (module.h) or not? Not where
// it needs instructions that nothing else can do, such as those for scalable vectors (SVE) on a core, or in a virtual
// machine, without them; nor where it uses them and they are of another width here.
bool runs_here(const std::string& bitcode, bool other_vectors);

// The words that choose the CPU: qemu-aarch64 -cpu max,sve-default-vector-length=32; qemu-x86_64 poses as the one of this machine.
std::vector<std::string> emulated_cpu(const std::string& isa, int scalable_bits);

}  // namespace perfcast::llvm_ir

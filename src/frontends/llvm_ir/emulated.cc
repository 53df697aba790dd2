#include "frontends/llvm_ir/emulated.h"

#include <sys/prctl.h>

#include <cstdlib>

namespace perfcast::llvm_ir {

int scalable_bits(const std::string& cpu) {
  if (cpu.empty() || cpu == "native" || cpu.starts_with("neoverse-v1") || cpu.starts_with("neoverse-512tvb")) return 256;
  if (cpu.starts_with("a64fx")) return 512;
  return 128;
}

std::optional<int> scalable_bits_of_flags(const std::vector<std::string>& flags, const std::string& cpu) {
  int bits = 0;
  std::string named = cpu;
  for (const auto& flag : flags) {
    if (flag.starts_with("-msve-vector-bits=")) bits = std::atoi(flag.c_str() + flag.find('=') + 1);
    if (flag.starts_with("-mcpu=")) named = flag.substr(flag.find('=') + 1);
  }
  if (bits > 0) return bits;
  if (named.empty() || named.starts_with("native") || named.starts_with("generic")) return {};
  return scalable_bits(named);
}

std::optional<int> scalable_bits_here() {
#if defined(__aarch64__) && defined(PR_SVE_GET_VL)
  const int answer = prctl(PR_SVE_GET_VL);
  if (answer > 0) return 8 * (answer & PR_SVE_VL_LEN_MASK);
#endif
  return {};
}

std::vector<std::string> emulated_cpu(const std::string& isa, int scalable_bits) {
  if (isa != "aarch64") return {"-cpu", "max"};
  return {"-cpu", "max,sve-default-vector-length=" + std::to_string(scalable_bits / 8)};
}

}  // namespace perfcast::llvm_ir

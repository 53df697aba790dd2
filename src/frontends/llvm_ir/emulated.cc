#include "frontends/llvm_ir/emulated.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <sys/prctl.h>

#include <cstdlib>
#include <cstring>

namespace perfcast::llvm_ir {
namespace {

struct X86Model {
  std::string vendor = "GenuineIntel";
  unsigned family = 6, model = 207, stepping = 2;  // Emerald Rapids, whose tables serve where nothing is known
};

// The processor this runs on. The C library chooses its routines (memcpy, strlen) by it as much as by its instructions; qemu's own
// "max" is an old AMD, for which it avoids what is fast today.
X86Model x86_here() {
  X86Model here;
#if defined(__x86_64__)
  unsigned highest = 0, signature = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0, &highest, &b, &c, &d) == 0) return here;
  here.vendor.assign(12, ' ');
  std::memcpy(here.vendor.data(), &b, 4), std::memcpy(here.vendor.data() + 4, &d, 4), std::memcpy(here.vendor.data() + 8, &c, 4);
  __get_cpuid(1, &signature, &b, &c, &d);
  const unsigned family = signature >> 8 & 15, high_model = family == 6 || family == 15 ? signature >> 16 & 15 : 0;
  here.family = family == 15 ? 15 + (signature >> 20 & 255) : family;
  here.model = high_model << 4 | (signature >> 4 & 15), here.stepping = signature & 15;
#endif
  return here;
}

}  // namespace

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
  if (isa != "aarch64") {
    const auto [vendor, family, model, stepping] = x86_here();
    return {"-cpu", "max,vendor=" + vendor + ",family=" + std::to_string(family) + ",model=" + std::to_string(model) + ",stepping=" + std::to_string(stepping)};
  }
  return {"-cpu", "max,sve-default-vector-length=" + std::to_string(scalable_bits / 8)};
}

}  // namespace perfcast::llvm_ir

#include "frontends/llvm_ir/emulated.h"

#include <gtest/gtest.h>

namespace perfcast::llvm_ir {
namespace {

using Words = std::vector<std::string>;

TEST(Emulated, VectorsAreAsWideAsThoseOfTheCpu) {
  EXPECT_EQ(scalable_bits("neoverse-v1"), 256);
  EXPECT_EQ(scalable_bits("neoverse-v2"), 128);
  EXPECT_EQ(scalable_bits("a64fx"), 512);
  EXPECT_EQ(scalable_bits(""), 256);
  EXPECT_EQ(scalable_bits_of_flags({"-O2", "-mcpu=neoverse-v1"}, ""), 256);
  EXPECT_EQ(scalable_bits_of_flags({"-O2", "-mcpu=neoverse-v1+nocrypto"}, ""), 256);
  EXPECT_EQ(scalable_bits_of_flags({"-msve-vector-bits=512", "-mcpu=neoverse-v1"}, ""), 512);
  EXPECT_EQ(scalable_bits_of_flags({"-msve-vector-bits=scalable"}, "neoverse-v1"), 256);
  EXPECT_EQ(scalable_bits_of_flags({"-O3"}, "neoverse-n2"), 128);
  EXPECT_FALSE(scalable_bits_of_flags({"-O2", "-mcpu=native"}, ""));
}

TEST(Emulated, TheEmulatorIsToldOnItsCommandLine) {
  EXPECT_EQ(emulated_cpu("aarch64", 256), (Words{"-cpu", "max,sve-default-vector-length=32"}));
  EXPECT_EQ(emulated_cpu("x86_64", 128), (Words{"-cpu", "max"}));
}

}  // namespace
}  // namespace perfcast::llvm_ir

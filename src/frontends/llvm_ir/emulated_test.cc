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
  const Words x86 = emulated_cpu("x86_64", 128);
  ASSERT_EQ(x86.size(), 2u);
  EXPECT_TRUE(x86[1].starts_with("max,vendor=")) << x86[1];
  for (const char* key : {",family=", ",model=", ",stepping="}) EXPECT_NE(x86[1].find(key), std::string::npos) << x86[1];
}

}  // namespace
}  // namespace perfcast::llvm_ir

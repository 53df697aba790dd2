#include "frontends/machine_code/codegen.h"

#include <algorithm>
#include <map>

#include "frontends/machine_code/test_support.h"

namespace perfcast::machine_code {
namespace {

// Programs with what makes code generation interesting: selects, switches, vectors, calls, floating point, memcpy.
const char* const programs[] = {
    R"(double dot(const double* a, const double* b, int n) { double s = 0; for (int i = 0; i < n; i++) s += a[i] * b[i]; return s; }
       void axpy(double* restrict y, const double* restrict x, double a, int n) { for (int i = 0; i < n; i++) y[i] += a * x[i]; })",
    R"(int classify(int c) { switch (c) { case 1: return 7; case 2: return 9; case 3: return 100; case 4: return -4; case 5: return 55;
         case 6: return 3; case 9: return 12; default: return c > 100 ? c / 3 : c * 2; } }
       static int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }
       int sum(const int* v, int n) { int s = 0; for (int i = 0; i < n; i++) { if (v[i] & 1) s += classify(v[i]); else s -= gcd(v[i], i + 1); } return s; })",
    R"(typedef unsigned long size_t; void* memcpy(void*, const void*, size_t); int memcmp(const void*, const void*, size_t); extern int ext(double);
       struct big { char bytes[72]; }; _Thread_local int mine; int table[256];
       int copy(struct big* to, const struct big* from, int k) { *to = *from; mine += k; if (memcmp(to, from, 16) == 0) table[k & 255] += ext(k * 0.5);
         return __atomic_fetch_add(&table[3], 1, 5) + (k > 3 ? table[k & 7] : mine); })",
    R"(float norm(float* v, int n) { float m = 0; for (int i = 0; i < n; i++) m = v[i] > m ? v[i] : m; for (int i = 0; i < n; i++) v[i] /= m; return m; }
       unsigned long hash(const unsigned char* s) { unsigned long h = 5381; while (*s) h = h * 33 ^ *s++; return h; }
       void collatz(unsigned n, unsigned* steps) { *steps = 0; while (n != 1) { n = n & 1 ? 3 * n + 1 : n / 2; ++*steps; } })"};

std::string all_programs() {
  std::string text;
  for (const char* program : programs) text += program + std::string("\n");
  return text;
}

std::map<std::string, std::string> code_by_section(const ElfImage& image) {
  std::map<std::string, std::string> code;
  for (const auto& section : image.code()) code[section.name] += std::string(section.bytes.begin(), section.bytes.end());
  return code;
}

TEST(Codegen, SameBytesAsClang) {
  Workshop shop;
  const std::vector<std::vector<std::string>> settings = {{"-O0"}, {"-O1"}, {"-O2"}, {"-O3"}, {"-O3", "-march=@"}, {"-O2", "-fPIC"}, {"-O3", "-ffast-math"}, {"-O2", "-fno-pie"}};
  for (const char* triple : {x86_triple, arm_triple})
    for (auto flags : settings) {
      SCOPED_TRACE(std::string(triple) + " " + flags.back());
      if (flags.back() == "-march=@") flags.back() = triple == x86_triple ? "-march=x86-64-v3" : "-mcpu=neoverse-v1";
      const std::string bitcode = shop.bitcode("p.bc", shop.source("p.c", all_programs()), triple, flags);
      const int level = flags[0][2] - '0';
      const bool fast = flags.back() == "-ffast-math";
      auto generated = generate_code_from_file(bitcode, {level, fast, {}});
      ASSERT_TRUE(generated) << generated.error().message();
      std::vector<std::string> clang = {"-x", "ir", "--target=" + std::string(triple), flags[0], "-Xclang", "-disable-llvm-passes", "-c"};
      if (flags.back() == "-fPIC" || flags.back() == "-fno-pie") clang.push_back(flags.back());
      if (fast) clang.push_back("-ffast-math");
      auto reference = ElfImage::open(shop.clang("p.o", bitcode, clang));
      auto ours = ElfImage::from_bytes(generated->object, "generated");
      ASSERT_TRUE(reference && ours);
      EXPECT_EQ(code_by_section(*ours), code_by_section(*reference));
    }
}

TEST(Codegen, EveryBlockHasAPlaceAndMostKnowTheirIrBlock) {
  Workshop shop;
  int blocks = 0, known = 0;
  for (const char* triple : {x86_triple, arm_triple})
    for (const char* level : {"-O0", "-O3"}) {
      const std::string bitcode = shop.bitcode("p.bc", shop.source("p.c", all_programs()), triple, {level});
      auto generated = generate_code_from_file(bitcode, {level[2] - '0', false, {}});
      ASSERT_TRUE(generated);
      auto image = ElfImage::from_bytes(generated->object, "generated");
      ASSERT_TRUE(image);
      const auto maps = image->block_map();
      EXPECT_EQ(maps.size(), generated->blocks.size());
      for (const auto& map : maps) {
        const CodeSymbol* function = image->function_at(map.address);
        ASSERT_TRUE(function);
        const auto& origins = generated->blocks.at(function->name);
        ASSERT_EQ(map.blocks.size(), origins.size()) << function->name;
        for (std::size_t k = 0; k < origins.size(); ++k) {
          EXPECT_EQ(map.blocks[k].id, origins[k].id);
          ++blocks, known += origins[k].ir_block.has_value();
        }
      }
    }
  EXPECT_GT(blocks, 100);
  EXPECT_GT(known, 0.7 * blocks);
}

TEST(Codegen, TheSameEveryTime) {
  Workshop shop;
  const std::string bitcode = shop.bitcode("p.bc", shop.source("p.c", programs[1]), x86_triple, {"-O2"});
  auto first = generate_code_from_file(bitcode), second = generate_code_from_file(bitcode);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->object, second->object);
  EXPECT_EQ(first->blocks, second->blocks);
}

TEST(Codegen, WhatCannotBeCompiledIsAnError) {
  Workshop shop;
  auto no_ir = generate_code_from_file(shop.source("a.ll", "this is no IR"));
  ASSERT_FALSE(no_ir);
  EXPECT_NE(no_ir.error().message().find("LLVM IR"), std::string::npos);
  const std::string head = "target triple = \"x86_64-pc-linux-gnu\"\n";
  auto assembly = generate_code_from_file(shop.source("b.ll", head + "define void @f() {\n call void asm \"notaninstruction\", \"\"()\n ret void\n}\n"));
  EXPECT_FALSE(assembly);
  auto intrinsic = generate_code_from_file(shop.source("c.ll", head + "declare <4 x float> @llvm.aarch64.neon.frecpe.v4f32(<4 x float>)\n"
      "define <4 x float> @f(<4 x float> %x) {\n %y = call <4 x float> @llvm.aarch64.neon.frecpe.v4f32(<4 x float> %x)\n ret <4 x float> %y\n}\n"));
  EXPECT_FALSE(intrinsic);
}

}  // namespace
}  // namespace perfcast::machine_code

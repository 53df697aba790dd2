#include "frontends/machine_code/decode.h"

#include "frontends/machine_code/addressing.h"
#include "frontends/machine_code/test_support.h"

namespace perfcast::machine_code {
namespace {

struct Listing {
  FormTable forms;
  std::vector<Decoded> code;
  const InstructionForm& form(int k) const { return forms[code[k].instruction.form]; }
  const Instruction& at(int k) const { return code[k].instruction; }
};

// Assembles and decodes again.
Listing list(const std::string& triple, const std::string& assembly, const std::string& cpu = {}) {
  Workshop shop;
  const std::string object = shop.clang("a.o", shop.source("a.s", assembly + "\n"),
                                        {"--target=" + triple, "-c", triple[0] == 'a' ? "-march=armv8.2-a+lse+sve" : "-mavx512f"});
  auto image = ElfImage::open(object);
  EXPECT_TRUE(image) << image.error().message();
  auto decoder = Decoder::make(triple, cpu);
  EXPECT_TRUE(decoder) << decoder.error().message();
  Listing listing;
  auto decoded = decoder->decode(image->code()[0].bytes, 0, listing.forms);
  EXPECT_TRUE(decoded.gaps.empty());
  listing.code = decoded.instructions;
  return listing;
}

std::vector<int> units(const std::vector<RegisterUse>& uses, bool address) {
  std::vector<int> found;
  for (const auto& use : uses)
    if (use.address == address) found.push_back(use.unit);
  return found;
}

TEST(Decode, X86AddressingAndSizes) {
  auto l = list(x86_triple, R"(
    vaddpd 8(%rax,%rbx,8), %ymm1, %ymm2
    movq %rcx, -16(%rsp)
    xorl %eax, %eax
    addq $5, %rdx
    leaq 4(%rax,%rcx,4), %rdx
    movzbl (%rdi), %eax
    vaddpd (%rax){1to8}, %zmm1, %zmm2
    pushq %rbx
    nopl 0(%rax))");
  EXPECT_EQ(l.form(0).opcode, "VADDPDYrm");
  EXPECT_TRUE(l.form(0).load && l.form(0).indexed && l.form(0).floating && !l.form(0).store);
  EXPECT_EQ(l.form(0).scale, 8);
  EXPECT_EQ(l.form(0).memory_bytes, 32);
  EXPECT_EQ(l.form(0).vector_bits, 256);
  EXPECT_EQ(l.at(0).displacement, 8);
  EXPECT_FALSE(l.form(0).resources.empty());
  EXPECT_FALSE(l.form(0).read_advance.empty());  // the register operand may wait for the load
  EXPECT_TRUE(l.form(1).store);
  EXPECT_EQ(l.form(1).memory_bytes, 8);
  EXPECT_EQ(l.at(1).displacement, -16);
  EXPECT_FALSE(units(l.at(1).uses, true).empty());
  EXPECT_FALSE(units(l.at(1).uses, false).empty());
  EXPECT_TRUE(l.at(2).same_sources);
  EXPECT_EQ(l.at(3).immediate, 5);
  EXPECT_TRUE(l.form(4).indexed && !l.form(4).load);
  EXPECT_TRUE(units(l.at(4).uses, true).empty());
  EXPECT_EQ(l.form(5).memory_bytes, 1);
  EXPECT_EQ(l.form(6).memory_bytes, 8);
  EXPECT_EQ(l.form(6).vector_bits, 512);
  EXPECT_EQ(l.form(7).memory_bytes, 8);
  EXPECT_TRUE(l.form(8).nop && !l.form(8).load);
  EXPECT_EQ(l.at(3).text, "addq $5, %rdx");
}

TEST(Decode, X86PartsOfARegisterShareUnits) {
  auto l = list(x86_triple, "movl $1, %eax\n addq %rax, %rbx\n movb %ah, %cl\n cmpq %rax, %rbx\n jne 0");
  const auto written = units(l.at(0).defs, false);
  const auto read = units(l.at(1).uses, false);
  for (int unit : written) EXPECT_NE(std::find(read.begin(), read.end(), unit), read.end());
  EXPECT_EQ(written.size(), 2u);  // al and ah; the nameless upper part is left out
  EXPECT_EQ(units(l.at(2).uses, false).size(), 1u);
  EXPECT_EQ(units(l.at(3).defs, false), units(l.at(4).uses, false));  // the flags
  EXPECT_TRUE(l.form(4).branch && l.form(4).conditional && l.code[4].ends_block && !l.code[4].barrier);
}

TEST(Decode, X87RegistersMoveUnderTheirNames) {
  auto l = list(x86_triple, R"(
    fldt (%rax)
    fldl (%rcx)
    fmulp
    faddp
    fld %st(0)
    fyl2x
    fxch %st(2)
    fstpt (%rax)
    call f
    fmuls (%rax)
    fucomi %st(1), %st
    fxam
    fnstsw %ax)");
  auto defs = [&](int k) { return l.at(k).defs; };
  auto reads = [&](int k) { return units(l.at(k).uses, false); };
  const int first = defs(0)[0].unit, second = defs(1)[0].unit;
  EXPECT_NE(first, second);
  EXPECT_TRUE(l.form(0).load && l.form(0).floating);
  EXPECT_EQ(reads(2), (std::vector{second, first}));
  EXPECT_EQ(defs(2)[0].unit, first);   // the product replaces the first, the second is popped
  const int sum = defs(3)[0].unit;     // what was on the stack before
  EXPECT_EQ(reads(3), (std::vector{first, sum}));
  EXPECT_NE(sum, first);
  EXPECT_EQ(reads(4), std::vector{sum});
  EXPECT_EQ(defs(4)[0].unit, first);   // pushed where the product was
  EXPECT_EQ(defs(5)[0].unit, sum);     // st(1) * log2 st(0), popped
  EXPECT_EQ(reads(6).size(), 2u);
  EXPECT_EQ(defs(6).size(), 3u);       // both, and the status word
  EXPECT_EQ(reads(7), std::vector{sum});
  EXPECT_EQ(reads(9)[0], first);       // a call's result: what a function pushes first
  EXPECT_EQ(reads(9)[0], defs(9)[0].unit);
  EXPECT_EQ(reads(10)[0], first);
  EXPECT_EQ(defs(11).size(), 1u);      // the status word, which fnstsw reads
  EXPECT_EQ(reads(12), std::vector{defs(11)[0].unit});
}

TEST(Decode, Aarch64AddressingAndSizes) {
  auto l = list(arm_triple, R"(
    ldr x0, [x1, #16]
    ldr d0, [x1, x2, lsl #3]
    ldp q0, q1, [x3], #32
    str w4, [x5, #-4]!
    stp x29, x30, [sp, #-32]!
    ld1 {v0.2d, v1.2d}, [x0]
    fmadd d0, d1, d2, d3
    add x0, xzr, x1
    ldrsw x0, [x1, #8]
    ldadd x1, x2, [x3]
    fmla v0.2d, v1.2d, v2.2d
    ret)");
  EXPECT_EQ(l.form(0).opcode, "LDRXui");
  EXPECT_EQ(l.at(0).displacement, 16);
  EXPECT_EQ(l.form(0).memory_bytes, 8);
  EXPECT_EQ(units(l.at(0).uses, true).size(), 1u);
  EXPECT_TRUE(l.form(1).indexed && l.form(1).floating);
  EXPECT_EQ(l.form(1).scale, 8);
  EXPECT_TRUE(l.form(2).write_back);
  EXPECT_EQ(l.form(2).memory_bytes, 32);
  EXPECT_EQ(l.at(2).displacement, 0);
  EXPECT_TRUE(l.form(3).write_back && l.form(3).store);
  EXPECT_EQ(l.at(3).displacement, -4);
  EXPECT_EQ(l.at(4).displacement, -32);
  EXPECT_EQ(l.form(4).memory_bytes, 16);
  EXPECT_EQ(l.form(5).memory_bytes, 32);
  EXPECT_EQ(l.form(6).vector_bits, 64);
  EXPECT_EQ(units(l.at(6).uses, false).size(), 3u);
  EXPECT_EQ(units(l.at(7).uses, false).size(), 1u);  // xzr carries no value
  EXPECT_EQ(l.form(8).memory_bytes, 4);
  EXPECT_EQ(l.at(8).displacement, 8);
  EXPECT_EQ(l.form(9).memory_bytes, 8);
  EXPECT_EQ(l.form(10).vector_bits, 128);
  EXPECT_TRUE(l.form(11).ret && l.code[11].barrier);
}

TEST(Decode, MemoryBytesByName) {
  const std::pair<const char*, int> expected[] = {
      {"LDRBBui", 1}, {"LDRHHroX", 2}, {"LDURSi", 4}, {"STRQui", 16}, {"LDPSWi", 8}, {"STPDpre", 16}, {"LDNPQi", 32},
      {"LD4Fourv16b", 64}, {"LD1Onev8b", 8}, {"ST2i32", 8}, {"LD1Rv4s", 4}, {"LDRSBXui", 1}, {"CASALX", 8}, {"ADDXri", 0}};
  for (auto [opcode, bytes] : expected) EXPECT_EQ(aarch64_memory_bytes(opcode, 128), bytes) << opcode;
}

TEST(Decode, BytesThatAreNoInstructionBecomeGaps) {
  for (const char* triple : {x86_triple, arm_triple}) {
    auto decoder = Decoder::make(triple);
    ASSERT_TRUE(decoder);
    FormTable forms;
    std::vector<std::uint8_t> bytes = triple == x86_triple ? std::vector<std::uint8_t>{0x90, 0x06, 0x06, 0xc3}
                                                           : std::vector<std::uint8_t>{0x1f, 0x20, 0x03, 0xd5, 0xff, 0xff, 0xff, 0xff, 0xc0, 0x03, 0x5f, 0xd6};
    auto code = decoder->decode(bytes, 0x1000, forms);
    EXPECT_EQ(code.instructions.size(), 2u);
    ASSERT_EQ(code.gaps.size(), 1u);
    EXPECT_EQ(code.gaps[0].weight, triple == x86_triple ? 2 : 4);
  }
}

TEST(Decode, UnknownTargetsAndProcessorsAreNamed) {
  auto processor = Decoder::make(x86_triple, "i-am-no-cpu");
  ASSERT_FALSE(processor);
  EXPECT_NE(processor.error().message().find("i-am-no-cpu"), std::string::npos);
  auto set = Decoder::make("riscv64-unknown-linux-gnu");
  ASSERT_FALSE(set);
  EXPECT_NE(set.error().message().find("riscv64"), std::string::npos);
}

TEST(Decode, TheTablesOfTheProcessorAreUsed) {
  auto v1 = list(arm_triple, "fmul d0, d1, d2", "neoverse-v1");
  auto a53 = list(arm_triple, "fmul d0, d1, d2", "cortex-a53");
  EXPECT_EQ(v1.form(0).latency[0], 3);
  EXPECT_NE(v1.form(0), a53.form(0));
}

TEST(Elf, OtherFilesAreRefusedWithAReason) {
  Workshop shop;
  auto text = ElfImage::open(shop.source("hello.txt", "hello"));
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message().find("not an ELF"), std::string::npos);
  EXPECT_FALSE(ElfImage::open(shop.file("missing")));
  EXPECT_FALSE(ElfImage::open("/"));
  EXPECT_FALSE(ElfImage::open(shop.source("broken", std::string("\177ELF\2\1\1", 7))));
}

TEST(Elf, LinesNamesAndRelocationsOfAnObject) {
  Workshop shop;
  const std::string text = "extern int other(int);\nint g;\nstatic inline int twice(int x) {\n  return x * 3;\n}\n"
                           "int f(int a) {\n  g = other(a);\n  return twice(g);\n}\n";
  const std::string source = shop.source("f.c", text);
  for (const char* triple : {x86_triple, arm_triple}) {
    const std::string object = shop.clang("f.o", source, {std::string("--target=") + triple, "-O2", "-g", "-c", "-fPIE", "-ffunction-sections"});
    auto image = ElfImage::open(object);
    ASSERT_TRUE(image);
    EXPECT_TRUE(image->relocatable());
    ASSERT_EQ(image->functions().size(), 1u);
    const CodeSymbol f = image->functions()[0];
    EXPECT_EQ(f.name, "f");
    bool inlined = false, called = false;
    for (std::uint64_t at = f.address; at < f.address + f.size; ++at) {
      const Location line = image->line_at(at);
      if (line.line == 4 && line.file.ends_with("f.c")) inlined = true;
      const Relocation* relocation = image->relocation_in(at, 1);
      if (relocation && relocation->symbol == "other") called = true;
    }
    EXPECT_TRUE(inlined && called) << triple;
    EXPECT_EQ(image->declared_at(f.address).line, 6);
  }
  EXPECT_EQ(readable_name("_Z3fooi"), "foo(int)");
  EXPECT_EQ(readable_name("main"), "");
}

}  // namespace
}  // namespace perfcast::machine_code

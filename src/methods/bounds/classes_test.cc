#include "methods/bounds/classes.h"

#include <gtest/gtest.h>

namespace perfcast::bounds {
namespace {

TEST(Classes, IntegerVectorsAreVectors) {
  auto packing = [](const char* opcode, int bits, const char* isa) {
    InstructionForm form;
    form.opcode = opcode, form.vector_bits = bits, form.floating = true;
    return packing_of(form, {}, isa);
  };
  for (const char* packed : {"VPADDDYrr", "PADDDrr", "PMAXSDrr", "VPMULLDZrr", "ADDPDrr", "VFMADD231PSYr", "CVTDQ2PDrr"})
    EXPECT_EQ(packing(packed, 128, "x86_64"), Packing::packed) << packed;
  for (const char* scalar : {"ADDSDrr", "VFMADD231SDr", "CVTSI2SDrr", "UCOMISSrr", "MOVSDrm"})
    EXPECT_EQ(packing(scalar, 128, "x86_64"), Packing::scalar) << scalar;
  for (const char* neither : {"MOVAPSrr", "ANDPSrr", "SHUFPDrri", "PSHUFDri"}) EXPECT_EQ(packing(neither, 128, "x86_64"), Packing::neither) << neither;
  for (const char* packed : {"ADDv4i32", "FMLAv2f64", "LDRQui", "FADD_ZZZ_D"}) EXPECT_EQ(packing(packed, 128, "aarch64"), Packing::packed) << packed;
  for (const char* scalar : {"FADDDrr", "FMADDDrrr", "LDRDui"}) EXPECT_EQ(packing(scalar, 128, "aarch64"), Packing::scalar) << scalar;
}

TEST(Classes, IntegersInVectorsAndOperandsInMemory) {
  auto of = [](const char* opcode, bool floating, bool load, bool store = false) {
    InstructionForm form;
    form.opcode = opcode, form.floating = floating, form.load = load, form.store = store, form.vector_bits = floating ? 128 : 0;
    return classify(form, {});
  };
  for (const char* integer : {"VPADDDYrr", "PXORrr", "VPSADBWYrr", "ADDv4i32", "UADDLVv16i8v"}) EXPECT_EQ(of(integer, true, false).kind, Kind::integer) << integer;
  for (const char* real : {"MAXSDrr", "VPERMPDYri", "SCVTFv2f64", "FABSv2f64"}) EXPECT_EQ(of(real, true, false).kind, Kind::other_float) << real;
  EXPECT_EQ(of("FMLAv2i64_indexed", true, false).kind, Kind::fused);
  EXPECT_EQ(of("MAXSDrm", true, true).kind, Kind::other_float);
  EXPECT_TRUE(of("MAXSDrm", true, true).also_load);
  EXPECT_EQ(of("INC32m", false, true, true).kind, Kind::integer);
  EXPECT_TRUE(of("INC32m", false, true, true).also_load && of("INC32m", false, true, true).also_store);
  for (const char* load : {"MOV64rm", "MOVSDrm", "VMOVDQUYrm", "VPMOVZXBDYrm", "VBROADCASTSDYrm", "LDRDui", "LDRDroX", "LOAD"}) EXPECT_EQ(of(load, true, true).kind, Kind::load) << load;
  EXPECT_TRUE(of("MOVSDrm", true, true).real);
  EXPECT_FALSE(of("VMOVDQUYrm", true, true).real);
}

TEST(Classes, TheFrameIsNoArray) {
  auto spills = [](const char* text) {
    InstructionForm form;
    form.opcode = "MOV64rm", form.load = true;
    Instruction instruction;
    instruction.text = text;
    return classify(form, instruction).spill;
  };
  for (const char* spill : {"movq\t8(%rsp), %rax", "movq\t-24(%rbp), %rax", "ldr\tx0, [sp, #16]", "ldr\tx0, [x29, #-8]"}) EXPECT_TRUE(spills(spill)) << spill;
  for (const char* other : {"movq\t(%rbp,%rax,8), %rcx", "movq\t8(%rbp), %rax", "movq\t(%rsp,%rcx,8), %rax", "ldr\tx0, [x29, x1]"}) EXPECT_FALSE(spills(other)) << other;
}

}  // namespace
}  // namespace perfcast::bounds

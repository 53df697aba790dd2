// What an ideal compiler would use: whole vectors wherever the instruction set has them, also where the machine file knows
// only a neighbour of the instruction.
#include "engine/ideal_code.h"

#include <gtest/gtest.h>

#include "record/library.h"

namespace perfcast::engine {
namespace {

class IdealCodeOf : public testing::TestWithParam<const char*> {};

TEST_P(IdealCodeOf, VectorsAreNeverSlowerPerElementThanScalars) {
  auto machine = find_machine(GetParam());
  ASSERT_TRUE(machine) << machine.error().message();
  IdealCode ideal(*machine);
  for (const char* operation : {"fadd", "fmul", "fma", "fneg", "fcmp", "fmax", "select", "load", "store"})
    for (const char* type : {".f64", ".f32"}) {
      std::string name = std::string(operation) + type;
      double whole = ideal.bound(ideal.of(name)).cycles, alone = ideal.bound(ideal.of(name, false)).cycles;
      EXPECT_LE(whole, alone) << name;
      EXPECT_GT(whole, 0) << name;
    }
  for (const char* operation : {"add", "and", "shl", "mul", "icmp", "select", "load", "store"})
    for (const char* type : {".i64", ".i32", ".i16", ".i8"}) {
      std::string name = std::string(operation) + type;
      double whole = ideal.bound(ideal.of(name)).cycles, alone = ideal.bound(ideal.of(name, false)).cycles;
      EXPECT_LE(whole, alone) << name;
      if (std::string(type) != ".i64") EXPECT_LE(whole, alone / 2) << name;
    }
}
// A wide division costs no more than a narrow one: the numbers may be small.
TEST_P(IdealCodeOf, DivisionsMayBeNarrow) {
  auto machine = find_machine(GetParam());
  ASSERT_TRUE(machine) << machine.error().message();
  IdealCode ideal(*machine);
  for (const char* operation : {"sdiv", "udiv", "srem", "urem"}) {
    const std::string name = operation;
    EXPECT_LE(ideal.bound(ideal.of(name + ".i64")).cycles, ideal.bound(ideal.of(name + ".i32")).cycles) << name;
    EXPECT_LE(ideal.latency(name + ".i64"), ideal.latency(name + ".i32")) << name;
    EXPECT_GT(ideal.latency(name + ".i64"), 0) << name;
  }
}
// Neoverse V1 has vectors of 256 bits beside those of 128.
TEST(IdealCode, ScalableVectorsAreAsLongAsTheCoreHasThem) {
  auto machine = find_machine("neoverse-v1");
  ASSERT_TRUE(machine) << machine.error().message();
  EXPECT_LE(IdealCode(*machine).bound(IdealCode(*machine).of("store.f64")).cycles, 0.125);  // two ports, 32 bytes each
  machine->core->llvm_cpu = "cortex-a76";
  EXPECT_EQ(IdealCode(*machine).bound(IdealCode(*machine).of("store.f64")).cycles, 0.25);
}
INSTANTIATE_TEST_SUITE_P(Bundled, IdealCodeOf, testing::Values("emerald-rapids", "neoverse-v1"));

}  // namespace
}  // namespace perfcast::engine

#include "engine/values.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/test_core.h"

namespace perfcast::engine {
namespace {

TEST(Values, MaskedIndicesStayWithinAndNeighbours) {
  Code code;
  Instruction& mask = code.op("AND64ri32", {2}, {2});
  mask.immediate = 1023;
  StaticInstruction instruction;
  describe_values(instruction, code.forms[0], mask);
  RegisterValues values(4);
  int neighbours = 0;
  for (std::uint64_t seed = 1; seed <= 20; seed++) {
    values.renew(seed);
    const std::uint64_t index = values.value_of(instruction, 0, 0);
    EXPECT_LE(index, 1023u);
    values.set(2, index + 1);
    neighbours += values.value_of(instruction, 0, 0) == index + 1;
  }
  EXPECT_GE(neighbours, 19);
}

// The place of a random key in a table: seed = seed * factor, index = (seed >> 20) & mask, all of them in registers.
TEST(Values, ATableIsAskedAtADifferentPlaceForEveryKey) {
  Code code;
  code.op("IMUL64rr", {1}, {1, 2}), code.op("MOV64rr", {3}, {1}), code.op("SHR64ri", {3}, {3}).immediate = 20;
  code.op("AND64rr", {3}, {3, 0});
  std::vector<StaticInstruction> steps(4);
  for (std::size_t k = 0; k < 4; k++) describe_values(steps[k], code.forms[k], code.body[k]);
  RegisterValues values(4);
  values.set(0, (1 << 20) - 64 - 1);  // the size is known to nobody; one less it is a mask
  std::set<std::uint64_t> places;
  for (int key = 0; key < 100; key++) {
    for (const StaticInstruction& step : steps) values.set(step.value_units[0], values.value_of(step, 0, 0));
    places.insert(values.value_of(steps[3], 0, 0));  // a place that was masked stays what it is
  }
  EXPECT_GE(places.size(), 99u);
}

}  // namespace
}  // namespace perfcast::engine

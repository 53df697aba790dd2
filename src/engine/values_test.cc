#include "engine/values.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

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

// A ring buffer: what counts up comes back to where it was after as many steps as the ring is long, however short, and to no other place
// before; the narrow move is a mask, and AArch64 masks and scales at once.
TEST(Values, AShortRingIsGoneRound) {
  Code code;
  code.op("AND32ri", {2}, {2}).immediate = 7;
  code.op("MOVZX32rr8", {2}, {2});
  code.op("UBFMXri", {2}, {2});
  code.body[0].text = "andl $7, %ecx", code.body[1].text = "movzbl %cl, %ecx", code.body[2].text = "ubfiz x8, x8, #3, #3";
  for (auto [which, length] : {std::pair(0, 8), std::pair(1, 256), std::pair(2, 8)}) {
    StaticInstruction mask;
    describe_values(mask, code.forms[static_cast<std::size_t>(code.body[static_cast<std::size_t>(which)].form)], code.body[static_cast<std::size_t>(which)]);
    RegisterValues values(4);
    std::vector<std::uint64_t> places;
    const std::uint64_t start = arbitrary(5);
    for (int i = 0; i <= length; i++) values.set(2, start + static_cast<std::uint64_t>(i)), places.push_back(values.value_of(mask, 0, 0));
    EXPECT_EQ(places.back(), places.front()) << length;
    EXPECT_EQ(std::set(places.begin(), places.end()).size(), static_cast<std::size_t>(length));
  }
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

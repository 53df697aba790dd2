#include "frontends/loops_beside.h"

#include <gtest/gtest.h>

namespace perfcast {
namespace {

const Location macro{"a.c", 3, 5};

SourceLoop source_loop(int beside, double iterations, double flops, bool store) {
  SourceLoop loop;
  loop.function = loop.source_function = "f", loop.at = macro, loop.beside = beside;
  loop.entries = 1, loop.iterations = iterations, loop.flops = flops, loop.operations = {{"fadd.f64", flops}};
  Reference load;
  load.element_bytes = 8, load.stride_bytes = {8.0};
  loop.references.push_back(load);
  if (store) load.store = true, loop.references.push_back(load);
  return loop;
}

// A loop of the IR of one block.
void add_loop(Function& function, double iterations, std::map<std::string, double> usage) {
  Block block;
  block.name = "b" + std::to_string(function.blocks.size()), block.loop = static_cast<int>(function.loops.size());
  block.count.value = iterations, block.usage = std::move(usage);
  Loop loop;
  loop.at = macro, loop.header = static_cast<int>(function.blocks.size()), loop.iterations.value = iterations, loop.entries.value = 1;
  function.blocks.push_back(block), function.loops.push_back(loop);
}

// The first loop of the macro was vectorised by four and has a remainder, the second was not.
Profile two_in_a_macro() {
  Profile profile;
  profile.source_loops = {source_loop(0, 1003, 2, true), source_loop(1, 500, 3, false)};
  Function function;
  function.name = "f";
  add_loop(function, 250, {{"flops", 8}, {"bytes_stored", 32}, {"bytes_loaded", 32}});
  add_loop(function, 3, {{"flops", 2}, {"bytes_stored", 8}, {"bytes_loaded", 8}});
  add_loop(function, 500, {{"flops", 3}, {"bytes_loaded", 8}});
  profile.ir.emplace().functions.push_back(function);
  return profile;
}

TEST(LoopsBeside, AreToldByOrderAndWork) {
  Profile profile = two_in_a_macro();
  tell_loops_apart(profile);
  ASSERT_EQ(profile.source_loops.size(), 2u);
  const auto& loops = profile.ir->functions[0].loops;
  EXPECT_EQ(loops[0].beside, 0);
  EXPECT_EQ(loops[1].beside, 0);
  EXPECT_EQ(loops[2].beside, 1);
}

// In two functions at once, nobody knows how much of each was done where: one loop asks for the average of both.
TEST(LoopsBeside, BecomeOneWhereTheyCannotBeTold) {
  Profile profile = two_in_a_macro();
  profile.ir->functions.push_back(profile.ir->functions[0]);
  SourceLoop inside = source_loop(0, 10, 1, false);
  inside.at.line = 4, inside.parent = 1;
  profile.source_loops.push_back(inside);
  tell_loops_apart(profile);
  ASSERT_EQ(profile.source_loops.size(), 2u);
  EXPECT_EQ(profile.source_loops[0].iterations, 1503);
  EXPECT_NEAR(profile.source_loops[0].flops, (1003 * 2 + 500 * 3) / 1503.0, 1e-12);
  EXPECT_EQ(profile.source_loops[1].parent, 0);
  for (const Loop& loop : profile.ir->functions[0].loops) EXPECT_EQ(loop.beside, 0);
}

}  // namespace
}  // namespace perfcast

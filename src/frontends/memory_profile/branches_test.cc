// Small machine graphs as the code generator makes them, and who gets which mispredictions.
#include "frontends/memory_profile/branches.h"

#include <gtest/gtest.h>

namespace perfcast::memory_profile {
namespace {

const std::vector<InstructionForm> forms = [] {
  std::vector<InstructionForm> all(5);
  all[0].opcode = "ADD32rr";
  all[1].opcode = "JCC_1", all[1].branch = all[1].conditional = true;
  all[2].opcode = "DIV32r", all[3].opcode = "DIV64r", all[4].opcode = "JMP_1", all[4].branch = true;
  return all;
}();

Block block(const std::string& from, std::vector<int> code, double count, std::vector<std::pair<int, double>> next, bool guessed) {
  Block b;
  b.name = from, b.from = from, b.count.value = count;
  for (int form : code) {
    Instruction instruction;
    instruction.form = form;
    b.code.push_back(instruction);
  }
  for (auto [to, times] : next) b.next.push_back({to, {times, "", guessed ? Certainty::ratio : Certainty::counted}});
  return b;
}

// An IR block "loop" of 1000 executions whose own branch is mispredicted 10 times.
Graph loop_in_ir() {
  Function f;
  f.name = "f";
  f.blocks = {block("loop", {}, 1000, {{0, 990}, {1, 10}}, false), block("end", {}, 10, {}, false)};
  f.blocks[0].mispredicted = 10;
  Graph graph;
  graph.functions = {f};
  return graph;
}
Graph machine(std::vector<Block> blocks) {
  Function f;
  f.name = "f", f.blocks = std::move(blocks);
  Graph graph;
  graph.functions = {f};
  return graph;
}
double mispredicted(const Graph& graph, std::size_t b) { return graph.functions[0].blocks[b].mispredicted.value_or(Mispredictions()).large; }

TEST(Branches, AChoiceThatBecameABranchHasItsOwnMispredictions) {
  Graph code = machine({block("loop", {0, 1}, 1000, {{1, 500}, {2, 500}}, true), block("loop", {0}, 500, {{2, 500}}, true),
                        block("loop", {0, 1}, 1000, {{0, 990}, {3, 10}}, false), block("end", {}, 10, {}, false)});
  EXPECT_TRUE(made_branches(forms, code).of_choices.contains({"f", "loop"}));
  pass_on_branches(loop_in_ir(), {{{"f", "loop"}, {{BranchKind::choice, 0.5, 0.3}}}}, forms, code);
  EXPECT_DOUBLE_EQ(mispredicted(code, 0), 300);
  EXPECT_DOUBLE_EQ(mispredicted(code, 2), 10);
}

// A search by halves: either half goes on with a copy of the test that ends the loop.
TEST(Branches, AChoiceWhoseWaysEachEndTheBlockIsAChoice) {
  Graph code = machine({block("loop", {0, 1}, 1000, {{1, 500}, {2, 500}}, true), block("loop", {0, 1}, 500, {{0, 495}, {4, 5}}, true),
                        block("loop", {0, 1}, 500, {{0, 495}, {3, 5}}, true), block("else", {4}, 5, {{4, 5}}, true),
                        block("end", {}, 10, {}, false)});
  pass_on_branches(loop_in_ir(), {{{"f", "loop"}, {{BranchKind::choice, 0.5, 0.5}, {BranchKind::choice, 0.5, 0.5}}}}, forms, code);
  EXPECT_DOUBLE_EQ(mispredicted(code, 0), 500);
  EXPECT_DOUBLE_EQ(mispredicted(code, 1), 5);
  EXPECT_DOUBLE_EQ(mispredicted(code, 2), 5);
}

TEST(Branches, ChoicesAreMetInTheirOrder) {
  Graph code = machine({block("loop", {1}, 1000, {{1, 500}, {2, 500}}, true), block("loop", {0}, 500, {{2, 500}}, true),
                        block("loop", {1}, 1000, {{3, 500}, {4, 500}}, true), block("loop", {0}, 500, {{4, 500}}, true),
                        block("loop", {0, 1}, 1000, {{0, 990}, {5, 10}}, false), block("end", {}, 10, {}, false)});
  pass_on_branches(loop_in_ir(), {{{"f", "loop"}, {{BranchKind::choice, 0.5, 0.4}, {BranchKind::choice, 0.5, 0.1}}}}, forms, code);
  EXPECT_DOUBLE_EQ(mispredicted(code, 0), 400);
  EXPECT_DOUBLE_EQ(mispredicted(code, 2), 100);
}

// Three choices, of which one became a branch: the one at its place.
TEST(Branches, ChoicesAreToldByTheirPlace) {
  Graph code = machine({block("loop", {1}, 1000, {{1, 500}, {2, 500}}, true), block("loop", {0}, 500, {{2, 500}}, true),
                        block("loop", {0, 1}, 1000, {{0, 990}, {3, 10}}, false), block("end", {}, 10, {}, false)});
  code.functions[0].blocks[0].code[0].line = 7, code.functions[0].blocks[0].code[0].column = 21;
  EXPECT_EQ(made_branches(forms, code).of_choices, (decltype(MadeBranches::of_choices){{{"f", "loop"}, {{7, 21}}}}));
  const std::vector<Choice> choices = {{BranchKind::choice, 0.5, 0.1, {7, 5}}, {BranchKind::choice, 0.5, 0.4, {7, 21}}, {BranchKind::choice, 0.5, 0.1, {8, 5}}};
  pass_on_branches(loop_in_ir(), {{{"f", "loop"}, choices}}, forms, code);
  EXPECT_DOUBLE_EQ(mispredicted(code, 0), 400);
}

// The test before the loop was merged with the one at its end: the block under the name of one has the mispredictions of both.
TEST(Branches, MergedTestsHaveTheMispredictionsOfBoth) {
  Function f;
  f.name = "f";
  f.blocks = {block("before", {}, 100, {{1, 60}, {2, 40}}, false), block("loop", {}, 900, {{1, 840}, {2, 60}}, false), block("end", {}, 100, {}, false)};
  f.blocks[0].mispredicted = 30, f.blocks[1].mispredicted = 50;
  Graph ir;
  ir.functions = {f};
  Graph code = machine({block("before", {0}, 100, {{1, 100}}, false), block("before", {0, 1}, 1000, {{2, 900}, {3, 100}}, false),
                        block("loop", {0}, 900, {{1, 900}}, false), block("end", {}, 100, {}, false)});
  pass_on_branches(ir, {}, forms, code);
  EXPECT_DOUBLE_EQ(mispredicted(code, 1), 80);
}

// One condition of two parts: the first part leaves the block, so it is no choice, whatever choices there are.
TEST(Branches, ACutConditionSharesTheMispredictionsOfItsBranch) {
  Graph code = machine({block("loop", {0, 1}, 1000, {{1, 996}, {2, 4}}, true), block("loop", {1}, 996, {{0, 990}, {2, 6}}, true),
                        block("end", {}, 10, {}, false)});
  pass_on_branches(loop_in_ir(), {{{"f", "loop"}, {{BranchKind::choice, 0.5, 0.4}}}}, forms, code);
  EXPECT_NEAR(mispredicted(code, 0), 5, 0.1);
  EXPECT_NEAR(mispredicted(code, 1), 5, 0.1);
}

// The same where the parts were seen: each has its own, and how often it decides is known.
TEST(Branches, ThePartsOfACutConditionHaveTheirOwn) {
  Graph code = machine({block("loop", {0, 1}, 1000, {{1, 996}, {2, 4}}, true), block("loop", {1}, 996, {{0, 990}, {2, 6}}, true),
                        block("end", {}, 10, {}, false)});
  code.functions[0].blocks[1].count.certainty = Certainty::ratio;
  pass_on_branches(loop_in_ir(), {{{"f", "loop"}, {{BranchKind::part, 0.4, 0.3}, {BranchKind::part, 0.1, 0.05}}}}, forms, code);
  EXPECT_DOUBLE_EQ(mispredicted(code, 0), 300);
  EXPECT_DOUBLE_EQ(mispredicted(code, 1), 30);
  EXPECT_DOUBLE_EQ(code.functions[0].blocks[0].next[1].count.value, 400);
  EXPECT_DOUBLE_EQ(code.functions[0].blocks[1].count.value, 600);
  EXPECT_DOUBLE_EQ(code.functions[0].blocks[1].next[1].count.value, 60);
}
TEST(Branches, PartsMayLieBehindAJump) {
  Graph code = machine({block("loop", {0, 1}, 1000, {{2, 996}, {3, 4}}, true), block("loop", {1}, 996, {{0, 990}, {3, 6}}, true),
                        block("loop", {4}, 996, {{1, 996}}, true), block("end", {}, 10, {}, false)});
  code.functions[0].blocks[1].count.certainty = code.functions[0].blocks[2].count.certainty = Certainty::ratio;
  pass_on_branches(loop_in_ir(), {{{"f", "loop"}, {{BranchKind::part, 0.4, 0.3}, {BranchKind::part, 0.1, 0.05}}}}, forms, code);
  EXPECT_DOUBLE_EQ(mispredicted(code, 0), 300);
  EXPECT_DOUBLE_EQ(code.functions[0].blocks[2].count.value, 600);
  EXPECT_DOUBLE_EQ(mispredicted(code, 1), 30);
}
// A condition that stayed one branch has the mispredictions of the whole.
TEST(Branches, PartsThatStayedTogetherAreOneBranch) {
  Graph code = machine({block("loop", {0, 1}, 1000, {{0, 990}, {1, 10}}, false), block("end", {}, 10, {}, false)});
  pass_on_branches(loop_in_ir(), {{{"f", "loop"}, {{BranchKind::part, 0.4, 0.3}, {BranchKind::part, 0.1, 0.05}}}}, forms, code);
  EXPECT_DOUBLE_EQ(mispredicted(code, 0), 10);
}

TEST(Branches, CallsThroughPointersHaveTheirOwn) {
  Graph ir = loop_in_ir(), code = machine({block("loop", {0, 1}, 1000, {{0, 990}, {1, 10}}, false), block("end", {}, 10, {}, false)});
  ir.functions[0].blocks[0].mispredicted_calls = 200;
  code.functions[0].blocks[0].calls = {{"*", 1}};
  pass_on_branches(ir, {}, forms, code);
  EXPECT_DOUBLE_EQ(mispredicted(code, 0), 10);
  EXPECT_DOUBLE_EQ(code.functions[0].blocks[0].mispredicted_calls->path, 200);
}

// The IR leads from "left" and "right" to "loop", whose code was copied behind both.
TEST(Branches, ABranchThatWasCopiedIntoThoseBeforeIt) {
  Function f;
  f.name = "f";
  f.blocks = {block("loop", {}, 1000, {{0, 990}, {1, 10}}, false), block("end", {}, 10, {}, false),
              block("left", {}, 400, {{0, 400}}, false), block("right", {}, 600, {{0, 600}}, false)};
  f.blocks[0].mispredicted = 10;
  Graph ir;
  ir.functions = {f};
  Graph code = machine({block("left", {0, 1}, 400, {{0, 200}, {1, 200}}, false), block("right", {0, 1}, 600, {{0, 300}, {1, 300}}, false)});
  pass_on_branches(ir, {}, forms, code);
  EXPECT_DOUBLE_EQ(mispredicted(code, 0), 4);
  EXPECT_DOUBLE_EQ(mispredicted(code, 1), 6);
}

TEST(Branches, ADivisionInHalfItsWidth) {
  Graph code = machine({block("loop", {0, 1}, 1000, {{1, 560}, {2, 440}}, true), block("loop", {3}, 560, {{3, 560}}, true),
                        block("loop", {2}, 440, {{3, 440}}, true), block("loop", {0, 1}, 1000, {{0, 990}, {4, 10}}, false),
                        block("end", {}, 10, {}, false)});
  for (std::size_t made : {1, 2, 3}) code.functions[0].blocks[made].from.reset();  // the code generator made them
  pass_on_branches(loop_in_ir(), {{{"f", "loop"}, {{BranchKind::choice, 0.5, 0.4}, {BranchKind::division, 0.9, 0.08}}}}, forms, code);
  EXPECT_DOUBLE_EQ(mispredicted(code, 0), 80);
  EXPECT_DOUBLE_EQ(code.functions[0].blocks[2].count.value, 900);
  EXPECT_DOUBLE_EQ(code.functions[0].blocks[1].count.value, 100);
  EXPECT_DOUBLE_EQ(mispredicted(code, 3), 10);
}

}  // namespace
}  // namespace perfcast::memory_profile

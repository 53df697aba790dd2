#include "frontends/apply_counts.h"

#include <gtest/gtest.h>

namespace perfcast {
namespace {

Block block(const std::string& kind, int line, int column, std::optional<int> loop = {}) {
  Block made;
  made.kind = kind;
  made.name = kind + std::to_string(line) + ":" + std::to_string(column);
  made.at = {"a.c", line, column};
  made.usage = {{"AISL", 1}};
  made.loop = loop;
  return made;
}

Graph one_function(std::vector<Block> blocks, const std::string& name = "f") {
  Graph graph;
  graph.functions.push_back({});
  graph.functions[0].name = name;
  graph.functions[0].blocks = std::move(blocks);
  return graph;
}

FunctionPositions compiled(double entries, std::map<std::tuple<std::string, int, int>, double> at) {
  FunctionPositions positions;
  positions.entries = entries;
  positions.at = std::move(at);
  return positions;
}

TEST(ApplyCounts, TheExactPositionCounts) {
  auto graph = one_function({block("assign", 1, 5), block("operand", 1, 9)});
  PositionCounts counts;
  counts.functions["f"] = compiled(3, {{{"a.c", 1, 5}, 30}, {{"a.c", 1, 9}, 7}});
  std::vector<Gap> gaps;
  apply_counts(graph, counts, gaps);
  EXPECT_EQ(graph.functions[0].calls.value, 3);
  EXPECT_EQ(graph.functions[0].blocks[0].count.value, 30);
  EXPECT_EQ(graph.functions[0].blocks[1].count.value, 7);
  EXPECT_TRUE(gaps.empty());
}

TEST(ApplyCounts, NearestOnTheLineIsAGapUnlessTheLineAgrees) {
  auto graph = one_function({block("assign", 1, 5), block("assign", 2, 5)});
  PositionCounts counts;
  counts.functions["f"] = compiled(1, {{{"a.c", 1, 7}, 30}, {{"a.c", 1, 20}, 4}, {{"a.c", 2, 1}, 9}, {{"a.c", 2, 8}, 9}});
  std::vector<Gap> gaps;
  apply_counts(graph, counts, gaps);
  EXPECT_EQ(graph.functions[0].blocks[0].count.value, 30);
  EXPECT_EQ(graph.functions[0].blocks[1].count.value, 9);
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].at.line, 1);
  EXPECT_EQ(gaps[0].weight, 30);
}

TEST(ApplyCounts, WhatWasNotCompiledWasNotExecuted) {
  auto graph = one_function({block("assign", 1, 5)});
  std::vector<Gap> gaps;
  apply_counts(graph, {}, gaps);
  EXPECT_EQ(graph.functions[0].blocks[0].count.value, 0);
  EXPECT_TRUE(gaps.empty());
}

TEST(ApplyCounts, CopiesAndOutlinedPartsBelongToTheirFunction) {
  auto graph = one_function({block("assign", 1, 5), block("assign", 3, 5)});
  PositionCounts counts;
  counts.functions["f"] = compiled(2, {{{"a.c", 1, 5}, 2}});
  counts.functions["f.1"] = compiled(5, {{{"a.c", 1, 5}, 5}});
  counts.functions["f.2"] = compiled(8, {{{"other.c", 1, 5}, 8}});  // another file's static function
  counts.functions["f.omp_outlined"] = compiled(4, {{{"a.c", 3, 5}, 400}});
  std::vector<Gap> gaps;
  apply_counts(graph, counts, gaps);
  EXPECT_EQ(graph.functions[0].calls.value, 7);
  EXPECT_EQ(graph.functions[0].blocks[0].count.value, 7);
  EXPECT_EQ(graph.functions[0].blocks[1].count.value, 400);
}

TEST(ApplyCounts, LambdasMeetByPosition) {
  auto graph = one_function({block("return", 4, 30)}, "_ZZ4mainENK3$_0clEv");
  PositionCounts counts;
  counts.functions["_ZZ4mainENK3$_0clEd"] = compiled(1, {{{"a.c", 9, 30}, 1}});
  counts.functions["_ZZ4mainENK3$_1clEv"] = compiled(6, {{{"a.c", 4, 30}, 6}});
  std::vector<Gap> gaps;
  apply_counts(graph, counts, gaps);
  EXPECT_EQ(graph.functions[0].blocks[0].count.value, 6);
}

TEST(ApplyCounts, MacrosThatHideAConditionAreGaps) {
  auto graph = one_function({block("if", 1, 3), block("assign", 1, 3), block("assign", 1, 3), block("assign", 2, 3), block("assign", 2, 3)});
  PositionCounts counts;
  counts.functions["f"] = compiled(1, {{{"a.c", 1, 3}, 10}, {{"a.c", 2, 3}, 20}});
  std::vector<Gap> gaps;
  apply_counts(graph, counts, gaps);
  ASSERT_EQ(gaps.size(), 1u);  // a place is told once
  EXPECT_EQ(gaps[0].at.line, 1);
}

TEST(ApplyCounts, LoopsKnowTheirEntriesAndIterations) {
  auto graph = one_function({block("for-init", 1, 8), block("for-test", 1, 14, 0), block("for-step", 1, 20, 0)});
  auto& function = graph.functions[0];
  function.loops.push_back({});
  function.loops[0].header = 1;
  function.blocks[0].next.push_back({1, {}});
  PositionCounts counts;
  counts.functions["f"] = compiled(4, {{{"a.c", 1, 8}, 4}, {{"a.c", 1, 14}, 44}, {{"a.c", 1, 20}, 40}});
  std::vector<Gap> gaps = {{"inline assembler", {"a.c", 1, 2}, 0}};
  apply_counts(graph, counts, gaps);
  EXPECT_EQ(function.loops[0].entries.value, 4);
  EXPECT_EQ(function.loops[0].iterations.value, 44);
  EXPECT_EQ(gaps[0].weight, 44);
}

}  // namespace
}  // namespace perfcast

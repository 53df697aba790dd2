#include "record/threaded_code.h"

#include <gtest/gtest.h>

#include "record/called_from.h"

namespace perfcast {
namespace {

// Its one block runs so often; 0: not counted.
Function calling(const std::string& name, const std::vector<std::string>& callees, double times = 0) {
  Function f;
  f.name = name;
  Block block;
  block.count.value = times;
  for (const auto& callee : callees) block.calls.push_back({callee});
  f.blocks.push_back(block);
  return f;
}

using Names = std::set<std::string>;
using Parts = std::map<std::string, double>;

TEST(ThreadedCode, RegionsAndWhatTheyCall) {
  Graph code;
  code.functions = {calling("main", {"setup"}), calling("setup", {"both"}), calling("main.omp_outlined", {"work", "both"}), calling("work", {}), calling("both", {})};
  auto threaded = threaded_code(code);
  EXPECT_EQ(threaded.regions, Names{"main.omp_outlined"});
  EXPECT_EQ(threaded.inside, (Parts{{"main.omp_outlined", 1}, {"work", 1}, {"both", 0.5}}));  // nothing was counted
}

// A comparison that qsort calls, and a function that is called through a pointer.
TEST(ThreadedCode, WhatNobodyCallsByNameIsCalledByWhoeverCallsSo) {
  Graph code;
  code.functions = {calling("main", {"printf", "__kmpc_fork_call"}, 1), calling("main.omp_outlined", {"qsort"}, 3), calling("compare", {"deeper"}, 100), calling("deeper", {}, 100)};
  EXPECT_EQ(threaded_code(code).inside, (Parts{{"main.omp_outlined", 1}, {"compare", 0.75}, {"deeper", 0.75}}));
  // Its code is known: it is this that calls through a pointer.
  code.functions.push_back(calling("qsort", {"*"}, 3)), code.functions.back().library = true;
  EXPECT_EQ(threaded_code(code).inside, (Parts{{"main.omp_outlined", 1}, {"qsort", 1}, {"compare", 1}, {"deeper", 1}}));
  // The stub through which the traced program called it is no other caller, nor is a library that calls it when it starts.
  code.functions.push_back(calling("qsort@plt", {"qsort"}, 8)), code.functions.back().library = true;
  code.functions.push_back(calling("read_settings", {"qsort@plt"}, 5)), code.functions.back().library = true, code.functions.back().library_name = "libomp.so.5";
  EXPECT_EQ(threaded_code(code).inside, (Parts{{"main.omp_outlined", 1}, {"qsort", 1}, {"compare", 1}, {"deeper", 1}}));
  code.functions = {calling("main", {"*"}, 1), calling("main.omp_outlined", {"*"}, 4), calling("virtual", {}, 5)};
  EXPECT_EQ(threaded_code(code).inside, (Parts{{"main.omp_outlined", 1}, {"virtual", 0.8}}));
}

TEST(ThreadedCode, CallsFromInsideAndOutsideShareAFunction) {
  Graph code;
  code.functions = {calling("main", {"helper", "ends"}, 1), calling("main.omp_outlined", {"helper"}, 3), calling("helper", {"deeper"}, 4), calling("deeper", {}, 4),
                    calling("ends", {}, 1), calling("never", {"deeper"}, 0)};
  EXPECT_EQ(threaded_code(code).inside, (Parts{{"main.omp_outlined", 1}, {"helper", 0.75}, {"deeper", 0.75}}));
  // Two that call each other a million times, begun once inside and three times outside.
  code.functions = {calling("even", {"odd"}, 1e6), calling("odd", {"even"}, 1e6), calling("main", {"even"}, 3), calling("main.omp_outlined", {"even"}, 1)};
  auto parts = threaded_code(code).inside;
  EXPECT_NEAR(parts.at("even"), 0.25, 1e-6);
  EXPECT_NEAR(parts.at("odd"), 0.25, 1e-6);
}

TEST(CallTree, AFunctionWithWhatItCalls) {
  Graph code;
  code.functions = {calling("main", {"solve", "inner"}, 4), calling("solve", {"inner", "inner", "inner"}, 4), calling("inner", {}, 16)};
  code.functions[1].calls.value = 4;
  auto tree = call_tree(code, "solve");
  EXPECT_EQ(tree.parts, (Parts{{"solve", 1}, {"inner", 0.75}}));
  EXPECT_EQ(tree.begun, 4);
  // Begun twice, the other calls are its own, also through another.
  code.functions = {calling("main", {"search"}, 2), calling("search", {"search", "next"}, 7), calling("next", {"search"}, 1)};
  code.functions[1].calls.value = 10;
  EXPECT_EQ(call_tree(code, "search").begun, 2);
}

TEST(ThreadedCode, NestedRegionsAndTasksAndRecursion) {
  Graph code;
  code.functions = {calling("main", {}), calling("main.omp_outlined.3", {"fib"}), calling("main.omp_outlined.3.omp_outlined", {}), calling("fib", {"fib", "other"}),
                    calling("other", {"fib"}), calling(".omp_task_entry..7", {"fib"}), calling("main.omp_outlined.omp.reduction.reduction_func", {})};
  auto threaded = threaded_code(code);
  EXPECT_EQ(threaded.regions, (Names{"main.omp_outlined.3", "main.omp_outlined.3.omp_outlined"}));
  EXPECT_EQ(threaded.inside.size(), 6u);
  EXPECT_EQ(threaded.inside.at("fib"), 1);
  EXPECT_FALSE(threaded.inside.contains("main"));
}

TEST(ThreadedCode, OtherCompilers) {
  Graph code;
  code.functions = {calling("main", {}), calling("main._omp_fn.0", {}), calling("_QQmain..omp_par.1", {})};
  EXPECT_EQ(threaded_code(code).regions, (Names{"_QQmain..omp_par.1", "main._omp_fn.0"}));
  code.functions = {calling("main", {"f"}), calling("f", {})};
  EXPECT_TRUE(threaded_code(code).inside.empty());
}

}  // namespace
}  // namespace perfcast

#include "record/threaded_code.h"

#include <gtest/gtest.h>

namespace perfcast {
namespace {

Function calling(const std::string& name, const std::vector<std::string>& callees) {
  Function f;
  f.name = name;
  Block block;
  for (const auto& callee : callees) block.calls.push_back({callee, {}});
  f.blocks.push_back(block);
  return f;
}

using Names = std::set<std::string>;

TEST(ThreadedCode, RegionsAndWhatOnlyTheyCall) {
  Graph code;
  code.functions = {calling("main", {"setup"}), calling("setup", {"both"}), calling("main.omp_outlined", {"work", "both"}), calling("work", {}), calling("both", {})};
  auto threaded = threaded_code(code);
  EXPECT_EQ(threaded.regions, Names{"main.omp_outlined"});
  EXPECT_EQ(threaded.functions, (Names{"main.omp_outlined", "work"}));
}

TEST(ThreadedCode, NestedRegionsAndTasksAndRecursion) {
  Graph code;
  code.functions = {calling("main", {}), calling("main.omp_outlined.3", {"fib"}), calling("main.omp_outlined.3.omp_outlined", {}), calling("fib", {"fib", "other"}),
                    calling("other", {"fib"}), calling(".omp_task_entry..7", {"fib"}), calling("main.omp_outlined.omp.reduction.reduction_func", {})};
  auto threaded = threaded_code(code);
  EXPECT_EQ(threaded.regions, (Names{"main.omp_outlined.3", "main.omp_outlined.3.omp_outlined"}));
  EXPECT_EQ(threaded.functions.size(), 6u);
  EXPECT_FALSE(threaded.functions.contains("main"));
}

TEST(ThreadedCode, OtherCompilers) {
  Graph code;
  code.functions = {calling("main", {}), calling("main._omp_fn.0", {}), calling("_QQmain..omp_par.1", {})};
  EXPECT_EQ(threaded_code(code).regions, (Names{"_QQmain..omp_par.1", "main._omp_fn.0"}));
  code.functions = {calling("main", {"f"}), calling("f", {})};
  EXPECT_TRUE(threaded_code(code).functions.empty());
}

}  // namespace
}  // namespace perfcast

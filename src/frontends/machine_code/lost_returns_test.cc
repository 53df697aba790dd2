#include "frontends/machine_code/lost_returns.h"

#include <gtest/gtest.h>

namespace perfcast::machine_code {
namespace {

TEST(LostReturns, GoToTheBlocksThatReturn) {
  std::vector<InstructionForm> forms(2);
  forms[1].opcode = "RET64", forms[1].ret = true;
  Instruction other, ret;
  other.form = 0, ret.form = 1;
  Function function;
  function.name = "f";
  for (double count : {100.0, 75.0, 25.0}) function.blocks.emplace_back().count.value = count;
  function.blocks[0].code = {other}, function.blocks[1].code = {other, ret}, function.blocks[2].code = {ret};
  function.blocks[2].mispredicted = 1;
  Graph graph{{function}};
  llvm_ir::FunctionCounts counts;
  counts.name = counts.unique = "f";
  counts.heights = {{8, 50}, {return_stack_entries - 1, 10}, {return_stack_entries, 5}, {64, 15}};
  add_lost_returns({{{counts}}}, forms, graph);
  EXPECT_FALSE(graph.functions[0].blocks[0].mispredicted);
  EXPECT_DOUBLE_EQ(graph.functions[0].blocks[1].mispredicted->large, 15);  // of 20, as they are executed
  EXPECT_DOUBLE_EQ(graph.functions[0].blocks[2].mispredicted->large, 6);
}

}  // namespace
}  // namespace perfcast::machine_code

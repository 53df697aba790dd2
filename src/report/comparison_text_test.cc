#include "report/comparison_text.h"

#include <gtest/gtest.h>

namespace perfcast::report {

TEST(ComparisonText, RowsLimitTheNumbersShown) {
  Comparison comparison;
  comparison.machines = {"a", "b"}, comparison.reference = "a";
  for (const char* name : {"first", "second", "third"}) {
    ComparedQuantity quantity{"core", name, {}, {}};
    quantity.relative["a"] = 1, quantity.relative["b"] = 2;
    comparison.quantities.push_back(quantity);
  }
  const std::string all = comparison_text(comparison), one = comparison_text(comparison, {.quantities = 1});
  EXPECT_NE(all.find("third"), all.npos);
  EXPECT_NE(one.find("first"), one.npos);
  EXPECT_EQ(one.find("second"), one.npos);
  EXPECT_NE(one.find("and 2 more (--rows 0)"), one.npos);
}

TEST(ComparisonText, AProgramOfWhichOnlyTheTimeIsKnownIsShown) {
  Comparison comparison;
  comparison.machines = {"a"}, comparison.reference = "a";
  ComparedProgram program;
  program.program = "stencil", program.seconds["a"] = 2, program.mostly["a"] = "memory";
  comparison.programs = {program};
  EXPECT_NE(comparison_text(comparison).find("stencil"), std::string::npos);
}

}  // namespace perfcast::report

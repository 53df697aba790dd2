#include "frontends/machine_code/scale_to_calls.h"

#include <gtest/gtest.h>

namespace perfcast::machine_code {
namespace {

Function function(const std::string& name, double calls, std::vector<Call> callees = {}) {
  Function f;
  f.name = name, f.calls.value = calls, f.library = true, f.library_name = "libc.so.6";
  f.blocks.resize(1);
  f.blocks[0].count.value = calls, f.blocks[0].calls = std::move(callees), f.blocks[0].mispredicted = calls / 10;
  return f;
}

}  // namespace

TEST(ScaleToCalls, EachRoutineGrowsByItsOwnCallsAndWhatItCallsWithIt) {
  Graph library{{function("print@plt", 10, {{"print", 1}}), function("print", 10, {{"copy", 2}}), function("copy@plt", 5, {{"copy", 1}}),
                 function("copy", 26), function("nobody_named", 4)}};
  scale_to_calls(library, {{"print", 100}, {"copy", 5}, {"never_seen", 7}});
  auto calls = [&](int f) { return library.functions[static_cast<std::size_t>(f)].calls.value; };
  EXPECT_DOUBLE_EQ(calls(0), 100);
  EXPECT_DOUBLE_EQ(calls(1), 100);
  EXPECT_DOUBLE_EQ(calls(2), 5);
  EXPECT_DOUBLE_EQ(calls(3), 205 + 105.0 / 15);  // one call was not seen to come from anywhere
  EXPECT_DOUBLE_EQ(calls(4), 4 * 105.0 / 15);
  EXPECT_DOUBLE_EQ(library.functions[3].blocks[0].mispredicted->large, 0.1 * (205 + 105.0 / 15));
}

TEST(ScaleToCalls, TheDynamicLinkerStays) {
  Function loader = function("_dl_start", 1);
  loader.library_name = "ld-linux-x86-64.so.2";
  Graph library{{loader, function("exp@plt", 10)}};
  scale_to_calls(library, {{"exp", 1000}});
  EXPECT_DOUBLE_EQ(library.functions[0].calls.value, 1);
  EXPECT_DOUBLE_EQ(library.functions[1].calls.value, 1000);
}

}  // namespace perfcast::machine_code

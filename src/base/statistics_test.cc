#include "base/statistics.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace perfcast {

TEST(Statistics, SmallSamples) {
  std::vector<double> v{4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(mean(v), 2.5);
  EXPECT_DOUBLE_EQ(median(v), 2.5);
  EXPECT_DOUBLE_EQ(quantile(v, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(v, 1), 4);
  EXPECT_NEAR(standard_deviation(v), 1.2909944487, 1e-9);
}

TEST(Statistics, StudentMatchesTheTables) {
  EXPECT_NEAR(student_t(0.9, 9), 1.8331, 1e-4);
  EXPECT_NEAR(student_t(0.95, 54), 2.0049, 1e-4);
  auto interval = student_interval(10, 2, 4, 0.9);
  EXPECT_NEAR(interval.high - 10, 2.3534, 1e-3);
}

TEST(Statistics, KendallTau) {
  std::vector<double> a{1, 2, 3, 4}, up{10, 20, 30, 40}, down{4, 3, 2, 1}, one_swap{1, 3, 2, 4};
  EXPECT_DOUBLE_EQ(kendall_tau(a, up), 1);
  EXPECT_DOUBLE_EQ(kendall_tau(a, down), -1);
  EXPECT_NEAR(kendall_tau(a, one_swap), 4.0 / 6, 1e-12);
}

TEST(Text, NumbersAsPeopleReadThem) {
  EXPECT_EQ(time_text(0.00123), "1.23 ms");
  EXPECT_EQ(time_text(12.8), "12.8 s");
  EXPECT_EQ(size_text(65536), "64 KiB");
  EXPECT_EQ(percent_text(-0.123, true), "-12.3 %");
}

TEST(Text, TableAlignsNumbersRight) {
  Table table({"name", "n"});
  table.add({"a", "5"}), table.add({"long", "123"});
  EXPECT_EQ(table.text(), "name    n\n─────────\na       5\nlong  123\n");
  EXPECT_EQ(table.csv(), "name,n\na,5\nlong,123\n");
}

TEST(Text, WordsAreSplitAsAShellWould) {
  EXPECT_EQ(split_words("-O2 -DA='x y' \"b\\\"c\" d\\ e"), (std::vector<std::string>{"-O2", "-DA=x y", "b\"c", "d e"}));
  EXPECT_TRUE(split_words("  ").empty());
}

}  // namespace perfcast

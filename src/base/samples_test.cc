#include "base/samples.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"

namespace perfcast {
namespace {

std::string words(const std::vector<std::uint64_t>& values) { return {reinterpret_cast<const char*>(values.data()), 8 * values.size()}; }
constexpr std::uint64_t magic = 0x31504d4153434650u;

Result<Samples> taken_from(const std::string& bytes) {
  auto folder = TemporaryFolder::make("samples-test");
  EXPECT_TRUE(write_file(folder->file("samples"), bytes));
  auto samples = take_samples(folder->file("samples"));
  EXPECT_FALSE(std::filesystem::exists(folder->file("samples")));
  return samples;
}

TEST(Samples, PlacesAreThoseOfTheExecutablesFile) {
  auto samples = taken_from(words({magic, 100, 2, 0x1000, 5'000'000, 0, 0, 0, 0x1010, 0x1020}));
  ASSERT_TRUE(samples) << samples.error().message();
  EXPECT_EQ(samples->places, (std::vector<std::uint64_t>{0x10, 0x20}));
  EXPECT_DOUBLE_EQ(samples->cpu_before.value, 0.005);
}

// A program may be killed at any moment, or write into the file.
TEST(Samples, AFileThatSaysMoreThanItHolds) {
  auto samples = taken_from(words({magic, 100, 1'000'000, 0, 0, 0, 0, 0, 7}));
  ASSERT_TRUE(samples) << samples.error().message();
  EXPECT_EQ(samples->places, (std::vector<std::uint64_t>{7}));
}

TEST(Samples, WhatIsNotTheSamplers) {
  EXPECT_FALSE(taken_from(""));
  EXPECT_FALSE(taken_from(words({1, 2, 3, 4, 5, 6, 7, 8, 9})));
  EXPECT_FALSE(take_samples("/nowhere/samples"));
}

}  // namespace
}  // namespace perfcast

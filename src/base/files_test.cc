#include "base/files.h"

#include <gtest/gtest.h>

#include "base/bounded_read.h"

namespace perfcast {

TEST(Files, WriteThenReadIsIdentity) {
  auto folder = TemporaryFolder::make("test");
  ASSERT_TRUE(folder);
  std::string path = folder->file("a.txt");
  ASSERT_TRUE(write_file(path, "one\ntwo"));
  EXPECT_EQ(*read_file(path), "one\ntwo");
  ASSERT_TRUE(write_file(path, "three"));
  EXPECT_EQ(*read_file(path), "three");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder->path()), {}), 1);
}

TEST(Files, MissingFileNamesItself) {
  auto result = read_file("/nowhere/at/all");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().where, "/nowhere/at/all");
  EXPECT_EQ(result.error().kind, Trouble::unfit);
}

TEST(Files, FolderIsRefused) { EXPECT_FALSE(read_file("/tmp")); }

TEST(Files, WhatIsTooLargeIsRefused) {
  auto folder = TemporaryFolder::make("test");
  ASSERT_TRUE(folder);
  ASSERT_TRUE(write_file(folder->file("a"), std::string(2 << 20, 'x')));
  EXPECT_TRUE(read_file_up_to(folder->file("a"), 2 << 20));
  auto refused = read_file_up_to(folder->file("a"), 1 << 20);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("larger than 1 MiB"), std::string::npos);
  EXPECT_FALSE(read_file_up_to("/dev/zero", 1 << 20));  // has no size and never ends
}

TEST(Files, UnwritableFolderLeavesNothing) { EXPECT_FALSE(write_file("/proc/x/y", "text")); }

TEST(Files, WhereNothingCanBeWrittenIsToldBeforehand) {
  auto folder = TemporaryFolder::make("test");
  EXPECT_TRUE(can_write("-"));
  EXPECT_TRUE(can_write(folder->file("new")));
  EXPECT_TRUE(can_write("new"));
  EXPECT_TRUE(can_write("/dev/null"));
  EXPECT_FALSE(can_write(folder->path().string()));
  auto nowhere = can_write(folder->file("no/such/folder"));
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.error().message().find("check that the folder exists"), std::string::npos);
}

TEST(Files, TemporaryFolderGoesAway) {
  std::filesystem::path path;
  {
    auto folder = TemporaryFolder::make("test");
    path = folder->path();
    EXPECT_TRUE(std::filesystem::is_directory(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace perfcast

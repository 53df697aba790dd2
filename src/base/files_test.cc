#include "base/files.h"

#include <gtest/gtest.h>

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

TEST(Files, UnwritableFolderLeavesNothing) { EXPECT_FALSE(write_file("/proc/x/y", "text")); }

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

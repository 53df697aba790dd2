// The entries on all files of their kind in data/ and tests/, and on every finding that was mended (regressions/ENTRY/*).
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "base/text.h"
#include "fuzz/entries.h"

namespace perfcast::fuzz {
namespace fs = std::filesystem;
namespace {

const fs::path source = PERFCAST_SOURCE_DIR;
constexpr std::uintmax_t largest = 60'000;  // bytes: all together take a few seconds

bool ends_with_one_of(const std::string& name, const std::string& endings) {
  for (const auto& ending : split_words(endings))
    if (name.ends_with(ending)) return true;
  return false;
}

std::vector<fs::path> files_for(const Entry& entry) {
  std::vector<fs::path> files;
  for (const char* folder : {"data", "tests/golden"})
    for (const auto& file : fs::recursive_directory_iterator(source / folder))
      if (file.is_regular_file() && file.file_size() <= largest && ends_with_one_of(file.path().filename().string(), entry.seeds)) files.push_back(file.path());
  std::error_code none;
  for (const char* folder : {"fuzz/seeds", "fuzz/regressions"})
    for (const auto& file : fs::directory_iterator(source / folder / entry.name, none)) files.push_back(file.path());
  return files;
}

class Replay : public testing::TestWithParam<Entry> {};

TEST_P(Replay, NoFileIsTooMuch) {
  for (const auto& file : files_for(GetParam())) {
    SCOPED_TRACE(file.string());
    auto text = read_file(file.string());
    ASSERT_TRUE(text);
    EXPECT_NO_THROW(GetParam().run(*text));
  }
}

// Half of a file, and the file with one byte turned, at a few places: refused or taken, never worse.
TEST_P(Replay, BrokenFiles) {
  auto files = files_for(GetParam());
  if (files.size() > 3) files.resize(3);
  for (const auto& file : files) {
    SCOPED_TRACE(file.string());
    std::string text = *read_file(file.string());
    for (int k = 1; k < 8; k++) {
      std::string broken = text.substr(0, text.size() * static_cast<std::size_t>(k) / 8);
      EXPECT_NO_THROW(GetParam().run(broken));
      broken = text;
      broken[text.size() * static_cast<std::size_t>(k) / 9] ^= static_cast<char>(1 << (k % 8));
      EXPECT_NO_THROW(GetParam().run(broken));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Replay, testing::ValuesIn(entries().begin(), entries().end()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace perfcast::fuzz

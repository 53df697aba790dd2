#include "base/text.h"

#include "base/fold.h"

#include <gtest/gtest.h>

namespace perfcast {
namespace {

std::size_t widest(const std::string& text) {
  std::size_t width = 0;
  for (const auto& line : split(text, '\n')) width = std::max(width, columns_of(line));
  return width;
}
std::string words(int count) {
  std::string text;
  for (int i = 0; i < count; i++) text += (i ? " " : "") + std::string("word") + std::to_string(i);
  return text;
}

}  // namespace

TEST(Table, NumbersToTheRightWordsToTheLeft) {
  Table table({"name", "value"});
  table.add({"a", "1"}), table.add({"bb", "12.5"});
  EXPECT_EQ(table.text(), "name  value\n───────────\na         1\nbb     12.5\n");
}

TEST(Table, LongWordsAreBrokenAndNothingIsLost) {
  Table table({"name", "value", "note"});
  table.add({"a", "1", words(40)}), table.add({"b", "2", "short"});
  const std::string text = table.text();
  EXPECT_LE(widest(text), text_columns);
  for (int i = 0; i < 40; i++) EXPECT_NE(text.find("word" + std::to_string(i)), std::string::npos);
}

TEST(Table, ManyColumnsComeInPieces) {
  std::vector<std::string> head = {"quantity"}, row = {"cost"};
  for (int i = 0; i < 12; i++) head.push_back("machine-number-" + std::to_string(i)), row.push_back(std::to_string(i) + ".5");
  Table table(head);
  table.add(row);
  const std::string text = table.text();
  EXPECT_LE(widest(text), text_columns);
  EXPECT_NE(text.find("11.5"), std::string::npos);
}

TEST(Table, AWordLongerThanItsColumnIsCut) {
  Table table({"name", "file"});
  table.add({"a", std::string(150, 'x')});
  EXPECT_LE(widest(table.text()), text_columns);
}

TEST(LastLines, TheEndOfWhatWasSaidInPlainCharacters) {
  EXPECT_EQ(last_lines(""), "");
  EXPECT_EQ(last_lines(" \n\n"), "");
  EXPECT_EQ(last_lines("one"), "one");
  EXPECT_EQ(last_lines("one\ntwo\nthree\nfour\n\n", 2), "three\nfour");
  EXPECT_EQ(last_lines("one\ntwo", 5), "one\ntwo");
  EXPECT_EQ(last_lines("a\xc3" "b\tc"), "a?b?c");
  EXPECT_EQ(last_lines(std::string(1000, 'x')).size(), 400u);
}

TEST(Folded, KeepsShortLinesAndIndents) {
  EXPECT_EQ(folded("a b\n\nc", 10), "a b\n\nc");
  EXPECT_EQ(folded("  one two three four", 12), "  one two\n    three\n    four");
  EXPECT_LE(widest(folded("  " + words(60))), text_columns);
}

}  // namespace perfcast

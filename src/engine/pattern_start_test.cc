#include "engine/pattern_start.h"

#include <gtest/gtest.h>

#include <regex>

namespace perfcast::engine {
namespace {

using Starts = std::vector<std::string>;

TEST(PatternStart, IsReadOffTheExpression) {
  EXPECT_EQ(starts_of("^ADD64rr$"), Starts{"ADD64rr"});
  EXPECT_EQ(starts_of("^(ADD|SUB)64"), (Starts{"ADD", "SUB"}));
  EXPECT_EQ(starts_of("^((ADD|SUB)64(rr|ri)|INC)$"), (Starts{"ADD", "SUB", "INC"}));
  EXPECT_EQ(starts_of("^VP?GATHER"), Starts{"V"});
  EXPECT_EQ(starts_of("^BT[CRS]16"), Starts{"BT"});
  EXPECT_EQ(starts_of("^lea\\w* "), Starts{"lea"});
  EXPECT_EQ(starts_of("^A+B"), Starts{"A"});
}

TEST(PatternStart, InDoubtAnything) {
  for (const char* pattern : {"", "ADD", "\\(%rip\\)", "^(ADD)?SUB", "^A?", "^A*B", "^A{0}B", "^.ADD", "^(?:ADD)", "^(ADD", "^A[]|]B"})
    EXPECT_EQ(starts_of(pattern), Starts{""}) << pattern;
  EXPECT_EQ(starts_of("^ADD|SUB"), (Starts{"ADD", ""}));
  EXPECT_TRUE(starts_with_any("anything", starts_of("^ADD|SUB")));
}

// The law that makes it safe: what the expression finds, the start lets through.
TEST(PatternStart, LetsThroughAllThatFits) {
  const Starts patterns = {"^ADD64rr$", "^(ADD|SUB)(8|16)?r", "^((AND|OR)[rm]|XOR)$", "^VP?ADD[BWD]", "^([A-C]|D)x", "^(A(B|C)+|D\\))e", "B$", "^A|^B", "^(A|)B", "^A[|)]B|C"};
  const Starts texts = {"ADD64rr", "ADD8r", "SUBr", "ANDr", "ORm", "XOR", "VADDB", "VPADDD", "Bx", "Dx", "ABCe", "D)e", "AB", "A", "B", "A|B", "A)B", "C", ""};
  for (const auto& pattern : patterns)
    for (const auto& text : texts)
      if (std::regex_search(text, std::regex(pattern))) EXPECT_TRUE(starts_with_any(text, starts_of(pattern))) << pattern << " " << text;
}

}  // namespace
}  // namespace perfcast::engine

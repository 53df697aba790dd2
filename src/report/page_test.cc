#include "report/page.h"

#include <gtest/gtest.h>

#include "base/files.h"

namespace perfcast::report {
namespace {

TEST(SourceTextTest, SmallFilesAreWholeAndLargeOnesAroundWhatMatters) {
  auto folder = std::move(*TemporaryFolder::make("test"));
  ASSERT_TRUE(write_file(folder.file("small.c"), "one\ntwo\n"));
  auto small = source_text("small.c", folder.path().string(), {1});
  ASSERT_EQ(small.size(), 1u);
  EXPECT_EQ(small[0].text, "one\ntwo\n");
  std::string large;
  for (int i = 1; i <= 20000; i++) large += "line " + std::to_string(i) + "\n";
  ASSERT_TRUE(write_file(folder.file("large.c"), large));
  auto pieces = source_text("large.c", folder.path().string(), {5, 20, 9000});
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[0].first_line, 1);
  EXPECT_TRUE(pieces[0].text.ends_with("line 32"));
  EXPECT_EQ(pieces[1].first_line, 8988);
  EXPECT_TRUE(source_text("none.c", folder.path().string(), {1}).empty());
}

TEST(ProfileDigestTest, LoopsByTheirShareOfTheWork) {
  Function function;
  function.name = "f";
  Block outer, inner;
  outer.count.value = 10, outer.usage = {{"add", 2}, {"phi", 5}, {"flops", 7}}, outer.loop = 0;
  inner.count.value = 100, inner.usage = {{"add", 1}}, inner.loop = 1;
  function.blocks = {outer, inner};
  function.loops.resize(2);
  function.loops[1].at = {"f.c", 7, 0};
  Profile profile;
  profile.ir = Graph{{function}};
  auto digest = digest_profile(profile);
  ASSERT_EQ(digest.loops.size(), 2u);
  EXPECT_EQ(digest.loops[0].line, 7);
  EXPECT_NEAR(digest.loops[0].share, 100.0 / 120, 1e-12);
  EXPECT_EQ(digest.levels[0].work, 120);
}

// What a record says must not end the script element it stands in.
TEST(PageTest, RecordsCannotBreakOutOfTheirElement) {
  PageData page;
  page.title = "</script><script>alert(1)</script> &amp;";
  auto html = page_html(page);
  if (!html) GTEST_SKIP() << html.error().what;
  EXPECT_EQ(html->find("</script><script>alert"), std::string::npos);
  EXPECT_NE(html->find("\\u003c/script>"), std::string::npos);
  EXPECT_EQ(html->find("@PERFCAST_DATA@"), std::string::npos);
}

}  // namespace
}  // namespace perfcast::report

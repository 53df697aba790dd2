#include "methods/parallel/templates.h"

#include <gtest/gtest.h>

#include "engine/messages/message_time.h"
#include "engine/messages/replay.h"

namespace perfcast::parallel {
namespace {

// 1 us + 1 ns/B, nothing waits for a receiver.
MessagePath path() {
  MessagePath p;
  p.name = "round", p.regimes = {{"all", 0, 1000, 1}};
  p.rendezvous_bytes = 1e12;
  return p;
}

// Numbers of ranks that a template is not for are refused, also by its closed form; a single rank is always one.
TEST(Templates, RanksThatDoNotFit) {
  MessagePath path;
  path.name = "link", path.regimes = {{"all", 0, 1000, 1}};
  for (const auto& [name, ranks] : std::vector<std::pair<std::string, double>>{{"butterfly", 6}, {"halo-blocks", 5}, {"row-column", 8}}) {
    auto t = find_template(name);
    ASSERT_TRUE(t) << t.error().message();
    const TemplateUse use{{{"N", 100}, {"P", ranks}}, 1};
    EXPECT_FALSE(template_time(*t, use, path));
    auto skeleton = template_skeleton(*t, use);
    ASSERT_FALSE(skeleton);
    EXPECT_NE(skeleton.error().what.find("whole"), std::string::npos);
  }
  for (const char* name : {"butterfly", "halo-blocks", "row-column", "farm", "pipeline", "halo"}) {
    auto t = find_template(name);
    ASSERT_TRUE(t);
    auto alone = template_skeleton(*t, {{{"N", 100}, {"P", 1}}, 0.5});
    ASSERT_TRUE(alone) << alone.error().message();
    auto played = engine::replay(*alone, path);
    ASSERT_TRUE(played);
    EXPECT_DOUBLE_EQ(played->seconds, 0.5);
  }
}

TEST(Templates, SettingsThatNoParameterHas) {
  auto t = find_template("halo");
  ASSERT_TRUE(t);
  EXPECT_EQ(unknown_setting(*t, {{"N", 1}, {"M", 2}}), "M");
  EXPECT_FALSE(unknown_setting(*t, {{"N", 1}, {"P", 2}}));
}

TEST(Templates, TheBundledOnesAreReadable) {
  auto all = list_templates();
  std::vector<std::string> names;
  for (const auto& t : all) {
    names.push_back(t.name);
    EXPECT_FALSE(t.summary.starts_with("unreadable")) << t.summary;
    EXPECT_FALSE(t.summary.empty()) << t.name;
  }
  for (const char* wanted : {"all-to-all", "butterfly", "farm", "halo", "multiphase", "pipeline", "reduction", "row-column"})
    EXPECT_NE(std::find(names.begin(), names.end(), wanted), names.end()) << wanted;
}

TEST(Templates, HaloByHand) {
  auto t = find_template("halo");
  ASSERT_TRUE(t) << t.error().message();
  auto time = template_time(*t, {{{"N", 1000}, {"P", 4}, {"steps", 10}}, 1.0}, path());
  ASSERT_TRUE(time) << time.error().message();
  EXPECT_NEAR(time->computation, 0.25, 1e-12);
  EXPECT_NEAR(time->communication, 20 * 9e-6, 1e-12);
  auto one = template_time(*t, {{{"N", 1000}, {"P", 1}}, 1.0}, path());
  EXPECT_EQ(one->seconds, 1.0);
}

TEST(Templates, APipelineFillsFirst) {
  auto t = find_template("pipeline");
  ASSERT_TRUE(t) << t.error().message();
  auto time = template_time(*t, {{{"N", 0}, {"P", 4}, {"blocks", 8}}, 1.0}, path());
  ASSERT_TRUE(time) << time.error().message();
  EXPECT_NEAR(time->computation + time->waiting, 0.25 + 3.0 / 32 + 2e-6, 1e-9);
}

// The closed forms and the programs say the same, on every number of ranks.
TEST(Templates, ClosedFormsAgreeWithTheReplay) {
  struct Case {
    const char* name;
    std::vector<double> ranks;
    double within;
  };
  for (const Case& c : {Case{"halo", {2, 4, 16, 64}, 0.02}, Case{"halo-blocks", {4, 16, 64}, 0.02}, Case{"multiphase", {2, 8, 64}, 0.01},
                        Case{"butterfly", {2, 8, 64}, 0.02}, Case{"row-column", {4, 16, 64}, 0.05}, Case{"pipeline", {2, 4, 16}, 0.05},
                        Case{"farm", {2, 5, 17}, 0.1}, Case{"reduction", {2, 8, 64}, 0.02}, Case{"all-to-all", {2, 8, 64}, 0.01}}) {
    auto t = find_template(c.name);
    ASSERT_TRUE(t) << t.error().message();
    for (double ranks : c.ranks) {
      TemplateUse use{{{"N", 1000}, {"P", ranks}}, 0.01};
      auto closed = template_time(*t, use, path());
      ASSERT_TRUE(closed) << c.name << ": " << closed.error().message();
      auto skeleton = template_skeleton(*t, use);
      ASSERT_TRUE(skeleton) << c.name << ": " << skeleton.error().message();
      auto played = engine::replay(*skeleton, path());
      ASSERT_TRUE(played) << c.name << ": " << played.error().message();
      EXPECT_NEAR(closed->seconds / played->seconds, 1, c.within) << c.name << " on " << ranks;
    }
  }
}

TEST(Templates, ASlowMasterIsTheBottleneck) {
  auto t = find_template("farm");
  ASSERT_TRUE(t);
  auto time = template_time(*t, {{{"P", 1000}, {"tasks", 10000}}, 0.001}, path());
  ASSERT_TRUE(time);
  EXPECT_TRUE(time->bottleneck);
}

TEST(Templates, FormulasAreReadable) {
  auto t = find_template("halo");
  ASSERT_TRUE(t);
  const std::string text = template_formula(*t);
  EXPECT_NE(text.find("*W"), std::string::npos);
  EXPECT_NE(text.find("message("), std::string::npos);
}

TEST(Templates, MistakesAreNamed) {
  auto error_of = [](const std::string& text) {
    auto t = parse_template(text, "f");
    return t ? std::string("none") : t.error().message();
  };
  EXPECT_NE(error_of("template t\nparameter P\n").find("computes"), std::string::npos);
  EXPECT_NE(error_of("template t\ncomputation 1\n").find("parameter P"), std::string::npos);
  EXPECT_NE(error_of("template t\nparameter P\ncomputation 1/P\ncommunication\n  shout 3\n").find("f:5"), std::string::npos);
  EXPECT_NE(error_of("template t\nparameter P\ncomputation 1/P\nskeleton\n  send bytes 3\n").find("names 1 ranks"), std::string::npos);
  auto t = find_template("halo");
  ASSERT_TRUE(t);
  auto time = template_time(*t, {{{"P", 4}}, 1}, path());
  ASSERT_FALSE(time);
  EXPECT_NE(time.error().message().find("needs N"), std::string::npos);
  EXPECT_FALSE(find_template("no-such"));
  // No message has fewer bytes than none, no rank less than no work.
  auto negative = template_time(*t, {{{"N", -1000}, {"P", 4}}, 1}, path());
  ASSERT_FALSE(negative);
  EXPECT_NE(negative.error().message().find("bytes"), std::string::npos);
  auto less = parse_template("template t\nparameter P\ncomputation 1 - P\n", "f");
  ASSERT_TRUE(less) << less.error().message();
  EXPECT_FALSE(template_time(*less, {{{"P", 4}}, 1}, path()));
}

}  // namespace
}  // namespace perfcast::parallel

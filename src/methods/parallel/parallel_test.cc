#include "methods/parallel/parallel.h"

#include <gtest/gtest.h>

#include <cmath>

namespace perfcast::parallel {
namespace {

Machine machine() {
  Machine m;
  m.name = "round";
  MessagePath path;
  path.name = "link", path.regimes = {{"all", 0, 1000, 1}}, path.rendezvous_bytes = 1e12;
  m.messages = to_json_value(MessageCosts{"none", {path}});
  ThreadCosts threads;
  threads.processors = 4;
  threads.fork_join_ns["1"].value = 100, threads.fork_join_ns["4"].value = 1000;
  threads.bandwidth_gb_per_s["1"].value = 10, threads.bandwidth_gb_per_s["4"].value = 20;
  m.threads = to_json_value(threads);
  return m;
}

Step exchange(double seconds, double bytes, int offset) {
  Step s;
  s.act = Act::exchange, s.seconds = seconds, s.bytes = bytes, s.to = s.from = {PeerKind::relative, offset};
  return s;
}

// Strips with halos, as the recorder would see them: the first and last rank have one neighbour.
Skeleton strips(int ranks, double n) {
  Skeleton s;
  s.ranks = ranks, s.counted_rank = 0;
  s.parameters["N"] = n;
  s.groups.emplace_back();
  for (int r = 0; r < ranks; r++) s.groups[0].push_back(r);
  Step loop;
  loop.act = Act::loop, loop.times = 10;
  const double seconds = 0.1 / ranks / 10;
  auto program = [&](std::vector<int> of, std::vector<Step> body) {
    Step all = loop;
    all.body = std::move(body);
    s.programs.push_back({std::move(of), {all}});
  };
  program({0}, {exchange(seconds, 8 * n, 1)});
  std::vector<int> middle;
  for (int r = 1; r + 1 < ranks; r++) middle.push_back(r);
  if (!middle.empty()) program(middle, {exchange(seconds, 8 * n, -1), exchange(0, 8 * n, 1)});
  program({ranks - 1}, {exchange(seconds, 8 * n, -1)});
  s.totals.assign(static_cast<std::size_t>(ranks), {0.1 / ranks, 0, 0.1, 10, 0, 0, 0, true});
  return s;
}

ModelPrediction icc(double seconds) {
  ModelPrediction p;
  p.model = Model::icc, p.seconds = seconds, p.interval = {0.9 * seconds, 1.1 * seconds}, p.parts = {{"core", seconds, {}, {}}};
  return p;
}

TEST(Parallel, ComputationIsWhatTheModelSays) {
  Profile profile;
  profile.messages = to_json_value(MessageProfile{{strips(3, 1000)}});
  auto p = on_ranks(icc(0.2 / 3), profile, machine(), {});  // twice as slow as recorded
  ASSERT_TRUE(p) << p.error().message();
  EXPECT_NEAR(p->parts[0].seconds, 0.2 / 3, 1e-9);
  EXPECT_NEAR(p->seconds, 0.2 / 3 + 20 * 9e-6, 1e-5);
  EXPECT_LT(p->interval[0], p->seconds);
  EXPECT_GT(p->interval[1], p->seconds);
}

// A rank that waits for another's computation is as uncertain as that, not as its own few steps or the messages.
TEST(Parallel, WaitingIsAsUncertainAsWhatItWaitsFor) {
  Skeleton s;
  s.ranks = 2, s.counted_rank = 1, s.groups = {{0, 1}};
  Step send, receive;
  send.act = Act::send, send.seconds = 0.1, send.bytes = 8, send.to = {PeerKind::relative, -1};
  receive.act = Act::receive, receive.seconds = 0.0001, receive.bytes = 8, receive.from = {PeerKind::relative, 1};
  s.programs = {{{0}, {receive}}, {{1}, {send}}};
  s.totals = {{0.0001, 0.1, 0.1, 1, 0, 0, 0, true}, {0.1, 0, 0.1, 1, 0, 0, 0, true}};
  Machine rough = machine();
  auto costs = part_of<MessageCosts>(rough.messages, "test");
  (*costs)->paths[0].error = 0.5;  // messages known badly
  rough.messages = to_json_value(**costs);
  Profile profile;
  profile.messages = to_json_value(MessageProfile{{s}});
  auto p = on_ranks(icc(0.1), profile, rough, {});
  ASSERT_TRUE(p) << p.error().message();
  EXPECT_NEAR(p->seconds, 0.1, 0.001);
  EXPECT_NEAR(p->interval[0], 0.09, 0.001);
  EXPECT_NEAR(p->interval[1], 0.11, 0.001);
}

TEST(Parallel, SkeletonsAreContinuedToMoreRanks) {
  MessageProfile recorded{{strips(3, 1000), strips(4, 1000)}};
  std::vector<std::string> remarks;
  auto s = skeleton_for(recorded, 16, {}, remarks);
  ASSERT_TRUE(s) << s.error().message();
  EXPECT_EQ(s->ranks, 16);
  ASSERT_EQ(s->programs.size(), 3u);
  EXPECT_EQ(s->programs[1].ranks.size(), 14u);
  EXPECT_EQ(s->programs[1].steps[0].body[0].bytes, 8000);
  EXPECT_NEAR(s->programs[1].steps[0].body[0].seconds, 0.1 / 16 / 10, 1e-9);
  EXPECT_TRUE(remarks.empty());
  auto single = skeleton_for(recorded, 1, {}, remarks);
  ASSERT_TRUE(single) << single.error().message();
  EXPECT_EQ(single->programs[0].steps[0].body[0].act, Act::compute);
  // To other sizes only where sizes were varied.
  EXPECT_FALSE(skeleton_for(recorded, 4, {{"N", 2000}}, remarks));
  recorded.runs.push_back(strips(4, 3000));
  auto larger = skeleton_for(recorded, 4, {{"N", 2000}}, remarks);
  ASSERT_TRUE(larger) << larger.error().message();
  EXPECT_EQ(larger->programs[1].steps[0].body[0].bytes, 16000);
}

TEST(Parallel, TwoDifferentRanksSayNothingOfAThird) {
  std::vector<std::string> remarks;
  auto s = skeleton_for(MessageProfile{{strips(2, 1000)}}, 8, {}, remarks);
  ASSERT_FALSE(s);
  EXPECT_NE(s.error().message().find("--ranks 2,3,4"), std::string::npos);
}

TEST(Parallel, FormsThroughPoints) {
  using Points = std::vector<std::map<std::string, double>>;
  Points points = {{{"N", 10}, {"P", 2}}, {{"N", 20}, {"P", 2}}, {{"N", 20}, {"P", 4}}};
  auto form = exact_form(points, {100.0 / 2, 400.0 / 2, 400.0 / 4}, {{"N", 100}, {"P", 8}});
  ASSERT_TRUE(form);
  EXPECT_NEAR(form->value, 1250, 1e-9);
  EXPECT_EQ(form->expression, "N^2/P");
  auto two = exact_form(points, {10 + 3, 20 + 3, 20 + 3}, {{"N", 100}, {"P", 8}});
  ASSERT_TRUE(two);
  EXPECT_NEAR(two->value, 103, 1e-9);
  EXPECT_FALSE(exact_form(points, {1, 5, 17}, {{"N", 100}, {"P", 8}}));
}

TEST(Parallel, TemplatesCarryAnyProgram) {
  ParallelOptions options;
  options.pattern = "halo", options.ranks = 4, options.set = {{"N", 1000}};
  auto p = by_template(icc(1), machine(), options);
  ASSERT_TRUE(p) << p.error().message();
  EXPECT_NEAR(p->seconds, 0.25 + 2 * 9e-6, 1e-9);
  options.network = "hypercube";
  EXPECT_TRUE(by_template(icc(1), machine(), options));
}

TEST(Parallel, ThreadsByHand) {
  Profile profile;
  ThreadProfile threads;
  threads.threads = 2, threads.serial = 1;
  ThreadRegion region;
  region.function = "f", region.entries = 1000, region.seconds = {4, 5};
  threads.regions = {region};
  profile.parallel = to_json_value(threads);
  ParallelOptions options;
  options.threads = 4;
  auto p = on_threads(icc(10), profile, machine(), options);
  ASSERT_TRUE(p) << p.error().message();
  // 1 s serial, 9 s over 4 threads, the busiest 5/4.5 of the mean, 1000 times 1 us.
  EXPECT_NEAR(p->seconds, 1 + 9.0 / 4 * 5 / 4.5 + 1e-3, 1e-9);
  options.threads = 8;
  auto crowded = on_threads(icc(10), profile, machine(), options);
  ASSERT_TRUE(crowded);
  EXPECT_GT(crowded->seconds, p->seconds);
}

TEST(Parallel, MissingPartsAreNamed) {
  Machine bare;
  bare.name = "bare";
  ParallelOptions options;
  options.pattern = "halo", options.ranks = 2, options.set = {{"N", 10}};
  auto p = by_template(icc(1), bare, options);
  ASSERT_FALSE(p);
  EXPECT_NE(p.error().message().find("characterize --messages"), std::string::npos);
  EXPECT_FALSE(on_ranks(icc(1), Profile{}, bare, {}));
  EXPECT_FALSE(on_threads(icc(1), Profile{}, bare, {}));
}

}  // namespace
}  // namespace perfcast::parallel

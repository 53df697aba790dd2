#include "methods/parallel/parallel.h"

#include <gtest/gtest.h>

#include <cmath>

#include "methods/parallel/round_machine.h"

namespace perfcast::parallel {
namespace {

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

// Recordings at another size say how messages grow, nothing of the computing times at this one.
TEST(Parallel, ComputingTimesAreThoseOfTheRecordedSize) {
  MessageProfile recorded{{strips(3, 1000), strips(4, 1000), strips(4, 500)}};
  for (auto& program : recorded.runs[2].programs) program.steps[0].body[0].seconds /= 4;
  for (auto& total : recorded.runs[2].totals) total.compute /= 4;
  std::vector<std::string> remarks;
  auto s = skeleton_for(recorded, 16, {{"N", 2000}}, remarks);
  ASSERT_TRUE(s) << s.error().message();
  EXPECT_EQ(s->programs[1].steps[0].body[0].bytes, 16000);
  EXPECT_NEAR(s->programs[1].steps[0].body[0].seconds, 0.1 / 16 / 10, 1e-12);
  // Predicted at the smaller size: a quarter of the work, divided by four, whether recorded or not.
  Profile profile;
  recorded.runs[2] = strips(3, 500);
  for (auto& program : recorded.runs[2].programs) program.steps[0].body[0].seconds /= 4;
  for (auto& total : recorded.runs[2].totals) total.compute /= 4;
  profile.messages = to_json_value(recorded);
  ParallelOptions options;
  options.set = {{"N", 500}};
  auto p = on_ranks(icc(0.1 / 3 / 4), profile, machine(), options);
  ASSERT_TRUE(p) << p.error().message();
  EXPECT_NEAR(p->parts[0].seconds, 0.1 / 3 / 4, 1e-9);
}

// Ranks that computed as long however many they were: a pipeline that passes the same work on.
TEST(Parallel, WorkThatAllRanksDoIsNotShared) {
  MessageProfile recorded{{strips(3, 1000), strips(4, 1000)}};
  for (auto& run : recorded.runs) {
    for (auto& program : run.programs) program.steps[0].body[0].seconds = 0.003;
    for (auto& total : run.totals) total.compute = 0.03;
  }
  std::vector<std::string> remarks;
  auto s = skeleton_for(recorded, 16, {}, remarks);
  ASSERT_TRUE(s) << s.error().message();
  EXPECT_NEAR(s->programs[1].steps[0].body[0].seconds, 0.003, 1e-9);
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_NE(remarks[0].find("100 %"), std::string::npos);
  // Half of it shared: 0.015 + 0.045/P.
  for (auto& run : recorded.runs) {
    for (auto& program : run.programs) program.steps[0].body[0].seconds = 0.0015 + 0.0045 / run.ranks;
    for (auto& total : run.totals) total.compute = 0.015 + 0.045 / run.ranks;
  }
  recorded.runs.push_back(strips(6, 1000));
  for (auto& program : recorded.runs[2].programs) program.steps[0].body[0].seconds = 0.0015 + 0.0045 / 6;
  for (auto& total : recorded.runs[2].totals) total.compute = 0.015 + 0.045 / 6;
  auto half = skeleton_for(recorded, 30, {}, remarks);
  ASSERT_TRUE(half) << half.error().message();
  EXPECT_NEAR(half->programs[1].steps[0].body[0].seconds, 0.0015 + 0.0045 / 30, 1e-9);
}

// All ranks alike: so many messages around the ring, before them 0.1 s of work shared among the ranks.
Skeleton ring(int ranks, double times, double iterations = 1) {
  Skeleton s;
  s.ranks = ranks, s.counted_rank = 0, s.parameters["it"] = iterations;
  s.groups.emplace_back();
  RankProgram all;
  for (int r = 0; r < ranks; r++) s.groups[0].push_back(r), all.ranks.push_back(r);
  Step pass = exchange(0.1 / ranks / times, 8, 1), loop;
  pass.from.rank = -1;
  loop.act = Act::loop, loop.times = times, loop.body = {pass};
  all.steps = {times > 1 ? loop : pass};  // done once it is not folded
  s.programs = {all};
  s.totals.assign(static_cast<std::size_t>(ranks), {0.1 / ranks, 0, 0.1, times, 0, 0, 0, true});
  return s;
}

// More repetitions are more messages, not more work: how much there is the recordings say, and the model.
TEST(Parallel, RepetitionsDoNotMultiplyTheComputation) {
  Profile profile;
  profile.messages = to_json_value(MessageProfile{{ring(2, 1), ring(4, 3), ring(8, 7)}});
  ParallelOptions options;
  options.ranks = 16;
  auto p = on_ranks(icc(0.1 / 2), profile, machine(), options);
  ASSERT_TRUE(p) << p.error().message();
  EXPECT_NEAR(p->parts[0].seconds, 0.1 / 16, 1e-9);
  EXPECT_EQ(p->parts[1].count, 16 * 15);
  options.ranks = 1;  // the loop is not done at all, the work is
  auto alone = on_ranks(icc(0.1 / 2), profile, machine(), options);
  ASSERT_TRUE(alone) << alone.error().message();
  EXPECT_NEAR(alone->seconds, 0.1, 1e-9);
  // Ten times the iterations, of which the model says that they take ten times as long.
  profile.messages = to_json_value(MessageProfile{{ring(2, 20, 20), ring(2, 40, 40)}});
  options.ranks = 2, options.set = {{"it", 200}};
  auto longer = on_ranks(icc(0.1 / 2 * 10), profile, machine(), options);
  ASSERT_TRUE(longer) << longer.error().message();
  EXPECT_NEAR(longer->parts[0].seconds, 0.1 / 2 * 10, 1e-9);
  EXPECT_EQ(longer->parts[1].count, 2 * 200);
}

TEST(Parallel, WhatDependsOnTheNumberOfRanksIsNotContinued) {
  auto to_everybody = [](int ranks) {
    Skeleton s = ring(ranks, 1);
    s.programs[0].steps.clear();
    for (int k = 1; k < ranks; k++) {
      Step one = exchange(0, 8, k);
      one.from.rank = -k;
      s.programs[0].steps.push_back(one);
    }
    return s;
  };
  std::vector<std::string> remarks;
  auto s = skeleton_for(MessageProfile{{to_everybody(3), to_everybody(5)}}, 64, {}, remarks);
  ASSERT_FALSE(s);
  EXPECT_NE(s.error().message().find("with 3 ranks is not what it does with 5"), std::string::npos);
  // Partners may follow the number of ranks: half of them further, the last one.
  auto half = [](int ranks, int distance) {
    Skeleton one = ring(ranks, 1);
    one.programs[0].steps[0].to.rank = one.programs[0].steps[0].from.rank = distance;
    Step tell;
    tell.act = Act::broadcast, tell.to = {PeerKind::absolute, ranks - 1};
    one.programs[0].steps.push_back(tell);
    return one;
  };
  auto far = skeleton_for(MessageProfile{{half(2, 1), half(4, 2), half(8, 4)}}, 16, {}, remarks);
  ASSERT_TRUE(far) << far.error().message();
  EXPECT_EQ(far->programs[1].steps[0].to.rank, 8);
  EXPECT_EQ(far->programs[1].steps[1].to.rank, 15);
  EXPECT_FALSE(skeleton_for(MessageProfile{{half(9, 2), half(12, 5), half(16, 3)}}, 32, {}, remarks));
}

// Ranks that bring their work to the first: with fewer of them it would wait for ever.
TEST(Parallel, RanksThatWaitForEverAreToldToBeContinued) {
  Skeleton farm;
  farm.ranks = 3, farm.counted_rank = 1, farm.groups = {{0, 1, 2}};
  Step take, bring;
  take.act = Act::receive, take.bytes = 8, take.from = {PeerKind::any, 0};
  bring.act = Act::send, bring.seconds = 0.1, bring.bytes = 8, bring.to = {PeerKind::absolute, 0};
  farm.programs = {{{0}, {take, take}}, {{1, 2}, {bring}}};
  farm.totals.assign(3, {0.1, 0, 0.1, 1, 0, 0, 0, true});
  Profile profile;
  profile.messages = to_json_value(MessageProfile{{farm}});
  EXPECT_TRUE(on_ranks(icc(0.1), profile, machine(), {}));
  ParallelOptions two;
  two.ranks = 2;
  auto p = on_ranks(icc(0.1), profile, machine(), two);
  ASSERT_FALSE(p);
  EXPECT_NE(p.error().what.find("cannot be continued to 2"), std::string::npos) << p.error().what;
}

// Every rank of a line exchanges with the one before and the one behind; the ends with nobody on one side. Of two ranks none is between.
TEST(Parallel, ALineOfTwoRanksIsContinued) {
  auto line = [](int ranks) {
    Skeleton s = strips(ranks, 1000);
    for (auto& program : s.programs) {
      Step both = exchange(0.1 / ranks / 10, 8000, 1);
      both.from = {PeerKind::relative, -1};
      if (program.ranks.front() == 0) both.from = {};
      if (program.ranks.back() == ranks - 1) both.to = {};
      program.steps[0].body = {both};
    }
    return s;
  };
  std::vector<std::string> remarks;
  auto s = skeleton_for(MessageProfile{{line(2), line(4)}}, 8, {}, remarks);
  ASSERT_TRUE(s) << s.error().message();
  ASSERT_EQ(s->programs.size(), 3u);
  EXPECT_EQ(s->programs[1].steps[0].body[0].from, (Peer{PeerKind::relative, -1}));
  EXPECT_EQ(s->programs[0].steps[0].body[0].from, Peer{});
}

TEST(Parallel, MoreRanksThanProcessorsTakeTurns) {
  Profile profile;
  profile.messages = to_json_value(MessageProfile{{ring(2, 1), ring(4, 3)}});
  ParallelOptions options;
  options.ranks = 8;
  Machine host = machine();
  auto linked = on_ranks(icc(0.1 / 2), profile, host, options);
  ASSERT_TRUE(linked) << linked.error().message();
  EXPECT_NEAR(linked->parts[0].seconds, 0.1 / 8, 1e-9);
  auto costs = part_of<MessageCosts>(host.messages, "test");
  (*costs)->paths[0].name = "shared memory";
  host.messages = to_json_value(**costs);
  auto p = on_ranks(icc(0.1 / 2), profile, host, options);
  ASSERT_TRUE(p) << p.error().message();
  EXPECT_NEAR(p->parts[0].seconds, 0.1 / 4, 1e-9);  // of four processors
  EXPECT_NE(p->remarks[0].find("take turns"), std::string::npos);
}

// What the model says by operation and by function is said of the slowest rank's part.
TEST(Parallel, ViewsAddUpToTheComputation) {
  ModelPrediction one = icc(1);
  one.parts = {{"core", 0.7, 10, 0.07}, {"memory", 0.3, {}, {}}}, one.views["function"] = {{"f", 1, {}, {}}};
  ParallelOptions options;
  options.pattern = "halo", options.ranks = 4, options.set = {{"N", 1000}};
  auto p = by_template(one, machine(), options);
  ASSERT_TRUE(p) << p.error().message();
  EXPECT_NEAR(p->views["computation"][0].seconds + p->views["computation"][1].seconds, p->parts[0].seconds, 1e-12);
  EXPECT_NEAR(*p->views["computation"][0].count, 2.5, 1e-12);
  EXPECT_NEAR(p->views["function"][0].seconds, 0.25, 1e-12);
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
  auto less = exact_form({{{"P", 2}}, {{"P", 3}}, {{"P", 4}}}, {15, 20, 22.5}, {{"P", 10}});
  ASSERT_TRUE(less);
  EXPECT_EQ(less->expression, "30 - 30/P");
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

// Of a run with more calls than could be kept, the programs have a part; the rest goes on alike.
TEST(Parallel, WhatWasNotKeptGoesOnAlike) {
  Skeleton run = strips(3, 1000);
  Profile profile;
  profile.messages = to_json_value(MessageProfile{{run}});
  auto part = on_ranks(icc(0.1 / 3), profile, machine(), {});
  ASSERT_TRUE(part) << part.error().message();
  run.stands_for = 3;
  profile.messages = to_json_value(MessageProfile{{run}});
  auto whole = on_ranks(icc(0.1 / 3), profile, machine(), {});
  ASSERT_TRUE(whole) << whole.error().message();
  EXPECT_NEAR(whole->seconds, 3 * part->seconds, 1e-12);
  EXPECT_NEAR(whole->interval[1], 3 * part->interval[1], 1e-12);
  EXPECT_EQ(*whole->parts[1].count, 3 * *part->parts[1].count);
}

// What a file may hold that no recorder writes.
TEST(Parallel, RecordingsThatDoNotBelongTogetherAreRefused) {
  MessageProfile recorded{{strips(3, 1000), strips(4, 1000)}};
  recorded.runs[1].parameters = {{"M", 1000}};
  std::vector<std::string> remarks;
  auto other = skeleton_for(recorded, 16, {{"N", 2000}}, remarks);
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().what.find("different parameters"), std::string::npos);
  recorded.runs.pop_back();
  recorded.runs[0].programs[0].steps[0].body[0].requests = {-1};
  EXPECT_FALSE(skeleton_for(recorded, 3, {}, remarks));
}

TEST(Parallel, APathWithoutALawIsNamed) {
  Machine lawless = machine();
  MessageCosts costs;
  costs.paths.emplace_back().name = "tcp";
  lawless.messages = to_json_value(costs);
  auto path = path_of(lawless, "");
  ASSERT_FALSE(path);
  EXPECT_NE(path.error().what.find("tcp has no law"), std::string::npos);
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

#include "methods/dilate/dilate.h"

#include <gtest/gtest.h>

#include "methods/dilate/ranks.h"
#include "methods/dilate/same_work.h"
#include "methods/dilate/threads.h"
#include "methods/dilate/verdict.h"

namespace perfcast::dilate {
namespace {

// A program whose ranks compute, wait for logic and wait for transport (seconds), dilated by d.
RankRecord rank_of(double d, double compute, double logic, double transport, double calls = 1000) {
  RankRecord r;
  r.d = d, r.host = "here", r.cores = 1, r.clock_seconds = 50e-9;
  r.compute = compute, r.stretched = (d - 1) * compute, r.segments = calls;
  r.seconds = {{"wait_receive", d * logic + transport + calls * r.clock_seconds}};
  r.calls = {{"wait_receive", calls}};
  r.elapsed = d * (compute + logic) + transport + calls * r.clock_seconds * (d > 1 ? 1 : 2);
  r.bins.assign(48, 0), r.bin_seconds.assign(48, 0);
  r.bins[20] = calls, r.bin_seconds[20] = compute;
  return r;
}

Dilation dilation_of(double compute, double logic, double transport) {
  std::vector<DilatedRun> runs;
  for (double d : {1, 2, 4, 6}) {
    DilatedRun once = run_of({rank_of(d, compute, logic, transport), rank_of(d, compute, logic, transport)});
    runs.push_back(join_repeats({once, once, once}));
    judge_point(runs.back(), {2, 0});
  }
  Dilation dilation;
  conclude(dilation, runs);
  return dilation;
}

}  // namespace

TEST(Ranks, TimesAreConservedAndTheClockIsTakenOff) {
  DilatedRun run = run_of({rank_of(4, 1, 0.5, 2), rank_of(4, 1, 0.5, 2)});
  EXPECT_NEAR(run.point.elapsed, 8, 1e-9);
  EXPECT_NEAR(run.point.normalized, 2, 1e-9);
  EXPECT_NEAR(run.point.times.user, 4, 1e-9);
  EXPECT_NEAR(run.point.times.wait_receive, 4, 1e-9);
  EXPECT_NEAR(run.point.times.residue, 0, 1e-9);
  EXPECT_NEAR(run.point.normalized_times.wait_receive, 1, 1e-9);
}

// One thread waits until two others, which compute and pass messages, are done.
TEST(Ranks, SeveralThreadsThatCallAreAveraged) {
  RankRecord two = rank_of(4, 2 * 1.0, 2 * 0.5, 2 * 2.0, 2000);
  two.threads = 3, two.elapsed = rank_of(4, 1, 0.5, 2).elapsed;
  DilatedRun run = run_of({two});
  EXPECT_TRUE(run.threaded);
  EXPECT_EQ(run.most_on_one_host, 2);
  EXPECT_NEAR(run.compute, 1, 1e-3);
  EXPECT_NEAR(run.point.times.user, 4, 1e-3);
  EXPECT_NEAR(run.point.times.wait_receive, 4, 1e-3);
  EXPECT_NEAR(run.point.times.residue, 0, 1e-3);
  judge_point(run, {1, 0});
  EXPECT_NE(run.point.doubts.at(0).find("2 threads on 1 cores"), std::string::npos);
}

TEST(Ranks, MediansOfRepeatsForgetAnOutlier) {
  DilatedRun good = run_of({rank_of(2, 1, 0, 1)}), bad = run_of({rank_of(2, 1, 0, 30)});
  DilatedRun joined = join_repeats({good, bad, good});
  EXPECT_NEAR(joined.point.elapsed, good.point.elapsed, 1e-12);
  EXPECT_EQ(joined.point.repeats.size(), 3u);
}

TEST(Ranks, PreemptedRunsAreNotUsedWhileOthersAre) {
  RankRecord calm = rank_of(2, 1, 0, 1), preempted = rank_of(2, 1, 0, 3);
  preempted.switches = 1000;
  std::vector<DilatedRun> runs = {run_of({calm}), run_of({preempted}), run_of({calm}), run_of({preempted}), run_of({calm}), run_of({preempted}), run_of({preempted})};
  DilatedRun joined = join_repeats(runs);
  EXPECT_EQ(joined.point.disturbed, 4);
  EXPECT_NEAR(joined.point.elapsed, run_of({calm}).point.elapsed, 1e-12);
  EXPECT_EQ(joined.point.repeats.size(), 3u);
}

// Somebody else on the cores: nobody is preempted, but the same work takes longer, and so does waiting for it. One rank has three
// times the work of the other, which waits for it; transport takes 0.4 s.
TEST(SameWork, RunsAreBroughtToTheSameComputation) {
  auto slowed_by = [](double d, double slower) {
    RankRecord busy = rank_of(d, 1.2 * slower, 0, 0.4), waiting = rank_of(d, 0.4 * slower, 0.8 * slower, 0.4);
    return run_of({busy, waiting});
  };
  std::vector<std::vector<DilatedRun>> runs = {{slowed_by(1, 1), slowed_by(1, 1.1), slowed_by(1, 0.9)}, {slowed_by(4, 1.3), slowed_by(4, 0.8), slowed_by(4, 1)}};
  SameWork same = bring_to_same_work(runs);
  EXPECT_NEAR(same.law.per_work, 1, 1e-6);
  EXPECT_NEAR(same.law.transport, 0.4, 1e-6);
  EXPECT_NEAR(same.middle, 1.2, 1e-9);
  EXPECT_NEAR(same.longest, 1.56, 1e-9);
  for (const auto& of_factor : runs)
    for (const auto& run : of_factor) {
      EXPECT_NEAR(run.point.normalized, 1.2 + 0.4 / run.point.d, 1e-6);
      EXPECT_NEAR(run.point.normalized_times.user, 0.8, 1e-6);
      EXPECT_NEAR(run.point.normalized_times.wait_receive, 0.4 + 0.4 / run.point.d, 1e-6);
      EXPECT_NEAR(run.point.times.residue, 0, 1e-6);
    }
}

// Ranks that compute one after the other: what slows one is added as often as there are ranks.
TEST(SameWork, ChainsOfRanksCountTheComputationOfEach) {
  std::vector<DilatedRun> runs;
  for (double slower : {1.0, 1.2, 1.5})
    for (double d : {1, 2, 6}) runs.push_back(run_of({rank_of(d, slower, slower, 0.3), rank_of(d, slower, slower, 0.3)}));
  WorkLaw law = fit_work(runs);
  EXPECT_NEAR(law.per_work, 2, 1e-6);
  EXPECT_NEAR(law.transport, 0.3, 1e-6);
  EXPECT_EQ(fit_work({}).per_work, 1);
}

TEST(Verdict, TellsComputationTransportAndLogicApart) {
  Dilation xa = dilation_of(0.98, 0.01, 0.01), xb = dilation_of(0.3, 0.02, 0.68), xb2 = dilation_of(0.5, 0.49, 0.01);
  EXPECT_EQ(xa.verdict, DilationVerdict::compute_bound);
  EXPECT_EQ(xb.verdict, DilationVerdict::transport_bound);
  EXPECT_EQ(xb2.verdict, DilationVerdict::logic_bound);
  EXPECT_NEAR(xb.points.back().speedup, 1 / (0.32 + 0.68 / 6), 1e-6);
  EXPECT_NEAR(*xb.transport_share, 0.68, 1e-6);
  EXPECT_NEAR(*xb2.logic_share, 0.49, 1e-6);
  EXPECT_NEAR(*xb.ideal, 1 / (0.3 + 0.7 / 6), 1e-6);
  EXPECT_LT(xb2.points.back().speedup, 1.05);
}

TEST(Verdict, ALawIsRecoveredFromItsPoints) {
  std::vector<DilationPoint> points;
  for (double d : {1.0, 2.0, 5.0}) {
    DilationPoint p;
    p.d = d, p.normalized = 3 + 2 / d;
    points.push_back(p);
  }
  TransportLaw law = fit_law(points);
  EXPECT_NEAR(law.fixed, 3, 1e-9);
  EXPECT_NEAR(law.transport, 2, 1e-9);
}

TEST(Verdict, PointsThatCannotBeTrustedSayWhy) {
  auto judged = [](RankRecord rank, Circumstances circumstances) {
    DilatedRun run = run_of({rank, rank});
    judge_point(run, circumstances);
    return run.point;
  };
  EXPECT_TRUE(judged(rank_of(2, 1, 0, 1), {2, 0}).valid);
  EXPECT_FALSE(judged(rank_of(2, 1, 0, 1), {1, 0}).valid);    // two ranks, one core
  EXPECT_FALSE(judged(rank_of(2, 1, 0, 1), {2, 0.9}).valid);  // somebody else computes
  RankRecord brief = rank_of(2, 1, 0, 1), preempted = brief, polling = brief;
  brief.short_seconds = 0.5;
  EXPECT_FALSE(judged(brief, {2, 0}).valid);
  preempted.switches = 100, preempted.running = preempted.elapsed;
  EXPECT_TRUE(judged(preempted, {2, 0}).valid);  // often, but only for moments
  preempted.running = 0.9 * preempted.elapsed;
  EXPECT_FALSE(judged(preempted, {2, 0}).valid);
  polling.calls["poll"] = 1e5;
  EXPECT_FALSE(judged(polling, {2, 0}).valid);
  DilatedRun a = run_of({rank_of(2, 1, 0, 1)}), b = run_of({rank_of(2, 1, 0, 2)});
  DilatedRun drifting = join_repeats({a, b, a, b});
  judge_point(drifting, {2, 0});
  EXPECT_FALSE(drifting.point.valid);
  EXPECT_NE(drifting.point.doubts.at(0).find("repeats"), std::string::npos);
}

TEST(Verdict, ComputationThatChangesTooMuchIsDoubted) {
  std::vector<std::vector<DilatedRun>> runs = {{run_of({rank_of(1, 1, 0, 1)})}, {run_of({rank_of(2, 1.1, 0, 1)})}, {run_of({rank_of(4, 1.6, 0, 1)})}};
  bring_to_same_work(runs);
  for (auto& run : runs) judge_point(run[0], {2, 0});
  EXPECT_TRUE(runs[0][0].point.valid);
  EXPECT_TRUE(runs[1][0].point.valid);
  ASSERT_FALSE(runs[2][0].point.valid);
  EXPECT_NE(runs[2][0].point.doubts.at(0).find("computation itself took +45"), std::string::npos) << runs[2][0].point.doubts.at(0);
}

TEST(Verdict, WithoutTrustThereIsNoVerdict) {
  std::vector<DilatedRun> runs;
  for (double d : {1, 2}) {
    runs.push_back(run_of({rank_of(d, 1, 0, 1)}));
    runs.back().point.valid = false;
  }
  Dilation dilation;
  conclude(dilation, runs);
  EXPECT_EQ(dilation.verdict, DilationVerdict::unclear);
}

TEST(Threads, DemandIsWorkByLevel) {
  ThreadsRecord run;
  run.threads = 2, run.level_seconds = {0.1, 1, 2};
  DemandProfile demand = demand_of({run, run});
  ASSERT_EQ(demand.modes.size(), 2u);
  EXPECT_NEAR(demand.modes[0].demand, 0.2, 1e-12);
  EXPECT_NEAR(demand.modes[1].demand, 0.8, 1e-12);
  EXPECT_NEAR(*demand.seconds, 3, 1e-12);
  EXPECT_NEAR(demand.synchronisation, 0.1, 1e-12);
}

TEST(Threads, RunsAreBroughtToTheSameWorkByRegion) {
  auto run_with = [](double serial, double loop) {
    ThreadsRecord run;
    run.elapsed = serial + loop / 2, run.regions.resize(2);
    run.regions[0].name = "serial", run.regions[0].work = serial, run.regions[0].wall = serial;
    run.regions[1].name = "loop", run.regions[1].work = loop, run.regions[1].wall = loop / 2;
    return run;
  };
  ThreadsRecord calm = run_with(1, 4), slowed = run_with(1.5, 5), slower = run_with(0.9, 3);
  bring_to_same_work({&calm, &slowed, &slower});
  for (const auto& run : {calm, slowed, slower}) {
    EXPECT_NEAR(run.elapsed, 3, 1e-12);
    EXPECT_NEAR(run.regions[1].wall, 2, 1e-12);
  }
}

TEST(Threads, ARegionIsJudgedByItsLargestFactorThatCounts) {
  RegionSpeedup region;
  for (double d : {2, 4, 6}) {
    region.points.emplace_back();
    region.points.back().d = d, region.points.back().valid = d < 6;
  }
  EXPECT_EQ(largest_valid(region)->d, 4);
  EXPECT_EQ(largest_valid({}), nullptr);
}

TEST(Threads, RegionsThatLookTheSameKeepTheirOffsets) {
  auto names = readable_names({"/no/program+10", "/no/program+20", "serial"});
  EXPECT_NE(names[0], names[1]);
  EXPECT_EQ(names[2], "serial");
  names = readable_names({"/proc/self/exe+0", "/proc/self/exe+0"});
  EXPECT_NE(names[0].find("exe+0"), std::string::npos);
}

TEST(Dilate, WrongUsageAndMissingProgramsAreToldPlainly) {
  EXPECT_EQ(dilate({}).error().kind, Trouble::usage);
  DilateOptions options;
  options.factors = {0.5};
  EXPECT_EQ(dilate({"true"}, options).error().kind, Trouble::usage);
  options.factors = {1};
  EXPECT_EQ(dilate({"true"}, options).error().kind, Trouble::usage);
  options.factors = {1, 2}, options.threads = true, options.regions = -1;
  EXPECT_EQ(dilate({"true"}, options).error().kind, Trouble::usage);
  options.regions = 4, options.time_limit = Seconds{-1};
  EXPECT_EQ(dilate({"true"}, options).error().kind, Trouble::usage);
  auto missing = dilate({"mpirun-that-is-not-there", "-n", "2", "./app"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, Trouble::unfit);
}

// The library writes these files into a folder that the program knows as well.
TEST(Dilate, FilesOfNoRunAreRefused) {
  const Json rank = to_json_value(rank_of(2, 1, 0.5, 2));
  ASSERT_TRUE(rank_in(rank, "rank-0.json"));
  for (auto [key, value] : {std::pair("d", 0.0), {"elapsed", -1.0}, {"clock_seconds", -1.0}}) {
    Json broken = rank;
    broken[key] = value;
    EXPECT_FALSE(rank_in(broken, "rank-0.json")) << key;
  }
  EXPECT_FALSE(rank_in(Json("text"), "rank-0.json"));
  const Json threads = {{"d", 2}, {"clock_seconds", 0}, {"elapsed", 1}, {"regions", Json::array()}, {"level_seconds", {0, 1}}};
  ASSERT_TRUE(threads_in(threads, "threads-1"));
  for (auto [key, value] : {std::pair<const char*, Json>("d", 0.5), {"elapsed", 0}, {"threads", 0}, {"level_seconds", Json::array({-1, 1})}}) {
    Json broken = threads;
    broken[key] = value;
    EXPECT_FALSE(threads_in(broken, "threads-1")) << key;
  }
}

TEST(Dilate, AProgramWithoutMessagesIsToldPlainly) {
  DilateOptions options;
  options.factors = {1, 2}, options.repeats = 1;
  auto none = dilate({"true"}, options);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().what.find("MPI"), std::string::npos);
  auto crash = dilate({"false"}, options);
  ASSERT_FALSE(crash);
  EXPECT_NE(crash.error().what.find("with and without dilation"), std::string::npos);
  options.threads = true;
  auto no_threads = dilate({"true"}, options);
  ASSERT_FALSE(no_threads);
  EXPECT_NE(no_threads.error().what.find("parallel region"), std::string::npos);
  auto threads_crash = dilate({"false"}, options);
  ASSERT_FALSE(threads_crash);
  EXPECT_NE(threads_crash.error().what.find("with and without dilation"), std::string::npos);
}

}  // namespace perfcast::dilate

#include <gtest/gtest.h>

#include <cmath>

#include "methods/parallel/parallel.h"
#include "methods/parallel/round_machine.h"

namespace perfcast::parallel {
namespace {

// Two threads: a second of serial work, and a region that they entered so often and were busy in for so long.
Profile one_region(double entries, std::vector<double> seconds) {
  ThreadProfile threads;
  threads.threads = 2, threads.serial = 1;
  ThreadRegion region;
  region.function = "f", region.entries = entries, region.seconds = std::move(seconds);
  threads.regions = {region};
  Profile profile;
  profile.parallel = to_json_value(threads);
  return profile;
}

TEST(Threads, ByHand) {
  const Profile profile = one_region(1000, {4, 5});
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

// What is done under one lock no number of threads makes shorter.
TEST(Threads, LockedWorkIsDoneOneThreadAtATime) {
  Profile profile = one_region(1, {4.5, 4.5});
  auto threads = part_of<ThreadProfile>(profile.parallel, "test");
  (*threads)->regions[0].held = 3;
  profile.parallel = to_json_value(**threads);
  Machine free = machine();
  free.threads = Json();
  ParallelOptions options;
  options.threads = 2;
  auto two = on_threads(icc(10), profile, free, options);
  ASSERT_TRUE(two) << two.error().message();
  EXPECT_NEAR(two->seconds, 1 + 9.0 / 2, 1e-9);  // the other thread has enough to do
  options.threads = 9;
  auto nine = on_threads(icc(10), profile, free, options);
  ASSERT_TRUE(nine) << nine.error().message();
  EXPECT_NEAR(nine->seconds, 1 + 3, 1e-9);
  EXPECT_EQ(nine->parts.back().name, "waiting for locks");
}

Function executed(const std::string& name, double times) {
  Function f;
  f.name = name;
  Block block;
  block.count.value = times, block.usage["add"] = 1;
  f.blocks.push_back(block);
  return f;
}

// How much is serial follows from the code, not from how long a recorded run spent outside regions.
TEST(Threads, TheSerialPartIsThatOfTheCode) {
  Profile profile;
  profile.ir.emplace().functions = {executed("main", 1000), executed("main.omp_outlined", 9000)};
  ThreadProfile threads;
  threads.threads = 2, threads.serial = 50;  // starting threads, other programs
  ThreadRegion region;
  region.function = "main", region.entries = 1, region.iterations = 8, region.schedule = "static", region.seconds = {4, 4};
  threads.regions = {region};
  profile.parallel = to_json_value(threads);
  Machine free = machine();
  free.threads = Json();
  ParallelOptions options;
  auto seconds = [&](int t) {
    options.threads = t;
    auto p = on_threads(icc(10), profile, free, options);
    EXPECT_TRUE(p) << p.error().message();
    double sum = 0;
    for (const Part& part : p->parts) sum += part.seconds;
    EXPECT_NEAR(sum, p->seconds, 1e-12);
    return p->seconds;
  };
  EXPECT_NEAR(seconds(1), 10, 1e-12);            // Amdahl
  EXPECT_NEAR(seconds(4), 1 + 9.0 / 4, 1e-12);
  EXPECT_NEAR(seconds(3), 1 + 9.0 * 3 / 8, 1e-12);   // the busiest of three threads has three of eight iterations
  EXPECT_NEAR(seconds(100), 1 + 9.0 / 8, 1e-12);     // no more than eight are of use
  // A region whose condition did not hold ran with one thread.
  threads.regions[0].seconds = {8};
  profile.parallel = to_json_value(threads);
  EXPECT_NEAR(seconds(4), 10, 1e-12);
}

// A triangular loop divided once is the more uneven the more threads there are; what one thread does alone stays as long as it is.
TEST(Threads, HowUnevenIsThatOfTheNumberOfThreads) {
  Machine free = machine();
  free.threads = Json();
  auto seconds = [&](const std::map<std::string, double>& uneven, int t, int fixed = 0) {
    Profile profile = one_region(1, {3, 6});
    auto threads = part_of<ThreadProfile>(profile.parallel, "test");
    (*threads)->regions[0].uneven = uneven, (*threads)->regions[0].fixed_threads = fixed;
    profile.parallel = to_json_value(**threads);
    ParallelOptions options;
    options.threads = t;
    auto p = on_threads(icc(10), profile, free, options);
    EXPECT_TRUE(p) << p.error().message();
    return p ? p->seconds : 0;
  };
  const std::map<std::string, double> triangle = {{"1", 1}, {"2", 1.5}, {"4", 1.75}, {"8", 1.875}, {"16", 1.9375}};
  EXPECT_NEAR(seconds(triangle, 1), 10, 1e-12);
  EXPECT_NEAR(seconds(triangle, 2), 1 + 9 * 0.75, 1e-12);
  EXPECT_NEAR(seconds(triangle, 4), 1 + 9 * 7.0 / 16, 1e-12);
  EXPECT_NEAR(seconds(triangle, 16), 1 + 9 * 31.0 / 256, 1e-12);
  EXPECT_NEAR(seconds(triangle, 3), 1 + 9 * 1.625 / 3, 1e-12);  // between its neighbours
  const std::map<std::string, double> alone = {{"1", 1}, {"2", 2}, {"192", 192}, {"256", 256}};
  for (int t : {2, 100, 256, 1000}) EXPECT_NEAR(seconds(alone, t), 10, 1e-9) << t;
  EXPECT_NEAR(seconds(triangle, 16, 4), 1 + 9 * 7.0 / 16, 1e-12);  // num_threads(4)
}

// Tables that no measurement writes: keys that are no numbers, or the same number twice.
TEST(Threads, OddTablesGiveNoOddTimes) {
  Profile profile = one_region(1000, {4, 5});
  auto threads = part_of<ThreadProfile>(profile.parallel, "test");
  (*threads)->regions[0].uneven = {{"2", 1.1}, {"2.0", 1.2}};
  profile.parallel = to_json_value(**threads);
  Machine odd = machine();
  auto costs = part_of<ThreadCosts>(odd.threads, "test");
  for (auto* table : {&(*costs)->fork_join_ns, &(*costs)->barrier_ns, &(*costs)->bandwidth_gb_per_s})
    for (const char* key : {"nan", "inf", "-nan", "4.0"}) (*table)[key].value = 7;
  odd.threads = to_json_value(**costs);
  ParallelOptions options;
  for (options.threads = 1; options.threads <= 8; options.threads++) {
    auto p = on_threads(icc(10), profile, odd, options);
    ASSERT_TRUE(p) << p.error().message();
    EXPECT_TRUE(std::isfinite(p->seconds)) << options.threads;
  }
  (*threads)->regions[0].uneven = {{"inf", 1.1}};
  profile.parallel = to_json_value(**threads);
  EXPECT_FALSE(on_threads(icc(10), profile, odd, options));
}

// More threads than processors take turns; the parts still add up.
TEST(Threads, PartsAddUpWithMoreThreadsThanProcessors) {
  const Profile profile = one_region(1, {4.5, 4.5});
  ParallelOptions options;
  options.threads = 8;
  auto p = on_threads(icc(10), profile, machine(), options);
  ASSERT_TRUE(p) << p.error().message();
  double sum = 0;
  for (const Part& part : p->parts) sum += part.seconds;
  EXPECT_NEAR(sum, p->seconds, 1e-12);
  EXPECT_NEAR(p->parts[1].seconds, 9.0 / 4, 1e-12);  // of four processors
}

}  // namespace
}  // namespace perfcast::parallel

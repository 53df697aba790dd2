#include "frontends/openmp/record_threads.h"

#include <gtest/gtest.h>

#include <optional>

#include "base/files.h"

namespace perfcast::openmp {
namespace {

TEST(Threads, WhatTheLibraryWrites) {
  auto p = threads_of("whole 2.5 0.5\nregion /none 10 3 1.9 dynamic 300 100 2 0.4 2 0.9 1.0\n");
  ASSERT_TRUE(p) << p.error().message();
  EXPECT_EQ(p->threads, 2);
  ASSERT_EQ(p->regions.size(), 1u);
  EXPECT_EQ(p->regions[0].schedule, "dynamic");
  EXPECT_EQ(p->regions[0].entries, 3);
  EXPECT_EQ(p->regions[0].chunks, 100);
  EXPECT_EQ(p->regions[0].held, 0.4);
  EXPECT_EQ(p->regions[0].seconds, (std::vector<double>{0.9, 1.0}));
}

TEST(Threads, SharesBelongToTheRegionBefore) {
  auto p = threads_of("whole 2.5 0.5\nregion /none 10 3 1.9 static 300 2 0 0 2 0.9 1.0\nshares 12 1.9 1.0 1 1.9 2 0.95 4 0.5\n");
  ASSERT_TRUE(p) << p.error().message();
  ASSERT_EQ(p->regions.size(), 1u);
  EXPECT_EQ(p->regions[0].tasks, 12);
  EXPECT_NEAR(p->regions[0].uneven.at("2"), 2 / 1.9, 1e-9);    // as it was
  EXPECT_NEAR(p->regions[0].uneven.at("4"), 2.0 / 1.9, 1e-9);  // as it would be
}

TEST(Threads, NumbersBeyondReasonAreLeftOut) {
  auto p = threads_of("region /none 10 3 1.9 static 300 2 0 0 2 0.9 1.0\nshares 12 1e-300 1e300 4 1e300\n");
  ASSERT_TRUE(p) << p.error().message();
  EXPECT_TRUE(p->regions[0].uneven.empty());
  EXPECT_FALSE(threads_of("region /none 10 3 1.9 static nan 2 0 0 2 0.9 1.0\n"));
}

// What two threads do in a program; none: no compiler for it. Spread: and where its work lies, by so many threads.
std::optional<ThreadProfile> watched(const std::string& source, int spread = 0) {
  auto folder = TemporaryFolder::make("omp-test");
  if (!find_program("clang-19") || !folder || !write_file(folder->file("p.c"), source)) return {};
  RunRequest build;
  build.command = {"clang-19", "-g", "-O1", "-fopenmp", folder->file("p.c"), "-o", folder->file("p")};
  auto built = run_program(build);
  if (!built || !built->ok()) return {};
  RecordOptions options;
  options.command = {folder->file("p")}, options.threads = 2, options.spread = spread;
  auto p = record_threads(options);
  EXPECT_TRUE(p) << p.error().message();
  if (!p) return {};
  return *p;
}

TEST(Threads, RegionsOfAProgramAreSeen) {
  auto p = watched(
      "#include <unistd.h>\nstatic double a[10000];\nint main(void) {\n usleep(30000);\n for (int r = 0; r < 20; r++) {\n#pragma omp parallel for schedule(static)\n"
      "  for (int i = 0; i < 10000; i++) a[i] += i;\n }\n#pragma omp parallel for schedule(dynamic, 100)\n"
      " for (int i = 0; i < 10000; i++) a[i] *= 2;\n return a[5] < 0;\n}\n");
  if (!p) GTEST_SKIP() << "no clang-19 or no libomp";
  EXPECT_EQ(p->threads, 2);
  ASSERT_EQ(p->regions.size(), 2u);
  EXPECT_EQ(p->regions[0].entries, 20);
  EXPECT_EQ(p->regions[0].seconds.size(), 2u);
  EXPECT_EQ(p->regions[1].entries, 1);
  EXPECT_EQ(p->regions[1].schedule, "dynamic");
  EXPECT_GT(p->regions[1].chunks, 50);
  EXPECT_GE(p->serial, 0.03);  // also what lies before the first region
}

// Work that is done one thread at a time, with a lock for all and with one for each thread.
TEST(Threads, WhatOneThreadDoesAtATime) {
  auto p = watched(
      "#include <omp.h>\nstatic volatile double s;\nstatic void work(int n) { for (int i = 0; i < n; i++) s += i; }\nint main(void) {\n"
      "#pragma omp parallel for\n for (int i = 0; i < 40; i++) {\n#pragma omp critical\n  work(100000);\n }\n"
      " omp_lock_t own[2];\n for (int i = 0; i < 2; i++) omp_init_lock(own + i);\n"
      "#pragma omp parallel for\n for (int i = 0; i < 40; i++) {\n  omp_lock_t *l = own + omp_get_thread_num();\n  omp_set_lock(l), work(100000), omp_unset_lock(l);\n }\n"
      "#pragma omp parallel for\n for (int i = 0; i < 40; i++) work(100000);\n return 0;\n}\n");
  if (!p) GTEST_SKIP() << "no clang-19 or no libomp";
  ASSERT_EQ(p->regions.size(), 3u);
  auto held = [&](std::size_t region) {
    double all = 0;
    for (double seconds : p->regions[region].seconds) all += seconds;
    return p->regions[region].held / all;
  };
  EXPECT_GT(held(0), 0.9);
  EXPECT_LT(held(1), 0.8);  // each half
  EXPECT_GT(held(1), 0.3);
  EXPECT_EQ(held(2), 0);
}

// Times of real threads: order only, neighbours disturb them; phases_test has the numbers.
TEST(Threads, UnevenWorkIsSeenForMoreThreadsThanThereWere) {
  auto p = watched(
      "static volatile double s;\nstatic void work(int n) { for (int i = 0; i < n; i++) s += i; }\nint main(void) {\n"
      "#pragma omp parallel for schedule(static)\n for (int i = 0; i < 960; i++) work(100 * i);\n"
      "#pragma omp parallel\n {\n#pragma omp single\n  work(20000000);\n }\n"
      "#pragma omp parallel\n {\n#pragma omp single\n  for (int i = 0; i < 8; i++) {\n#pragma omp task\n   work(3000000);\n  }\n }\n"
      "#pragma omp parallel for schedule(dynamic, 240)\n for (int i = 0; i < 960; i++) work(20000);\n"
      "#pragma omp parallel num_threads(2)\n work(5000000);\n return 0;\n}\n", 24);
  if (!p) GTEST_SKIP() << "no clang-19 or no libomp";
  ASSERT_EQ(p->regions.size(), 5u);
  auto uneven = [&](std::size_t region, const char* threads) { return p->regions[region].uneven.at(threads); };
  EXPECT_GT(uneven(0, "4"), 1.4);           // (2 - 1/t) of a triangle: 1.75
  EXPECT_LT(uneven(0, "16"), 4);            // 1.94
  EXPECT_NEAR(uneven(1, "2"), 2, 0.1);      // one does it all
  EXPECT_GT(uneven(1, "8"), 6);
  EXPECT_EQ(p->regions[2].tasks, 8);
  EXPECT_LT(uneven(2, "4"), uneven(2, "16"));  // two tasks each; half of the threads have nothing to do
  EXPECT_GT(uneven(3, "8"), 1.5);           // four chunks: 2
  EXPECT_LT(uneven(3, "8"), 4);
  EXPECT_EQ(p->regions[4].fixed_threads, 2);
}

}  // namespace
}  // namespace perfcast::openmp

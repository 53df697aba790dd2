#include "frontends/openmp/record_threads.h"

#include <gtest/gtest.h>

#include "base/files.h"

namespace perfcast::openmp {
namespace {

TEST(Threads, WhatTheLibraryWrites) {
  auto p = threads_of("whole 2.5 0.5\nregion /none 10 3 1.9 dynamic 300 100 2 2 0.9 1.0\n");
  ASSERT_TRUE(p) << p.error().message();
  EXPECT_EQ(p->threads, 2);
  ASSERT_EQ(p->regions.size(), 1u);
  EXPECT_EQ(p->regions[0].schedule, "dynamic");
  EXPECT_EQ(p->regions[0].entries, 3);
  EXPECT_EQ(p->regions[0].chunks, 100);
  EXPECT_EQ(p->regions[0].seconds, (std::vector<double>{0.9, 1.0}));
}

TEST(Threads, RegionsOfAProgramAreSeen) {
  if (!find_program("clang-19")) GTEST_SKIP() << "no clang-19";
  auto folder = TemporaryFolder::make("omp-test");
  ASSERT_TRUE(folder);
  ASSERT_TRUE(write_file(folder->file("p.c"),
                         "#include <unistd.h>\nstatic double a[10000];\nint main(void) {\n usleep(30000);\n for (int r = 0; r < 20; r++) {\n#pragma omp parallel for schedule(static)\n"
                         "  for (int i = 0; i < 10000; i++) a[i] += i;\n }\n#pragma omp parallel for schedule(dynamic, 100)\n"
                         " for (int i = 0; i < 10000; i++) a[i] *= 2;\n return a[5] < 0;\n}\n"));
  RunRequest build;
  build.command = {"clang-19", "-g", "-O1", "-fopenmp", folder->file("p.c"), "-o", folder->file("p")};
  auto built = run_program(build);
  ASSERT_TRUE(built);
  if (!built->ok()) GTEST_SKIP() << "no libomp";
  RecordOptions options;
  options.command = {folder->file("p")}, options.threads = 2;
  auto p = record_threads(options);
  ASSERT_TRUE(p) << p.error().message();
  EXPECT_EQ(p->threads, 2);
  ASSERT_EQ(p->regions.size(), 2u);
  EXPECT_EQ(p->regions[0].entries, 20);
  EXPECT_EQ(p->regions[0].seconds.size(), 2u);
  EXPECT_EQ(p->regions[1].entries, 1);
  EXPECT_EQ(p->regions[1].schedule, "dynamic");
  EXPECT_GT(p->regions[1].chunks, 50);
  EXPECT_GE(p->serial, 0.03);  // also what lies before the first region
}

}  // namespace
}  // namespace perfcast::openmp

#include "frontends/llvm_ir/flags.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace perfcast::llvm_ir {
namespace {

using Words = std::vector<std::string>;

TEST(Flags, AreSortedByWhatTheyAreFor) {
  auto sorted = sort_flags(split_words("-O1 -c -o x.o -DN=5 -I inc -MF deps -lm -L lib -flto -fopenmp a.c extra.o -O3"));
  EXPECT_EQ(sorted.compile, (Words{"-O1", "-DN=5", "-I", "inc", "-fopenmp", "-O3"}));
  EXPECT_EQ(sorted.link, (Words{"-lm", "-L", "lib", "-fopenmp", "extra.o"}));
  EXPECT_EQ(sorted.sources, Words{"a.c"});
  EXPECT_EQ(sorted.optimisation, "-O3");
  EXPECT_TRUE(sorted.threads);
  EXPECT_EQ(sort_flags({}).optimisation, "-O0");
  EXPECT_EQ(sort_flags({"-O"}).optimisation, "-O1");
}

TEST(Flags, OptimisationByTheLinkerIsLeftOutButKnown) {
  const SortedFlags sorted = sort_flags({"-O2", "-flto=thin"});
  EXPECT_EQ(sorted.compile, std::vector<std::string>{"-O2"});
  EXPECT_TRUE(sorted.link_time);
  EXPECT_FALSE(sort_flags({"-flto", "-fno-lto"}).link_time);
}

TEST(Flags, OfCodeGeneration) {
  const Words flags = {"-O2", "-DN=5", "-I", "-Oops", "-march=native", "-ffast-math", "-std=c11", "-mllvm", "-x", "-Wall"};
  EXPECT_EQ(code_generation_flags(flags), (Words{"-O2", "-march=native", "-ffast-math", "-mllvm", "-x"}));
  EXPECT_EQ(without_cpu(code_generation_flags(flags)), (Words{"-O2", "-ffast-math", "-mllvm", "-x"}));
}

TEST(Flags, OneSetServesSeveralLanguages) {
  const Words flags = {"-O2", "-Wall", "-std=c++20", "-std=gnu11", "-std=legacy", "-D", "-Wodd"};
  EXPECT_EQ(flags_for(Language::c, flags), (Words{"-O2", "-Wall", "-std=gnu11", "-D", "-Wodd"}));
  EXPECT_EQ(flags_for(Language::cxx, flags), (Words{"-O2", "-Wall", "-std=c++20", "-D", "-Wodd"}));
  EXPECT_EQ(flags_for(Language::fortran, flags), (Words{"-O2", "-D", "-Wodd"}));
}

}  // namespace
}  // namespace perfcast::llvm_ir

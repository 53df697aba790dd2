// Whose time a run is, and whether runs may take place at once: planted programs.
#include "frontends/llvm_ir/library_watch.h"

#include "frontends/llvm_ir/runs_apart.h"
#include "frontends/llvm_ir/test_programs.h"

namespace perfcast::llvm_ir {
namespace {

class Libraries : public Programs {
 protected:
  // Whether runs of this program leave each other alone.
  static bool apart(const std::string& name, const std::string& text, const std::string& flags = "-O1") {
    auto folder = TemporaryFolder::make("test");
    CompileRequest request;
    EXPECT_TRUE(write_file(folder->file(name), text));
    request.sources = {folder->file(name)}, request.cflags = flags, request.early = false;
    auto program = compile_program(request);
    EXPECT_TRUE(program) << program.error().message();
    return program && runs_apart(*program);
  }
};

// A sort of long takes nearly all of the run, its comparisons included, and a copy of a few bytes nearly nothing.
TEST_F(Libraries, TheRoutineThatTakesTheTimeIsTold) {
  COUNT(c, count_text("sort.c", R"(#include <stdlib.h>
#include <unistd.h>
static unsigned v[1 << 19];
static int less(const void *a, const void *b) {
  unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
  return x < y ? -1 : x > y;
}
int main(void) {
  unsigned x = 1;
  for (int i = 0; i < 1 << 19; i++) v[i] = x = x * 1664525 + 1013904223;
  qsort(v, 1 << 19, sizeof *v, less);
  return getpid() == 0;
}
)", "-O1"));
  const LibraryTime& time = c.final.libraries;
  EXPECT_GT(time.looks, 20);
  ASSERT_TRUE(time.share.contains("qsort"));
  EXPECT_GT(time.share.at("qsort"), 0.5);
  EXPECT_GE(time.all, time.share.at("qsort"));
  EXPECT_LT(time.at_most("getpid"), 0.5);
  EXPECT_EQ(time.at_most("nobody watches it"), 1);
  EXPECT_EQ(c.early.libraries.looks, 0);
}

// The marks stand around calls that throw as well, and nothing is counted otherwise for it.
TEST_F(Libraries, WhatThrowsIsMarkedToo) {
  COUNT(c, count_text("throw.cc", R"(#include <cstdio>
#include <stdexcept>
#include <string>
extern "C" __attribute__((noinline)) int number(const char *text) {
  try {
    return std::stoi(text);
  } catch (const std::invalid_argument &) {
    return -1;
  }
}
int main() {
  int sum = 0;
  for (int i = 0; i < 1000; i++) sum += number(i % 4 ? "17" : "seventeen");
  std::printf("%d\n", sum);
}
)", "-O2"));
  EXPECT_EQ(c.entries("number"), 1000);
  expect_laws(c);
}

TEST(LibraryTime, WhatWasNotMetInManyLooksTakesLittle) {
  LibraryTime time;
  time.looks = 600, time.watched = {"qsort", "memset", "sin", "cos"}, time.share = {{"qsort", 0.5}, {"sin", 0.1}};
  EXPECT_DOUBLE_EQ(time.at_most("memset"), 0.005);
  EXPECT_DOUBLE_EQ(time.at_most("qsort"), 0.505);
  EXPECT_DOUBLE_EQ(time.at_most("sincos"), 0.11);
  EXPECT_EQ(time.at_most("sort"), 1);
  EXPECT_EQ(LibraryTime().at_most("memset"), 1);
}

TEST_F(Libraries, RunsThatOnlyComputeAndPrintLeaveEachOtherAlone) {
  EXPECT_TRUE(apart("sum.c", "#include <stdio.h>\nint main(void) { printf(\"%d\\n\", 3); return 0; }\n"));
  EXPECT_TRUE(apart("own.c", "int open_queue(int n) { return n + 1; }\nint main(int n, char **v) { (void)v; return open_queue(n); }\n", "-O0"));
  EXPECT_TRUE(apart("print.f90", "program p\n print *, 1\n write(6,'(i3)') 2\nend program\n"));
}

TEST_F(Libraries, RunsThatReachOutDoNot) {
  EXPECT_FALSE(apart("file.c", "#include <stdio.h>\nint main(void) { FILE *f = fopen(\"x\", \"w\"); return !f; }\n"));
  EXPECT_FALSE(apart("system.c", "#include <stdlib.h>\nint main(void) { return system(\"true\"); }\n"));
  EXPECT_FALSE(apart("stream.cc", "#include <fstream>\nint main() { std::ofstream(\"x\") << 1; }\n"));
  EXPECT_FALSE(apart("unit.f90", "program p\n write(10,*) 1\nend program\n"));
  EXPECT_FALSE(apart("sum.c", "int main(void) { return 0; }\n", "-O1 -lunknown"));
}

}  // namespace
}  // namespace perfcast::llvm_ir

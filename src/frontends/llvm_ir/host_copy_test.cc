#include "frontends/llvm_ir/host_copy.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "frontends/llvm_ir/instrument.h"

namespace perfcast::llvm_ir {
namespace {

#if defined(__x86_64__)
const std::string foreign = "aarch64";
#else
const std::string foreign = "x86_64";
#endif

// Compiled for the other instruction set, without any header, so that no C library of its own is needed.
Result<CompiledProgram> compiled(const TemporaryFolder& folder, const std::string& text, const std::string& flags = "-O2", const std::string& name = "t.c") {
  CHECK_OK(write_file(folder.file(name), text));
  CompileRequest request;
  request.sources = {folder.file(name)}, request.cflags = flags, request.target = foreign + "-linux-gnu";
  return compile_program(request);
}

std::string refusal(const std::string& text, const std::string& name = "t.c") {
  auto folder = TemporaryFolder::make("host-copy-test");
  auto program = compiled(*folder, text, "-O2", name);
  if (!program) return "does not compile: " + program.error().message();
  auto copy = copy_for_this_host(*program);
  return copy ? "" : copy.error().what;
}

const char* const work =
    "int printf(const char *, ...);\n"
    "static double a[1000];\n"
    "__attribute__((noinline)) double sweep(int n) { double s = 0; for (int i = 1; i < n; i++) { a[i] = 0.5 * a[i - 1] + 1.0 / i; if (a[i] > 1.5) s += a[i]; } return s; }\n"
    "int main(int argc, char **argv) { double s = 0; for (int r = 0; r < 20 * argc; r++) s += sweep(1000 - r); printf(\"%.17g\\n\", s); return 0; }\n";

}  // namespace

TEST(HostCopy, RunsHereAndCounts) {
  auto folder = TemporaryFolder::make("host-copy-test");
  for (const char* flags : {"-O0", "-O2", "-O3"}) {
    auto program = compiled(*folder, work, flags);
    ASSERT_TRUE(program) << program.error().message();
    auto copy = copy_for_this_host(*program);
    ASSERT_TRUE(copy) << copy.error().message();
    auto run = count_run(*copy, Stage::final, {});
    ASSERT_TRUE(run) << run.error().message();
    ASSERT_TRUE(run->outcome.ok()) << run->outcome.errors;
    const FunctionCounts* sweep = run->units[0].find("sweep");
    ASSERT_TRUE(sweep);
    EXPECT_EQ(sweep->entries, 20) << flags;
  }
}

TEST(HostCopy, AgreesWithTheEmulator) {
  const std::string qemu = "qemu-" + foreign, library = "/usr/" + foreign + "-linux-gnu";
  if (!find_program(qemu) || !std::filesystem::exists(library + "/lib")) GTEST_SKIP() << "no " << qemu << " or no C library of " << foreign;
  auto folder = TemporaryFolder::make("host-copy-test");
  for (const char* flags : {"-O0", "-O1", "-O2", "-O3"}) {
    auto program = compiled(*folder, work, flags);
    ASSERT_TRUE(program) << program.error().message();
    auto copy = copy_for_this_host(*program);
    ASSERT_TRUE(copy) << copy.error().message();
    CountOptions here, there;
    there.runner = {qemu, "-L", library};
    auto fast = count_run(*copy, Stage::final, here), slow = count_run(*program, Stage::final, there);
    ASSERT_TRUE(fast && slow);
    EXPECT_EQ(fast->outcome.output, slow->outcome.output) << flags;
    ASSERT_EQ(fast->units[0].functions.size(), slow->units[0].functions.size());
    for (std::size_t f = 0; f < fast->units[0].functions.size(); f++) {
      const auto &a = fast->units[0].functions[f], &b = slow->units[0].functions[f];
      ASSERT_EQ(a.blocks.size(), b.blocks.size()) << a.name;
      for (std::size_t k = 0; k < a.blocks.size(); k++) EXPECT_EQ(a.blocks[k].count, b.blocks[k].count) << flags << " " << a.name << " " << a.blocks[k].name;
    }
  }
}

TEST(HostCopy, RefusesWhatDependsOnTheTarget) {
  EXPECT_NE(refusal("int f(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); int r = __builtin_va_arg(l, int); __builtin_va_end(l); return r; } "
                    "int main(void) { return f(1, 0); }").find("variable arguments"), std::string::npos);
  EXPECT_NE(refusal("volatile long double x = 1; int main(void) { return x > 2; }").find("long double"), std::string::npos);
  EXPECT_NE(refusal("int main(void) { __asm__ volatile(\"nop\"); return 0; }").find("inline assembly"), std::string::npos);
  EXPECT_NE(refusal("int setjmp(void *) __attribute__((returns_twice)); static long b[64]; int main(void) { return setjmp(b); }").find("setjmp"), std::string::npos);
  EXPECT_EQ(refusal("int main(void) { return 0; }"), "");
}

// What the front end settles by the target, written as the system's headers have it.
TEST(HostCopy, RefusesWhatTheHostUnderstandsOtherwise) {
  const std::string open = "int open(const char *, int, ...);\n"
                           "#ifdef __aarch64__\n#define O_DIRECTORY 040000\n#else\n#define O_DIRECTORY 0200000\n#endif\n";
  EXPECT_NE(refusal(open + "int main(int argc, char **argv) { int how = 0; if (argc > 1) how |= O_DIRECTORY; return open(argv[0], how); }").find("a constant of the system in main"),
            std::string::npos);
  EXPECT_EQ(refusal(open + "int main(int argc, char **argv) { (void)argc; return open(argv[0], 0); }"), "");
  const std::string stat = "#ifdef __aarch64__\nstruct stat { long a; int b; };\n#else\nstruct stat { long a, b; };\n#endif\nint look(const char *, struct stat *);\n";
  EXPECT_NE(refusal(stat + "int main(void) { struct stat s; return look(\"\", &s); }").find("the layout of struct.stat"), std::string::npos);
  EXPECT_NE(refusal("float cabsf(float _Complex); int main(int argc, char **argv) { (void)argv; return cabsf(argc) > 1; }").find("the calling convention of cabsf"), std::string::npos);
  EXPECT_NE(refusal("struct b { long x[4]; }; int take(struct b); int main(void) { struct b s = {{1}}; return take(s); }").find("the calling convention of take"), std::string::npos);
  EXPECT_NE(refusal("int n = sizeof(long double) * __LDBL_DIG__; int main(void) { return n; }").find("the variable n"), std::string::npos);
}

// Functions of the program may pass each other what they like, and pairs of integers travel alike everywhere.
TEST(HostCopy, AllowsWhatStaysInTheProgram) {
  EXPECT_EQ(refusal("struct v { float x, y, z; }; __attribute__((noinline)) static float f(struct v a, float _Complex c) { return a.x * a.z + __real__ c; }\n"
                    "struct d { long q, r; }; struct d divide(long, long);\n"
                    "int main(int argc, char **argv) { (void)argv; struct v a = {argc, 2, 3}; return f(a, argc) > divide(argc, 2).r; }"), "");
  EXPECT_EQ(refusal("struct S { S(); ~S(); int n; }; struct I { int *at; }; struct nothing {}; int walk(I, I, nothing);\n"
                    "int main(int argc, char **) { static S s; S *more = new S[argc]; I i{&s.n}; int n = walk(i, i, {}); delete[] more; return n; }", "t.cc"), "");
}

// Fortran for the other instruction set needs its run-time library there, which few have: the package is named.
TEST(HostCopy, FortranThatDoesNotLinkNamesThePackage) {
  if (!find_program("flang-new-19")) GTEST_SKIP() << "no flang-new-19";
  auto folder = TemporaryFolder::make("host-copy-test");
  auto program = compiled(*folder, "print *, 1\nend\n", "-O2", "t.f90");
  ASSERT_TRUE(program) << program.error().message();
  EXPECT_TRUE(copy_for_this_host(*program));
  if (auto built = build_plain(*program, folder->file("t")); !built)
    EXPECT_NE(built.error().try_this.find("libflang-19-dev:" + std::string(foreign == "aarch64" ? "arm64" : "amd64")), std::string::npos) << built.error().message();
}

}  // namespace perfcast::llvm_ir

// How programs of other compilers use memory, watched under emulation: walks whose distances are known beforehand.
#include <cmath>

#include "frontends/machine_code/binary.h"
#include "frontends/machine_code/test_support.h"

namespace perfcast::machine_code {
namespace {

// Arrays of 1024 lines; a ring of 512 nodes of a line.
const std::string walks = std::string(bare_start) + R"(
#define PASSES 10
#define EVERY_TIME __asm__ volatile("" ::: "memory")
struct node { struct node *next; long pad[7]; };
static long a[8192] __attribute__((aligned(4096))), b[8192] __attribute__((aligned(4096)));
static int where[8192];
static struct node ring[512] __attribute__((aligned(4096)));
__attribute__((noinline)) long stream(const long *p, long n) { long s = 0; for (long i = 0; i < n; i++) s += p[i]; return s; }
__attribute__((noinline)) void fill(long *p, long n, long v) { for (long i = 0; i < n; i++) p[i] = v; }
__attribute__((noinline)) long strided(const long *p, long n) { long s = 0; for (long i = 0; i < n; i += 16) s += p[i]; return s; }
__attribute__((noinline)) long gather(const long *p, const int *ix, long n) { long s = 0; for (long i = 0; i < n; i++) s += p[ix[i]]; return s; }
__attribute__((noinline)) long chase(struct node *p, long n) { for (long i = 0; i < n; i++) p = p->next; return (long)p; }
int run(void) {
  long s = 0;
  for (long i = 0; i < 8192; i++) where[i] = i * 4099 % 8192;
  for (long i = 0; i < 512; i++) ring[i * 37 % 512].next = &ring[(i + 1) * 37 % 512];
  for (int r = 0; r < REPEAT; r++) {
    for (int k = 0; k < PASSES; k++) { s += stream(a, 8192); EVERY_TIME; }
    for (int k = 0; k < PASSES; k++) fill(b, 8192, k);
    for (int k = 0; k < PASSES; k++) { s += strided(a, 8192); EVERY_TIME; }
    for (int k = 0; k < PASSES; k++) { s += gather(b, where, 8192); EVERY_TIME; }
    s += chase(ring, 512 * PASSES);
  }
  return s & 1;
}
)";

// Of the function's one access of this kind, the one that is executed most.
const Access* access_in(const Graph& graph, const std::string& function, bool store, AddressKind kind) {
  const Access* found = nullptr;
  for (const Function& f : graph.functions)
    if (f.name == function)
      for (const Block& block : f.blocks)
        for (const Access& access : block.accesses)
          if (access.store == store && access.kind == kind && (!found || access.count > found->count)) found = &access;
  return found;
}

double share_between(const Access& access, double least, double most) {
  double share = 0;
  for (const DistanceBin& bin : access.lines)
    if (bin.distance >= least && bin.distance <= most) share += bin.share;
  return share;
}

// One line in eight elements is new in each pass, 1024 lines ago (bins are a quarter of an octave wide).
void expect_walks(const Graph& graph, int repeats, double tolerance) {
  const Access* stream = access_in(graph, "stream", false, AddressKind::regular);
  ASSERT_TRUE(stream);
  EXPECT_EQ(stream->count, 81920.0 * repeats);
  EXPECT_EQ(stream->bytes, 8);
  EXPECT_EQ(stream->stride_bytes, 8);
  EXPECT_NEAR(share_between(*stream, 0, 16), 0.875, tolerance);
  EXPECT_NEAR(share_between(*stream, 850, 1250), (repeats == 1 ? 0.9 : 0.975) / 8, tolerance);
  for (const DistanceBin& bin : stream->lines)
    if (bin.distance > 850 && bin.distance < 1250) EXPECT_GT(bin.near, 0.9);  // a prefetcher has it
  const Access* fill = access_in(graph, "fill", true, AddressKind::regular);
  ASSERT_TRUE(fill);
  EXPECT_NEAR(share_between(*fill, 850, 1250), 0.9 / 8, tolerance);
  EXPECT_FALSE(fill->dirtied.empty());
  const Access* strided = access_in(graph, "strided", false, AddressKind::regular);
  ASSERT_TRUE(strided);
  EXPECT_EQ(strided->stride_bytes, 128);
  EXPECT_NEAR(share_between(*strided, 430, 620), 0.9, 4 * tolerance);  // every other line
  const Access* gather = access_in(graph, "gather", false, AddressKind::indexed);
  ASSERT_TRUE(gather);
  EXPECT_FALSE(gather->stride_bytes && std::abs(*gather->stride_bytes) < 64);
  const Access* chase = access_in(graph, "chase", false, AddressKind::chase);
  ASSERT_TRUE(chase);
  EXPECT_EQ(chase->count, 5120.0 * repeats);
  EXPECT_NEAR(share_between(*chase, 430, 620), 0.9, 4 * tolerance);
}

std::vector<std::string> build(const std::string& compiler, const std::string& source, const std::string& to, int repeats) {
  return {compiler, "-O1", "-g", "-nostdlib", "-static", "-fno-tree-vectorize", "-fno-stack-protector", "-DREPEAT=" + std::to_string(repeats), source, "-o", to};
}

TEST(BinaryMemory, AShortRunIsWatchedWhole) {
  NEEDS(host_qemu);
  NEEDS("gcc");
  Workshop shop;
  run_or_fail(build("gcc", shop.source("walks.c", walks), shop.file("walks"), 1));
  auto profile = analyze_binary(shop.file("walks"), {});
  ASSERT_TRUE(profile) << profile.error().message();
  EXPECT_EQ(profile->made_by.more.at("memory bursts"), "the whole run");
  expect_walks(*profile->machine, 1, 0.002);
  const Access* stream = access_in(*profile->machine, "stream", false, AddressKind::regular);
  EXPECT_NEAR(stream->cold, 0.0125, 1e-6);  // the first pass
  auto again = analyze_binary(shop.file("walks"), {});
  ASSERT_TRUE(again);
  EXPECT_EQ(profile->machine, again->machine);
}

TEST(BinaryMemory, ALongerOneInBursts) {
  NEEDS(host_qemu);
  NEEDS("gcc");
  Workshop shop;
  const int repeats = 40;
  run_or_fail(build("gcc", shop.source("walks.c", walks), shop.file("walks"), repeats));
  auto profile = analyze_binary(shop.file("walks"), {});
  ASSERT_TRUE(profile) << profile.error().message();
  EXPECT_NE(profile->made_by.more.at("memory bursts"), "the whole run");
  expect_walks(*profile->machine, repeats, 0.03);
  auto again = analyze_binary(shop.file("walks"), {});
  ASSERT_TRUE(again);
  EXPECT_EQ(profile->machine, again->machine);  // bursts are laid by instructions, not by time
}

TEST(BinaryMemory, TheOtherInstructionSet) {
  NEEDS(foreign_qemu);
  NEEDS(foreign_gcc);
  Workshop shop;
  run_or_fail(build(foreign_gcc, shop.source("walks.c", walks), shop.file("walks"), 1));
  auto profile = analyze_binary(shop.file("walks"), {});
  ASSERT_TRUE(profile) << profile.error().message();
  expect_walks(*profile->machine, 1, 0.002);
  EXPECT_NEAR(profile->run.page_faults, 48, 8);  // pages of the arrays, where the host cannot run it
}

TEST(BinaryMemory, NotWhenItIsNotAsked) {
  NEEDS(host_qemu);
  NEEDS("gcc");
  Workshop shop;
  run_or_fail(build("gcc", shop.source("walks.c", walks), shop.file("walks"), 1));
  BinaryOptions options;
  options.memory = WatchMemory::no;
  auto profile = analyze_binary(shop.file("walks"), {}, options);
  ASSERT_TRUE(profile) << profile.error().message();
  EXPECT_FALSE(profile->made_by.more.contains("memory bursts"));
  EXPECT_FALSE(access_in(*profile->machine, "stream", false, AddressKind::regular));
}

// Unoptimised code passes the pointer through a stack slot.
TEST(BinaryMemory, AChaseThroughAStackSlot) {
  NEEDS(host_qemu);
  NEEDS("gcc");
  Workshop shop;
  auto command = build("gcc", shop.source("walks.c", walks), shop.file("walks"), 1);
  command[1] = "-O0";
  run_or_fail(command);
  auto profile = analyze_binary(shop.file("walks"), {});
  ASSERT_TRUE(profile) << profile.error().message();
  const Access* chase = access_in(*profile->machine, "chase", false, AddressKind::chase);
  ASSERT_TRUE(chase);
  EXPECT_NEAR(share_between(*chase, 430, 620), 0.9, 0.01);
  EXPECT_TRUE(access_in(*profile->machine, "gather", false, AddressKind::indexed));
}

// Several threads, a child process, and signals do no harm.
TEST(BinaryMemory, ThreadsChildrenAndSignals) {
  NEEDS(host_qemu);
  Workshop shop;
  const char* text = R"(
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile long ticks;
static void tick(int s) { (void)s; ticks++; }
static void* work(void* p) { long* a = p; for (int k = 0; k < 150; k++) for (int i = 0; i < 10000; i++) a[i] += k; return 0; }
int main(void) {
  struct itimerval every = {{0, 1000}, {0, 1000}};
  signal(SIGALRM, tick), setitimer(ITIMER_REAL, &every, 0);
  pthread_t t[4]; long* a = calloc(40000, 8);
  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, work, a + 10000 * i);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  pid_t child = fork();
  if (!child) { work(a); _exit(5); }
  int status = 0;
  while (waitpid(child, &status, 0) != child) {}
  return WEXITSTATUS(status);
}
)";
  auto profile = analyze_binary(shop.clang("threads", shop.source("threads.c", text), {"-O1", "-pthread"}), {});
  ASSERT_TRUE(profile) << profile.error().message();
  EXPECT_EQ(profile->run.exit_code, 5);
  EXPECT_TRUE(access_in(*profile->machine, "work", true, AddressKind::regular));
}

// The emulator's own crashes come and go; this program crashes in its first run only.
TEST(BinaryMemory, AThreadedCrashIsTriedAgain) {
  NEEDS(host_qemu);
  Workshop shop;
  const char* text = R"(
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
static void* work(void* p) { return p; }
int main(int argc, char** argv) {
  pthread_t t;
  pthread_create(&t, 0, work, 0), pthread_join(t, 0);
  if (open(argv[argc - 1], O_CREAT | O_EXCL, 0600) >= 0) raise(SIGSEGV);
  return 4;
}
)";
  const std::string program = shop.clang("crash", shop.source("crash.c", text), {"-O1", "-pthread"});
  auto profile = analyze_binary(program, {shop.file("was-here")}, {});
  ASSERT_TRUE(profile) << profile.error().message();
  EXPECT_EQ(profile->run.exit_code, 4);
}

}  // namespace
}  // namespace perfcast::machine_code

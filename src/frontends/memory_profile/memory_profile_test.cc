#include "frontends/memory_profile/memory_profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <memory_profile_layout.h>

#include "frontends/memory_profile/estimate.h"
#include "frontends/memory_profile/test_program.h"

namespace perfcast::memory_profile {
namespace {

// What a stranger might write: streams, a gather, a chase, branches that cannot be guessed, exceptions of no kind.
const char* const program_text = R"(
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; long pad[7]; };
static unsigned long state = 1;
static unsigned long rnd(void) { state = state * 6364136223846793005ul + 1442695040888963407ul; return state >> 33; }
__attribute__((noinline)) double stream(double *a, long n) { double s = 0; for (long i = 0; i < n; i++) s += a[i]; return s; }
__attribute__((noinline)) double gather(double *a, int *ix, long n) { double s = 0; for (long i = 0; i < n; i++) s += a[ix[i]]; return s; }
__attribute__((noinline)) long chase(struct node *p, long n) { long s = 0; for (long i = 0; i < n; i++) { p = p->next; s += (long)p & 64; } return s; }
__attribute__((noinline)) long guess(unsigned char *b, long n) { long s = 0; for (long i = 0; i < n; i++) if (b[i] & 1) s += rnd() & 3; return s; }
int main(void) {
  long n = 1 << 20, cells = 1 << 14;
  double *a = malloc(n * 8); int *ix = malloc(n * 4); struct node *nodes = malloc(cells * 64); unsigned char *b = malloc(n); long *order = malloc(cells * 8);
  for (long i = 0; i < n; i++) a[i] = i, ix[i] = rnd() % n, b[i] = rnd();
  for (long i = 0; i < cells; i++) order[i] = i;
  for (long i = cells - 1; i > 0; i--) { long j = rnd() % i, t = order[i]; order[i] = order[j], order[j] = t; }
  for (long i = 0; i < cells; i++) nodes[order[i]].next = &nodes[order[(i + 1) % cells]];
  double s = 0; long t = 0;
  for (int r = 0; r < 100; r++) { s += stream(a, n - r) + gather(a, ix, n - r); t += chase(nodes + r, n / 8) + guess(b, n / 8 - r); }
  printf("%g %ld\n", s, t); return 0;
}
)";

class MemoryProfiling : public testing::TestWithParam<const char*> {};

const AccessSite* find(const MemoryProfile& profile, const std::string& function, auto wanted) {
  const AccessSite* best = nullptr;
  for (const AccessSite& site : profile.accesses)
    if (site.function == function && wanted(site.access) && (!best || site.touches > best->touches)) best = &site;
  return best;
}

// Share of touches whose previous one lies at least `distance` lines back, as far as known.
double far_share(const Access& access, double distance) {
  double share = access.unknown;
  for (const DistanceBin& bin : access.lines)
    if (bin.distance >= distance) share += bin.share;
  return share;
}

// Of the touches whose previous one lies at least `distance` lines back, those whose neighbours were touched lately: a stream's.
double near_share(const AccessSite* site, double distance = 0) {
  double near = 0, all = 0;
  if (site)
    for (const DistanceBin& bin : site->access.lines)
      if (bin.distance >= distance) near += bin.share * bin.near, all += bin.share;
  return near / all;
}

}  // namespace

// Straight through main, so that no burst meets the copies; and a comparison that waits for strings lying anywhere.
TEST(MemoryProfile, LongCopiesAreSeenBetweenBursts) {
  auto profile = profile_of(R"(
#include <stdlib.h>
#include <string.h>
#include <time.h>
int main(int argc, char **argv) {
  size_t n = (size_t)(8 << 20) * argc;
  char *a = aligned_alloc(64, n), *b = aligned_alloc(64, n);
  memset(a, argc, n);
  memcpy(b, a, n);
  int same = strcmp(b, argv[0]) == 0;
  a[same] = b[n / 3];
  memcpy(b, a, n);
  struct timespec t;
  do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); while (t.tv_sec < 1 && t.tv_nsec < 300000000);
  return b[n / 2] + same == 77;
}
)", {});
  ASSERT_TRUE(profile) << profile.error().message();
  std::vector<const AccessSite*> ranges;
  int first_lines = 0;
  for (const AccessSite& site : profile->accesses) {
    if (site.lines_per_execution > 0) ranges.push_back(&site);
    first_lines += site.access.bytes == 64 && site.lines_per_execution == 0;
  }
  ASSERT_EQ(ranges.size(), 4u);  // set, set (LLVM knows what it would copy); read, written
  EXPECT_EQ(first_lines, 2);
  for (const AccessSite* site : ranges) EXPECT_EQ(site->lines_per_execution, 131072);
  EXPECT_EQ(ranges[0]->access.unknown, 1);
  for (std::size_t copied : {2, 3}) {
    EXPECT_EQ(ranges[copied]->access.unknown, 0);
    EXPECT_EQ(far_share(ranges[copied]->access, 100000), 1);  // after 8 MB or 16 MB
    EXPECT_LT(ranges[copied]->access.lines.back().distance, 330000);
    EXPECT_EQ(ranges[copied]->access.lines.back().near, 1);
  }
}

// One page in 32, as many of each stretch of memory; of a stencil's streams through eight arrays, one behind the other, hardly ever
// three at once, and no three of them always.
TEST(FollowedPages, AreEvenAndIndependent) {
  constexpr std::uint64_t share = 32, stretch = 1024, row = 4720, array = 1020 * row;
  auto followed = [](std::uint64_t page) { return perfcast_place_hash(page) < (1 << 24) / share; };
  constexpr std::array streams{std::uint64_t{0}, 1 * row, 2 * row, 3 * row, array, array + row, array + 2 * row, array + 3 * row, 2 * array, 3 * array, 4 * array, 6 * array, 7 * array};
  for (std::uint64_t first : {1'000'000u, 34'567'890u}) {
    std::map<std::uint64_t, double> watched, crowded;
    for (std::uint64_t page = first; page < first + 4 * stretch; page++)
      for (std::uint64_t stream : streams) {
        const auto here = page + (stream >> 12);
        if (!followed(here)) continue;
        const auto others = std::ranges::count_if(streams, [&](std::uint64_t other) { return page + (other >> 12) != here && followed(page + (other >> 12)); });
        watched[stream]++, crowded[stream] += others >= 2;
      }
    for (std::uint64_t stream : streams) {
      EXPECT_NEAR(watched[stream], 4 * stretch / share, 12);
      EXPECT_LT(crowded[stream], 0.25 * watched[stream]);
    }
  }
}

TEST(Estimate, AllSeenIsTheHistogram) {
  Observed observed;
  observed.seen.assign(96, {}), observed.censored.assign(96, {});
  observed.seen[0][0] = 75, observed.seen[40][0] = 25;
  auto distribution = estimate(observed);
  ASSERT_EQ(distribution.bins.size(), 2u);
  EXPECT_DOUBLE_EQ(distribution.bins[0].share, 0.75);
  EXPECT_DOUBLE_EQ(distribution.bins[1].share, 0.25);
  EXPECT_EQ(distribution.beyond, 0);
}

TEST(Estimate, CensoredTouchesAreSharedAmongTheLonger) {
  // Of 100 touches 50 are seen at distance 0; 30 are censored in a short burst; 20 seen far.
  Observed observed;
  observed.seen.assign(96, {}), observed.censored.assign(96, {});
  observed.seen[0][0] = 50, observed.censored[20][0] = 30, observed.seen[60][0] = 20;
  auto distribution = estimate(observed);
  EXPECT_NEAR(distribution.bins.back().share, 0.5, 1e-9);
  EXPECT_NEAR(distribution.beyond, 0, 1e-9);
}

TEST(Estimate, WhatNobodySawIsUnknown) {
  Observed observed;
  observed.seen.assign(96, {}), observed.censored.assign(96, {});
  observed.seen[0][0] = 80, observed.censored[50][0] = 20;
  EXPECT_NEAR(estimate(observed).beyond, 0.2, 1e-9);
}

TEST(Estimate, CoarseSamplingDoesNotSpeakOfShortDistances) {
  Observed observed;
  observed.seen.assign(96, {}), observed.censored.assign(96, {});
  observed.seen[0][0] = 90, observed.censored[40][0] = 10;  // fine, short bursts
  observed.seen[0][2] = 500, observed.seen[70][2] = 64;     // coarse: a hot line was in the sample by chance
  auto distribution = estimate(observed);
  EXPECT_NEAR(distribution.bins.front().share, 0.9, 1e-9);
  EXPECT_NEAR(distribution.bins.back().share, 0.1, 1e-9);
}

TEST(Estimate, ABlurredDistanceIsStillAReuse) {
  // 15 of 16 touches are reuses after some 2100 lines, which coarse sampling sees as a little less or a little more; short
  // bursts see nothing of it.
  Observed observed;
  observed.seen.assign(96, {}), observed.censored.assign(96, {});
  observed.censored[36][0] = 500;
  observed.seen[43][2] = 450, observed.seen[44][2] = 487.5, observed.censored[70][2] = 62.5;
  EXPECT_NEAR(estimate(observed).beyond, 1.0 / 16, 1e-9);
}

// Code that jumps to labels by their address cannot have two versions; it is watched all the same.
TEST(MemoryProfile, JumpsToLabelsAreWatched) {
  const char* const text = R"(
__attribute__((noinline)) long run(const unsigned char *p, long n) {
  static void *const to[] = {&&a, &&b, &&c, &&d};
  long s = 0;
#define NEXT if (!n--) return s; goto *to[*p++]
  NEXT;
  a: s += 1; NEXT;
  b: s ^= 2; NEXT;
  c: s += 3; NEXT;
  d: s <<= 1; NEXT;
}
int main(void) {
  static unsigned char p[300000]; unsigned x = 7;
  for (int i = 0; i < 300000; i++) x = x * 1664525u + 1013904223u, p[i] = x >> 30;
  return (int)run(p, 300000) & 1;
})";
  Options options;
  options.whole_run = true;
  auto profile = profile_of(text, options);
  ASSERT_TRUE(profile) << profile.error().message();
  double executed = 0, wrong = 0;
  for (const BranchSite& site : profile->branches)
    if (site.function == "run") executed += site.executed, wrong += site.mispredicted.large;
  EXPECT_GT(wrong, 0.3 * executed);  // three of four jumps, of the jumps and as many looks at n
  EXPECT_TRUE(find(*profile, "run", [](const Access& a) { return !a.store && a.bytes == 1; }));
}

// A list in the order of its allocation but for places nearby is fetched ahead when it comes from far; a shuffled one is not.
TEST(MemoryProfile, ListsNearlyInOrderAreStreams) {
  const char* const text = R"(#include <stdlib.h>
struct node { struct node *next; char pad[56]; };
__attribute__((noinline)) long nearly(struct node *p, long n) { long s = 0; for (; n; n--) p = p->next, s += (long)p & 64; return s; }
__attribute__((noinline)) long shuffled(struct node *p, long n) { long s = 0; for (; n; n--) p = p->next, s += (long)p & 64; return s; }
static struct node *list(long n, long group) {
  struct node *nodes = aligned_alloc(4096, n * sizeof *nodes); long *order = malloc(n * sizeof *order); unsigned x = 7;
  for (long i = 0; i < n; i++) order[i] = i;
  for (long k = 0; k < n; k += group)
    for (long i = group - 1; i > 0; i--) { x = x * 1664525u + 1013904223u; long j = (x >> 8) % (i + 1), t = order[k + i]; order[k + i] = order[k + j]; order[k + j] = t; }
  for (long i = 0; i < n; i++) nodes[order[i]].next = &nodes[order[(i + 1) % n]];
  return nodes;
}
int main(void) { long n = 32768; return (int)(nearly(list(n, 8), 2 * n) + shuffled(list(n, n), 2 * n)) & 1; }
)";
  Options options;
  options.whole_run = true;
  auto profile = profile_of(text, options);
  ASSERT_TRUE(profile) << profile.error().message();
  auto loads = [](const Access& a) { return !a.store; };
  EXPECT_GT(near_share(find(*profile, "nearly", loads)), 0.8);
  EXPECT_LT(near_share(find(*profile, "shuffled", loads)), 0.1);
}

// Of a small list most neighbours of a line were touched not long ago, whichever pages a burst follows. That makes no stream.
TEST(MemoryProfile, ASmallListInRandomOrderIsNoStream) {
  auto profile = profile_of(R"(#include <stdlib.h>
struct node { struct node *next; char pad[8]; };
__attribute__((noinline)) long shuffled(struct node *p, long n) { long s = 0; for (; n; n--) p = p->next, s += (long)p & 64; return s; }
int main(void) {
  long n = 8192; struct node *nodes = aligned_alloc(4096, n * sizeof *nodes); long *order = malloc(n * sizeof *order); unsigned x = 7;
  for (long i = 0; i < n; i++) order[i] = i;
  for (long i = n - 1; i > 0; i--) { x = x * 1664525u + 1013904223u; long j = (x >> 8) % (i + 1), t = order[i]; order[i] = order[j]; order[j] = t; }
  for (long i = 0; i < n; i++) nodes[order[i]].next = &nodes[order[(i + 1) % n]];
  return (int)shuffled(nodes, 40000000) & 1;
}
)", {});
  ASSERT_TRUE(profile) << profile.error().message();
  const AccessSite* site = find(*profile, "shuffled", [](const Access& a) { return !a.store; });
  ASSERT_TRUE(site && site->touches > 1000);
  EXPECT_LT(near_share(site), 0.15);
}

// Rows of 800 bytes, five to a page, of more pages than a burst follows: every line comes again as part of a row.
TEST(MemoryProfile, AStencilOfShortRowsIsStreams) {
  auto profile = profile_of(R"(#include <stdio.h>
enum { n = 100 };
static double a[n][n][n], b[n][n][n];
__attribute__((noinline)) void relax(double (*to)[n][n], double (*from)[n][n]) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      for (int k = 1; k < n - 1; k++)
        to[i][j][k] = from[i - 1][j][k] + from[i + 1][j][k] + from[i][j - 1][k] + from[i][j + 1][k] + from[i][j][k - 1] + from[i][j][k + 1];
}
int main(void) {
  for (int r = 0; r < 150; r++) relax(a, b), relax(b, a);
  printf("%g\n", a[7][7][7]);
}
)", {});
  ASSERT_TRUE(profile) << profile.error().message();
  int far = 0;
  for (const AccessSite& site : profile->accesses) {
    if (site.function != "relax" || far_share(site.access, 4096) < 0.05) continue;
    far++;
    EXPECT_GT(near_share(&site, 4096), 0.95) << "site " << far;
  }
  EXPECT_GT(far, 0);
}

// Of three keys in turn each meets the store three stores ago; of many in a random order hardly one meets a recent store.
TEST(MemoryProfile, CountersRaisedJustBeforeAreMet) {
  const char* const text = R"(#include <stdio.h>
static unsigned x = 7;
static unsigned rnd(void) { x = x * 1664525u + 1013904223u; return x >> 8; }
__attribute__((noinline)) void few(int *count, const int *key, long n) { for (long i = 0; i < n; i++) count[key[i]]++; }
__attribute__((noinline)) void many(int *count, const int *key, long n) { for (long i = 0; i < n; i++) count[key[i]]++; }
int main(void) {
  static int count[65536], turn[3000], key[3000];
  for (int i = 0; i < 3000; i++) turn[i] = 100 * (i % 3), key[i] = (int)(rnd() % 65536);
  for (int r = 0; r < 20000; r++) few(count, turn, 3000), many(count, key, 3000);
  printf("%d\n", count[100]);
}
)";
  Options options;
  options.expected_seconds = 0.1;
  auto profile = profile_of(text, options);
  ASSERT_TRUE(profile) << profile.error().message();
  auto counter = [](const Access& access) { return !access.store && access.kind == AddressKind::indexed; };
  const AccessSite *few = find(*profile, "few", counter), *many = find(*profile, "many", counter);
  ASSERT_TRUE(few && many);
  ASSERT_TRUE(few->access.meetings_seen && many->access.meetings_seen);
  ASSERT_FALSE(few->access.meetings.empty());
  EXPECT_EQ(few->access.meetings[0].distance, 3);
  EXPECT_GT(few->access.meetings[0].share, 0.95);
  double met = 0;
  for (const DistanceBin& bin : many->access.meetings) met += bin.share;
  EXPECT_LT(met, 0.05);
}

// Two arrays a number of pages apart: each load comes behind the store to the element before it in the other; behind two where another
// array is written there as well; none where they lie otherwise, be it by bytes.
TEST(MemoryProfile, StoresToTheSamePlaceOfAnotherPageAreSeen) {
  const char* const text = R"(#include <stdio.h>
static double pages[65536] __attribute__((aligned(4096)));
__attribute__((noinline)) void together(double *to, const double *from, long n) {
#pragma clang loop vectorize(disable) unroll(disable)
  for (long i = 1; i < n; i++) to[i] = 0.5 * from[i - 1];
}
__attribute__((noinline)) void apart(double *to, const double *from, long n) {
#pragma clang loop vectorize(disable) unroll(disable)
  for (long i = 1; i < n; i++) to[i] = 0.5 * from[i - 1];
}
__attribute__((noinline)) void both(double *to, double *also, const double *from, long n) {
#pragma clang loop vectorize(disable) unroll(disable)
  for (long i = 1; i < n; i++) to[i] = 0.5 * from[i - 1], also[i] = 2;
}
__attribute__((noinline)) void bytes(char *to, const char *from, long n) {
#pragma clang loop vectorize(disable) unroll(disable)
  for (long i = 1; i < n; i++) to[i] = from[i] + 1;
}
int main(void) {
  for (int r = 0; r < 40000; r++) {
    together(pages, pages + 8192, 2000), apart(pages, pages + 8192 + 256, 2000);
    both(pages, pages + 16384, pages + 8192, 2000), bytes((char *)pages, (char *)(pages + 8192), 2000);
  }
  printf("%g\n", pages[7]);
}
)";
  Options options;
  options.expected_seconds = 0.1;
  auto profile = profile_of(text, options);
  ASSERT_TRUE(profile) << profile.error().message();
  auto loads = [](const Access& access) { return !access.store; };
  const AccessSite *together = find(*profile, "together", loads), *apart = find(*profile, "apart", loads);
  const AccessSite *both = find(*profile, "both", loads), *bytes = find(*profile, "bytes", loads);
  ASSERT_TRUE(together && apart && both && bytes);
  ASSERT_EQ(both->access.aliases.size(), 2);
  EXPECT_GT(both->access.aliases[1].share, 0.95);
  EXPECT_TRUE(bytes->access.aliases.empty());
  ASSERT_FALSE(together->access.aliases.empty());
  EXPECT_EQ(together->access.aliases[0].distance, 1);
  EXPECT_GT(together->access.aliases[0].share, 0.95);
  double seen = 0;
  for (const DistanceBin& bin : apart->access.aliases) seen += bin.share;
  EXPECT_LT(seen, 0.05);
}

TEST_P(MemoryProfiling, TellsStreamsGathersAndChasesApart) {
  auto folder = TemporaryFolder::make("test");
  std::string source = folder->file("program.c");
  ASSERT_TRUE(write_file(source, program_text));
  llvm_ir::CompileRequest request;
  request.sources = {source}, request.cflags = GetParam();
  auto program = llvm_ir::compile_program(request);
  ASSERT_TRUE(program) << program.error().message();
  std::string plain = folder->file("plain");
  ASSERT_TRUE(llvm_ir::build_plain(*program, plain));
  RunRequest run;
  run.command = {plain};
  auto expected = run_program(run);
  auto profile = profile_memory(*program, {}, {});
  ASSERT_TRUE(profile) << profile.error().message();
  EXPECT_EQ(profile->outcome.output, expected->output);  // two versions, one meaning
  EXPECT_GT(profile->short_bursts, 2);

  auto loads = [](const Access& a) { return !a.store && a.bytes >= 8; };
  const AccessSite* stream = find(*profile, "stream", loads);
  ASSERT_TRUE(stream && stream->touches > 1000);
  EXPECT_EQ(stream->access.kind == AddressKind::chase, false);
  // One line in eight elements is new; it comes from far, next to one touched before.
  const AccessSite* gather = find(*profile, "gather", [&](const Access& a) { return loads(a) && a.kind == AddressKind::indexed; });
  if (std::string(GetParam()) != "-O0") {
    if (stream->access.stride_bytes) EXPECT_LE(std::abs(*stream->access.stride_bytes), 512);
    EXPECT_NEAR(far_share(stream->access, 20000), far_share(stream->access, 1000), 0.05);
    ASSERT_TRUE(gather && gather->touches > 1000);
    EXPECT_LT(near_share(gather), 0.15);
    EXPECT_GT(far_share(gather->access, 20000), 0.5);
    const AccessSite* chase = find(*profile, "chase", loads);
    ASSERT_TRUE(chase);
    EXPECT_EQ(chase->access.kind, AddressKind::chase);
    EXPECT_NEAR(far_share(chase->access, 10000), 1, 0.1);  // 16384 nodes of a line each
    EXPECT_LT(far_share(chase->access, 40000), 0.2);
  }
  double executed = 0, mispredicted = 0;
  for (const BranchSite& branch : profile->branches)
    if (branch.function == "guess") executed += branch.executed, mispredicted += branch.mispredicted.large;
  if (executed > 1000) {
    EXPECT_GT(mispredicted / executed, 0.15);
    EXPECT_LT(mispredicted / executed, 0.35);
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, MemoryProfiling, testing::Values("-O0", "-O2", "-O3"));

}  // namespace perfcast::memory_profile

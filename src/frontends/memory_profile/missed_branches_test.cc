// What the simulated predictors miss of whole programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "frontends/memory_profile/test_program.h"

namespace perfcast::memory_profile {

// The same 2000 random bytes over and over: a core of today knows them after a few rounds, which no short burst sees.
TEST(MemoryProfile, BranchesOnDataThatComeBackAreLearned) {
  const char* const text = R"(#include <stdio.h>
static unsigned x = 7;
static unsigned rnd(void) { x = x * 1664525u + 1013904223u; return x >> 16; }
__attribute__((noinline)) long guess(const unsigned char *b, long n) { long s = 0; for (long i = 0; i < n; i++) if (b[i] & 1) { s += i; __asm__ volatile("" : "+r"(s)); } return s; }
int main(void) {
  static unsigned char b[2000];
  long s = 0;
  for (int i = 0; i < 2000; i++) b[i] = rnd();
  for (int r = 0; r < 30000; r++) s += guess(b, sizeof b);
  printf("%ld\n", s);
}
)";
  Options options;
  options.expected_seconds = 0.06;
  auto profile = profile_of(text, options);
  ASSERT_TRUE(profile) << profile.error().message();
  double executed = 0;
  Mispredictions mispredicted;
  for (const BranchSite& branch : profile->branches)
    if (branch.function == "guess") executed += branch.executed, mispredicted += branch.mispredicted;
  ASSERT_GT(executed, 0);
  EXPECT_LT(mispredicted.large / executed, 0.1);
}

// The end of a loop of 150 iterations, again and again: only a large predictor remembers so far back.
TEST(MemoryProfile, EndsOfLongLoopsAreASurpriseToASmallPredictor) {
  const char* const text = R"(#include <stdio.h>
__attribute__((noinline)) long walk(long n) { long s = 0; for (long i = 0; i < n; i++) { s += i; __asm__ volatile("" : "+r"(s)); } return s; }
int main(void) { long s = 0; for (int r = 0; r < 3000; r++) s += walk(150); printf("%ld\n", s); }
)";
  Options options;
  options.whole_run = true;
  auto profile = profile_of(text, options);
  ASSERT_TRUE(profile) << profile.error().message();
  double ends = 0;
  Mispredictions mispredicted;
  for (const BranchSite& branch : profile->branches)
    if (branch.function == "walk") ends += std::min(branch.taken, branch.executed - branch.taken), mispredicted += branch.mispredicted;
  ASSERT_GT(ends, 1000);
  EXPECT_LT(mispredicted.large, 0.2 * ends);
  EXPECT_GT(mispredicted.small, 0.8 * ends);
}

// The second of two choices goes as the first did, which goes by chance. That is known where both became branches. A third, by
// the condition of the first, would be one branch with it.
TEST(MemoryProfile, ChoicesThatBecameBranchesAreRemembered) {
  const char* const text = R"(#include <stdio.h>
static unsigned x = 7;
static unsigned rnd(void) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; return x >> 8; }
__attribute__((noinline)) long choose(const unsigned char *b, long n, long one, long two) {
  long s = 0, t = 0, u = 0;
  for (long i = 0; i < n; i++) {
    _Bool first = b[i] < 100, second = (b[i] & 1) != 0;
    s += first ? one : two, u ^= first ? two : one, t ^= second ? one : two;
    __asm__ volatile("" : "+r"(one), "+r"(two));
  }
  return s + t + u;
}
int main(void) {
  static unsigned char b[50000];
  for (int i = 0; i < 50000; i++) b[i] = rnd() & 1 ? 51 : 150;
  printf("%ld\n", choose(b, 50000, x & 3, x & 12));
}
)";
  Options options;
  options.whole_run = true;
  auto choices = [](const Result<MemoryProfile>& profile) {
    std::vector<BranchSite> found;
    for (const BranchSite& site : profile->branches)
      if (site.function == "choose" && site.kind == BranchKind::choice) found.push_back(site);
    return found;
  };
  auto forgotten = profile_of(text, options);
  ASSERT_TRUE(forgotten) << forgotten.error().message();
  const auto before = choices(forgotten);
  ASSERT_EQ(before.size(), 2u);
  auto remembered = profile_of(text, options, {.of_choices = {{{before[0].function, before[0].block}, {}}}, .of_parts = {}});
  ASSERT_TRUE(remembered) << remembered.error().message();
  const auto after = choices(remembered);
  ASSERT_EQ(after.size(), 2u);
  EXPECT_GT(before[1].mispredicted.large, 0.4 * before[1].executed);
  EXPECT_LT(after[1].mispredicted.large, 0.02 * after[1].executed);
  EXPECT_LT(after[1].mispredicted.path, 0.05 * after[1].executed);
  EXPECT_GT(after[0].mispredicted.large, 0.4 * after[0].executed);
}

// The second condition holds where the first part of the one before did; that one nearly always holds as a whole.
TEST(MemoryProfile, PartsThatBecameBranchesAreRemembered) {
  const char* const text = R"(#include <stdio.h>
static unsigned x = 7;
static unsigned rnd(void) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; return x >> 8; }
__attribute__((noinline)) long guess(const unsigned *b, long n) {
  long s = 0;
  for (long i = 0; i < n; i++) {
    if (b[i] < 8000 || (b[i] & 255) > 3) { s += i; __asm__ volatile("" : "+r"(s)); }
    if (b[i] >> 31) { s ^= i; __asm__ volatile("" : "+r"(s)); }
  }
  return s;
}
int main(void) {
  static unsigned b[50000];
  for (int i = 0; i < 50000; i++) b[i] = rnd() & 1 ? rnd() % 8000 : 1u << 31 | rnd() % 8000;
  printf("%ld\n", guess(b, 50000));
}
)";
  Options options;
  options.whole_run = true;
  auto share_missed = [](const Result<MemoryProfile>& profile) {  // of the last branch that goes both ways
    double share = 0;
    for (const BranchSite& site : profile->branches)
      if (site.function == "guess" && site.kind == BranchKind::branch && site.taken > 0.3 * site.executed && site.taken < 0.7 * site.executed)
        share = site.mispredicted.large / site.executed;
    return share;
  };
  auto forgotten = profile_of(text, options);
  ASSERT_TRUE(forgotten) << forgotten.error().message();
  const auto part = std::ranges::find(forgotten->branches, BranchKind::part, &BranchSite::kind);
  ASSERT_NE(part, forgotten->branches.end());
  auto remembered = profile_of(text, options, {.of_choices = {}, .of_parts = {{part->function, part->block}}});
  ASSERT_TRUE(remembered) << remembered.error().message();
  EXPECT_GT(share_missed(forgotten), 0.4);
  EXPECT_LT(share_missed(remembered), 0.02);
}

// Nearly always one of two conditions holds, but which one is a matter of chance; the pointer's target as well.
TEST(MemoryProfile, PartsOfAConditionAndCallsThroughPointersAreSeenApart) {
  const char* const text = R"(#include <stdio.h>
static unsigned x = 7;
static unsigned rnd(void) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; return x >> 8; }
static long one(long s) { return s + 1; }
static long two(long s) { return s ^ 2; }
static long (*volatile way[2])(long) = {one, two};
__attribute__((noinline)) long guess(const unsigned *b, long n) {
  long s = 0;
  for (long i = 0; i < n; i++) if (b[i] < 8000 || (b[i] & 255) > 3) { s += i; __asm__ volatile("" : "+r"(s)); }
  return s;
}
__attribute__((noinline)) long call(const unsigned *b, long n) { long s = 0; for (long i = 0; i < n; i++) s = way[b[i] & 1](s); return s; }
int main(void) {
  static unsigned b[50000];
  for (int i = 0; i < 50000; i++) b[i] = rnd() % 16000;
  printf("%ld\n", guess(b, 50000) + call(b, 50000));
}
)";
  Options options;
  options.whole_run = true;
  auto profile = profile_of(text, options);
  ASSERT_TRUE(profile) << profile.error().message();
  std::map<BranchKind, std::vector<double>> missed, taken;
  for (const BranchSite& site : profile->branches)
    if (site.function == (site.kind == BranchKind::call ? "call" : "guess") && site.executed > 1000)
      missed[site.kind].push_back(site.mispredicted.path / site.executed), taken[site.kind].push_back(site.taken / site.executed);
  ASSERT_EQ(missed[BranchKind::part].size(), 2u);
  EXPECT_NEAR(taken[BranchKind::part][0], 0.5, 0.02);
  EXPECT_GT(missed[BranchKind::part][0], 0.4);
  EXPECT_GT(taken[BranchKind::part][1], 0.95);
  EXPECT_LT(missed[BranchKind::part][1], 0.1);
  for (double whole : missed[BranchKind::branch]) EXPECT_LT(whole, 0.1);
  ASSERT_EQ(missed[BranchKind::call].size(), 1u);
  EXPECT_GT(missed[BranchKind::call][0], 0.4);
}

}  // namespace perfcast::memory_profile

// The memory profile's run-time library. The program has two versions of its code: a fast one, which looks at
// perfcast_burst on every loop edge, and a slow one, which reports its loads, stores and branches. A thread of our own
// turns bursts on and off; no signal is used, so that the program's own timers and system calls are left alone.
//
// Inside a burst reuse_tracker.h follows lines and pages. Results live in a shared mapping: they survive any ending.
//
// Bursts come at even times, so that a slow phase would count for more of a loop's executions than it has: a sieve spends
// most of its time on few, far steps. Each burst therefore begins by timing a stretch of reports that are only counted;
// what it sees weighs as many executions as this pace makes in the same time. Long bursts see many phases: they weigh as
// the short ones before them did on average.
#define _GNU_SOURCE
#include "branch_predictor.h"
#include "memory_profile_layout.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

extern const uint32_t perfcast_access_total, perfcast_branch_total;  // made by the last step of the build

volatile uint32_t perfcast_burst;     // read by the fast code
volatile uint64_t perfcast_threshold; // pages whose hash is below it are followed; 0: none
volatile uint64_t perfcast_offset;    // added to the number of a page before it is hashed: other pages in each burst

#include "reuse_tracker.h"
#include "long_ranges.h"

static struct perfcast_memory_header* header;
static struct perfcast_access_data* accesses;
static struct perfcast_branch_data* branches;

static double burst_start, burst_longest;
static uint64_t burst_deepest;  // distinct lines that end the burst
static int burst_long, burst_of_branches;
static uint64_t branches_in_burst;
static uint64_t paced;          // reports counted so far to find the pace; then the burst goes on to follow them
static double pace_start, report_ns, recent_weight;
static pthread_t owner;
static int owned;
static volatile int inside;

// Processor time, so that waiting for a busy machine neither ends a burst nor starts one.
static double seconds_by(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static double seconds(void) { return seconds_by(CLOCK_PROCESS_CPUTIME_ID); }
static void end_burst(void) {
  if (!perfcast_burst) return;
  perfcast_burst = 0, perfcast_threshold = 0;
  uint64_t deep = (uint64_t)lines.followed << halvings;
  if (deep > header->deepest_lines) header->deepest_lines = deep;
  header->burst_ns += (uint64_t)(1e9 * (seconds() - burst_start));
  burst_long ? header->long_bursts++ : header->short_bursts++;
}

static void follow_in_burst(uint32_t id, uint64_t address) {
  follow(&accesses[id & perfcast_access_number], (id & (uint32_t)perfcast_is_store) != 0, perfcast_bytes_of(id), address);
  if (((uint64_t)lines.followed << halvings) > burst_deepest) end_burst();
  else if ((event & 255) == 0 && seconds() - burst_start > burst_longest) end_burst();
}

// A burst follows the thread that reports first; the others go on.
static int mine(void) {
  if (!owned) owner = pthread_self(), owned = 1;
  return pthread_equal(owner, pthread_self()) && !inside;
}

// True while the pace of this burst is not yet known: the first reports, after a few that warm up, are counted and timed.
// What a report itself takes is known; below a quarter of that, nothing is told from zero.
enum { reports_to_warm_up = 256, reports_to_time = 2048 };
static int finding_pace(void) {
  if (paced > reports_to_warm_up + reports_to_time) return 0;
  if (paced == reports_to_warm_up) pace_start = seconds_by(CLOCK_THREAD_CPUTIME_ID);
  if (paced++ == reports_to_warm_up + reports_to_time) {
    double ns = 1e9 * (seconds_by(CLOCK_THREAD_CPUTIME_ID) - pace_start) / reports_to_time - report_ns;
    burst_weight = 1 / (ns > 0.25 * report_ns ? ns : 0.25 * report_ns);
    if (burst_long && recent_weight) burst_weight = recent_weight;
    else if (!burst_long) recent_weight = recent_weight ? 0.8 * recent_weight + 0.2 * burst_weight : burst_weight;
    burst_start = seconds(), perfcast_threshold = (uint64_t)full_hash >> halvings;
  }
  return 1;
}

void perfcast_access(uint32_t id, uint64_t address) {
  if (!perfcast_burst || !mine() || finding_pace()) return;
  inside = 1;
  follow_in_burst(id, address);
  inside = 0;
}

// Between bursts too, where the range may be long.
void perfcast_range(uint32_t id, uint64_t address, uint64_t bytes) {
  if (!accesses || !bytes) return;
  struct perfcast_access_data* a = &accesses[id & perfcast_access_number];
  const uint64_t from = address >> 6, to = ((address + bytes - 1) >> 6) + 1;
  a->range_calls++, a->range_lines += to - from;
  if (to - from >= long_range) follow_long_range(a, from, to);
  if (!perfcast_burst || !mine() || finding_pace()) return;
  inside = 1;
  for (uint64_t line = from; line < to && perfcast_burst; line++)
    if (page_hash(line >> 6) < perfcast_threshold) follow_in_burst(id, line << 6);
  inside = 0;
}

// Short bursts reach the branches of every part of the program, and those of branches, which follow no loads and stores, go
// on long enough to learn what comes back: the same data worked on again and again. The others skip branches.
static int watches_branches(void) { return perfcast_burst && (!burst_long || burst_of_branches) && mine() && !finding_pace(); }
enum { branches_to_warm_up = 200, branches_to_learn = 20000 };
static void count_branch(uint32_t id, int taken, int wrong) {
  // The history of the burst's start is not the program's.
  if (++branches_in_burst <= (burst_of_branches ? branches_to_learn : branches_to_warm_up)) return;
  branches[id].executed += burst_weight;
  if (taken) branches[id].taken += burst_weight;
  if (wrong & wrong_of_large) branches[id].mispredicted += burst_weight;
  if (wrong & wrong_of_small) branches[id].mispredicted_small += burst_weight;
  if (wrong & wrong_of_path) branches[id].mispredicted_path += burst_weight;
  if ((branches_in_burst & 1023) == 0 && seconds() - burst_start > burst_longest) end_burst();
}
void perfcast_branch(uint32_t id, uint32_t taken) {
  if (watches_branches()) count_branch(id, taken != 0, wrong_direction(id, taken != 0));
}
// A jump by a table or through a pointer.
void perfcast_jump(uint32_t id, uint64_t target) {
  if (watches_branches()) count_branch(id, 1, wrong_target(id, target));
}

// A choice between two values: the code generator may make a branch of it, or not; so history does without it.
void perfcast_choice(uint32_t id, uint32_t taken) {
  if (watches_branches()) count_branch(id, taken != 0, wrong_condition(id, taken != 0));
}
// A part of a condition that may be cut into a branch for each: whether it decides, where it is met at all.
void perfcast_part(uint32_t id, uint32_t decides, uint32_t met) {
  if (met) perfcast_choice(id, decides);
}
// One that is known to be a branch.
void perfcast_part_branch(uint32_t id, uint32_t decides, uint32_t met) {
  if (met) perfcast_branch(id, decides);
}

// ---- The clock of bursts.
static double setting(const char* name, double usual) {
  const char* text = getenv(name);
  return text ? atof(text) : usual;
}
// Kinds of bursts: many short ones reach every part of the program, a few long ones see far reuses, some follow branches
// alone. Each kind may take its share of the time; in a short program a little more, so that it gets long bursts too. These
// follow few pages, and so cost little per access and reach far.
enum { burst_kinds = 5, of_branches = 4 };
// Part of the run that one burst may take: the others must see something too. A short program is run again for long ones.
static const double longest_part = 0.34, longest_part_again = 1;
// What lies far back differs most from burst to burst, so runs again spend more on long ones.
static const double longer_again = 2.5;
static const struct { double seconds, share, least; int halvings; uint64_t deepest; } kinds[burst_kinds] = {
    {0.0005, 0.08, 0, 0, 65536}, {0.003, 0.06, 0.006, 0, 131072}, {0.02, 0.08, 0.04, 5, 4u << 20}, {0.12, 0.08, 0.05, 6, 8u << 20},
    {0.02, 0.04, 0.04, 0, UINT64_MAX}};
// Predictors learn all through a run what comes back seldom. In one run of each program bursts of branches take this much time
// instead, spread over it, and count from a fifth of it on.
static double learning;  // 0: not in this run
static const double learning_burst = 0.06;

static void start_burst(int kind) {
  restart(&lines), restart(&pages), forget_stores();
  halvings = kinds[kind].halvings, event = 0, owned = 0, burst_long = kind >= 2, burst_of_branches = kind == of_branches, branches_in_burst = 0;
  burst_longest = burst_of_branches && learning ? learning_burst : kinds[kind].seconds;
  burst_deepest = kinds[kind].deepest;
  burst_start = seconds();
  perfcast_offset = perfcast_offset * 6364136223846793005ull + 1442695040888963407ull;
  paced = 0, perfcast_threshold = full_hash;
  if (burst_of_branches) paced = UINT64_MAX, perfcast_threshold = 0, burst_weight = recent_weight ? recent_weight : 1;
  perfcast_burst = 1;
}
// Waits until the program has used this much processor time, or for the end of the burst when there is one.
static void wait_for(double time, int only_in_burst) {
  const double until = seconds() + time;
  for (double left = time; left > 0 && (!only_in_burst || perfcast_burst); left = until - seconds()) {
    double nap = left < 0.0005 ? 0.0005 : left > 0.1 ? 0.1 : only_in_burst ? 0.0005 : left;
    struct timespec t = {0, (long)(1e9 * nap)};
    nanosleep(&t, 0);
  }
}
// Whether a burst of this kind may begin, in a run that is expected to take `whole` seconds and has taken `now`.
static int is_due(int kind, const double* spent, double now, double whole, double scale, uint64_t repeat) {
  if (kind == of_branches && learning) {
    double plain = now;  // how far the program has come
    for (int k = 0; k < burst_kinds; k++) plain -= spent[k];
    const double due = 1.5 * plain / whole;  // it may end sooner than expected
    return spent[kind] < learning * (due < 1 ? due : 1);
  }
  if (kind == of_branches && repeat) return 0;
  const double more = repeat && kind >= 2 ? longer_again : 1;
  return kinds[kind].seconds <= (repeat ? longest_part_again : longest_part) * whole &&
         spent[kind] + kinds[kind].seconds <= more * (kinds[kind].share * scale + kinds[kind].least / whole) * now;
}
// What was seen before counts a hundredth: for branches that are not seen again.
static void count_anew(void) {
  for (uint32_t i = 0; i < perfcast_branch_total; i++) {
    struct perfcast_branch_data* b = &branches[i];
    b->executed *= 0.01, b->taken *= 0.01, b->mispredicted *= 0.01, b->mispredicted_small *= 0.01, b->mispredicted_path *= 0.01;
  }
}
static uint64_t earlier_ns;  // of runs before this one, into the same file
static void* keep_time(void* unused) {
  (void)unused;
  const double scale = setting("PERFCAST_BURST_SHARE", 1), whole = setting("PERFCAST_EXPECTED_SECONDS", 1);
  double spent[burst_kinds] = {0};
  int kind = 0, has_learned = 0;
  const uint64_t repeat = (uint64_t)setting("PERFCAST_REPEAT", 0);
  uint64_t state = 88172645463325252ull * (1 + 2 * repeat);
  for (;;) {
    // The first burst was started before the program; wait for each to end, or end it when it takes too long.
    double start = burst_start;
    wait_for(1.5 * burst_longest + 0.001, 1);
    end_burst();
    double took = seconds() - start;
    spent[kind] += took;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    // At least as long as the shortest kind may follow itself, give or take a half so as not to beat with a loop.
    wait_for(kinds[0].seconds / kinds[0].share / scale * (0.5 + (double)(state >> 11) / 9007199254740992.0) - kinds[0].seconds, 0);
    double now = seconds();
    header->total_ns = earlier_ns + (uint64_t)(1e9 * now);
    if (learning && !has_learned && spent[of_branches] > 0.2 * learning) has_learned = 1, count_anew();
    for (kind = burst_kinds - 1; kind > 0; kind--)
      if (is_due(kind, spent, now, whole, scale, repeat)) break;
    start_burst(kind);
  }
  return 0;
}
static void after_fork(void) { perfcast_burst = 0, perfcast_threshold = 0, accesses = 0; }

__attribute__((constructor)) static void begin(void) {
  size_t bytes = sizeof *header + perfcast_access_total * sizeof *accesses + perfcast_branch_total * sizeof *branches;
  const char* path = getenv("PERFCAST_MEMORY_PROFILE");
  int again = setting("PERFCAST_REPEAT", 0) > 0;  // a short program is run more than once: what is seen adds up
  int file = path ? open(path, O_RDWR | O_CREAT | (again ? 0 : O_TRUNC) | O_CLOEXEC, 0644) : -1;
  if (file < 0 || ftruncate(file, (off_t)bytes) != 0) return;
  void* map = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (map == MAP_FAILED) return;
  unsetenv("PERFCAST_MEMORY_PROFILE");  // a program it starts must not write over it
  header = map, accesses = (void*)(header + 1), branches = (void*)(accesses + perfcast_access_total);
  header->accesses = perfcast_access_total, header->branches = perfcast_branch_total;
  header->page_bytes = 4096, header->magic = perfcast_memory_magic, earlier_ns = header->total_ns;
  pthread_atfork(0, 0, after_fork);
  if (!make_room(&lines, burst_lines) || !make_room(&pages, burst_lines)) return;
  if (setting("PERFCAST_WHOLE_RUN", 0) > 0) most_lines = whole_lines;
  start_burst(0);
  if (setting("PERFCAST_WHOLE_RUN", 0) > 0) {  // a short program: one burst from its beginning to its end, every touch alike
    burst_longest = 1e18, burst_deepest = UINT64_MAX, paced = UINT64_MAX;
    return;
  }
  learning = setting("PERFCAST_LEARNING_SECONDS", 0);
  for (int i = 0; i <= reports_to_warm_up + reports_to_time; i++) perfcast_access(0, (uint64_t)(uintptr_t)&paced);  // what a report takes
  report_ns = 1 / burst_weight, recent_weight = 0;
  start_burst(0);
  pthread_t thread;
  if (pthread_create(&thread, 0, keep_time, 0) == 0) pthread_detach(thread);
}

// The memory profile's run-time library. The program has two versions of its code: a fast one, which looks at
// perfcast_burst on every loop edge, and a slow one, which reports its loads, stores and branches. A thread of our own
// turns bursts on and off; no signal is used, so that the program's own timers and system calls are left alone.
//
// Inside a burst, reuse distances are counted as SHARDS does (Waldspurger 2015), sampling whole pages by a hash of
// their number so that the neighbours of a line that is followed are followed too: start with every page, and halve the
// share when the table is full. Everything restarts with each burst; what was not seen before in it is censored, and
// the reader estimates with that (Kaplan and Meier). Results live in a shared mapping: they survive any ending.
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

static struct perfcast_memory_header* header;
static struct perfcast_access_data* accesses;
static struct perfcast_branch_data* branches;

// In bursts the tables are small, so that they disturb little. Where a run is watched whole they grow with it, up to 64 MB of
// lines, before pages must be left out: until then distances are exact.
enum { burst_lines = 16384, whole_lines = 1 << 20, full_hash = 1 << 24 };
static uint32_t most_lines = burst_lines;

// ---- One tracker for lines, one for pages: a hash table of keys, and a Fenwick tree over the order of last touches.
// `farthest`: bin since it was stored. `count`: touches of a page; of a line: those of its page when it was last touched.
struct cell { uint64_t key; uint32_t touched, epoch, count; uint64_t event; uint8_t stored, farthest; };
struct tracker {
  struct cell *cells, *spare;      // 4 limit; limit + 2
  uint32_t *tree;                  // 8 limit + 2
  uint32_t limit;                  // keys it has room for
  uint32_t followed, now, epoch;
};
static struct tracker lines, pages;
static int halvings;            // one page in 2^halvings is followed
static uint64_t event;          // touches followed in this burst
static double burst_start, burst_longest;
static uint64_t burst_deepest;  // distinct lines that end the burst
static int burst_long;
static uint64_t branches_in_burst;
static uint64_t paced;          // reports counted so far to find the pace; then the burst goes on to follow them
static double pace_start, report_ns, burst_weight = 1, recent_weight;
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
static inline uint64_t page_hash(uint64_t page) { return ((page + perfcast_offset) * 0x9E3779B97F4A7C15ull) >> 40; }
static inline uint32_t hash_of(uint64_t key) { return (uint32_t)(key * 0xff51afd7ed558ccdull >> 33); }
static void tree_add(struct tracker* t, uint32_t i, int by) { for (; i <= 8 * t->limit; i += i & -i) t->tree[i] += (uint32_t)by; }
static uint32_t tree_sum(const struct tracker* t, uint32_t i) { uint32_t s = 0; for (; i; i &= i - 1) s += t->tree[i]; return s; }
static struct cell* find(struct tracker* t, uint64_t key) {
  const uint32_t mask = 4 * t->limit - 1;
  uint32_t at = hash_of(key) & mask;
  while (t->cells[at].epoch == t->epoch && t->cells[at].key != key) at = (at + 1) & mask;
  return &t->cells[at];
}
static void restart(struct tracker* t) {
  t->epoch++, t->followed = 0, t->now = 1;
  memset(t->tree, 0, (8 * (size_t)t->limit + 2) * sizeof *t->tree);
}
// The arrays of a tracker with room for so many keys; what it held is the caller's. Fresh memory is zero: no cell is of any epoch.
static int make_room(struct tracker* t, uint32_t limit) {
  size_t cells = 4 * (size_t)limit * sizeof *t->cells, spare = ((size_t)limit + 2) * sizeof *t->spare, tree = (8 * (size_t)limit + 2) * sizeof *t->tree;
  char* room = mmap(0, cells + spare + tree, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return 0;
  t->cells = (void*)room, t->spare = (void*)(room + cells), t->tree = (void*)(room + cells + spare), t->limit = limit;
  return 1;
}
static void leave_room(const struct tracker* t) {
  munmap(t->cells, 4 * (size_t)t->limit * sizeof *t->cells + ((size_t)t->limit + 2) * sizeof *t->spare + (8 * (size_t)t->limit + 2) * sizeof *t->tree);
}
static int by_touch(const void* a, const void* b) {
  uint32_t x = ((const struct cell*)a)->touched, y = ((const struct cell*)b)->touched;
  return x < y ? -1 : x > y;
}
// Drops the pages no longer followed and numbers the touches afresh, in arrays of this size. `shift`: from a key to its page.
static void rebuild(struct tracker* t, int shift, uint32_t limit) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < 4 * t->limit; i++)
    if (t->cells[i].epoch == t->epoch && page_hash(t->cells[i].key >> shift) < perfcast_threshold) t->spare[kept++] = t->cells[i];
  qsort(t->spare, kept, sizeof *t->spare, by_touch);
  const struct tracker before = *t;
  const int moved = limit != t->limit && make_room(t, limit);
  restart(t);
  for (uint32_t i = 0; i < kept; i++) {
    struct cell* c = find(t, before.spare[i].key);
    *c = before.spare[i], c->epoch = t->epoch, c->touched = t->now;
    tree_add(t, t->now++, 1);
  }
  t->followed = kept;
  if (moved) leave_room(&before);
}

static int bin_of(double distance, int bins) {
  // Four per octave without a logarithm: exponent and the two leading bits of the fraction.
  double x = distance + 1;
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  int bin = (int)((bits >> 50) - (1023u << 2));
  return bin < 0 ? 0 : bin >= bins ? bins - 1 : bin;
}
static float weight(void) { return (float)(burst_weight * (double)(1u << halvings)); }  // of one touch
static int stratum(void) { return halvings == 0 ? 0 : halvings <= 4 ? 1 : 2; }

// Touches a key; the weight goes to the bin of its distance, seen or censored. Returns its cell.
static struct cell* touch(struct tracker* t, uint64_t key, struct perfcast_line_bin* bins, int bin_count, int* bin, int* censored) {
  struct cell* c = find(t, key);
  const double pages_each = (double)(1u << halvings);
  *censored = c->epoch != t->epoch;
  double distance;
  if (*censored) {
    distance = (double)t->followed * pages_each;
    c->key = key, c->epoch = t->epoch, c->stored = c->farthest = 0, t->followed++;
  } else {
    distance = (double)(t->followed - tree_sum(t, c->touched)) * pages_each;
    tree_add(t, c->touched, -1);
  }
  *bin = bin_of(distance, bin_count);
  (*censored ? bins[*bin].censored : bins[*bin].seen)[stratum()] += weight();
  if (*bin > c->farthest) c->farthest = (uint8_t)*bin;
  c->touched = t->now, c->event = event;
  tree_add(t, t->now++, 1);
  return c;
}
static void note_store(struct perfcast_access_data* a, struct cell* c) {
  struct perfcast_line_bin* bin = &a->dirtied[c->farthest];
  (c->stored ? bin->seen : bin->censored)[stratum()] += weight();
  c->stored = 1, c->farthest = 0;
}

static void end_burst(void) {
  if (!perfcast_burst) return;
  perfcast_burst = 0, perfcast_threshold = 0;
  uint64_t deep = (uint64_t)lines.followed << halvings;
  if (deep > header->deepest_lines) header->deepest_lines = deep;
  header->burst_ns += (uint64_t)(1e9 * (seconds() - burst_start));
  burst_long ? header->long_bursts++ : header->short_bursts++;
}

// A prefetcher has fetched this line when the two before it, or the two behind it, were touched lately, the farther one
// allowed to be twice as old: one neighbour alone is often chance. 512 touches: two streams of bytes. Returns -1 when
// the neighbours are on pages that are not followed.
static int touched_within(uint64_t line, uint64_t touches) {
  struct cell *c = find(&lines, line), *page = find(&pages, line >> 6);
  if (c->epoch != lines.epoch || page->epoch != pages.epoch) return 0;
  // Touches of this page were all seen, of the others one in 2^halvings.
  uint64_t since = event - c->event, own = page->count - c->count;
  return own >= since ? since <= touches : own + ((since - own) << halvings) <= touches;
}
static int is_followed(uint64_t line) { return page_hash(line >> 6) < perfcast_threshold; }
static int in_stream(uint64_t line) {
  if (touched_within(line - 1, 512) && touched_within(line - 2, 1024)) return 1;
  if (touched_within(line + 1, 512) && touched_within(line + 2, 1024)) return 1;
  return is_followed(line - 2) && is_followed(line + 2) ? 0 : -1;
}

static void follow(uint32_t id, uint64_t address) {
  struct perfcast_access_data* a = &accesses[id & ~(uint32_t)perfcast_is_store];
  uint64_t line = address >> 6, page = address >> 12;
  event++, a->touches++;
  if (halvings == 0) {
    int64_t step = (int64_t)(address - a->last_address);
    a->steps++;
    if (step == a->last_step) {
      a->repeated_steps++;
      if (step == a->common_step) a->common_votes++;
      else if (a->common_votes == 0) a->common_step = step, a->common_votes = 1;
      else a->common_votes--;
    }
    a->last_step = step, a->last_address = address;
  }
  int bin, censored;
  struct cell* p = touch(&pages, page, a->pages, perfcast_page_bins, &bin, &censored);
  p->count = censored ? 1 : p->count + 1;
  struct cell* c = touch(&lines, line, a->lines, perfcast_line_bins, &bin, &censored);
  c->count = p->count;
  if (id & (uint32_t)perfcast_is_store) note_store(a, c);
  if (censored || bin >= 20) {
    int near = in_stream(line);
    float by = near < 0 ? 0 : weight();
    if (censored) a->all_censored += by, a->near_censored += near ? by : 0;
    else a->all_seen[bin] += by, a->near_seen[bin] += near ? by : 0;
  }
  struct tracker* full = lines.followed > lines.limit ? &lines : pages.followed > pages.limit ? &pages : 0;
  if (full && full->limit < most_lines) {
    const uint32_t before = full->limit;
    rebuild(full, full == &lines ? 6 : 0, 2 * before);
    if (full->limit == before) most_lines = before; /* no more memory */
  } else if (full) {
    halvings++, perfcast_threshold >>= 1;
    rebuild(&lines, 6, lines.limit), rebuild(&pages, 0, pages.limit);
  } else {
    if (lines.now >= 8 * lines.limit) rebuild(&lines, 6, lines.limit);
    if (pages.now >= 8 * pages.limit) rebuild(&pages, 0, pages.limit);
  }
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
  follow(id, address);
  inside = 0;
}

void perfcast_range(uint32_t id, uint64_t address, uint64_t bytes) {
  if (!perfcast_burst || !mine() || !bytes || finding_pace()) return;
  inside = 1;
  struct perfcast_access_data* a = &accesses[id & ~(uint32_t)perfcast_is_store];
  a->range_calls++;
  for (uint64_t line = address >> 6; line <= (address + bytes - 1) >> 6 && perfcast_burst; line++) {
    a->range_lines++;
    if (page_hash(line >> 6) < perfcast_threshold) follow(id, line << 6);
  }
  inside = 0;
}

// Long bursts skip most loads and stores but still report branches: following them in the short ones is enough.
enum { branches_to_warm_up = 200 };
static void count_branch(uint32_t id, int taken, int wrong) {
  if (++branches_in_burst <= branches_to_warm_up) return;  // the history of the burst's start is not the program's
  branches[id].executed += burst_weight;
  if (taken) branches[id].taken += burst_weight;
  if (wrong) branches[id].mispredicted += burst_weight;
  if ((branches_in_burst & 1023) == 0 && seconds() - burst_start > burst_longest) end_burst();
}
void perfcast_branch(uint32_t id, uint32_t taken) {
  if (perfcast_burst && !burst_long && mine() && !finding_pace()) count_branch(id, taken != 0, wrong_direction(id, taken != 0));
}
// A jump by a table or through a pointer.
void perfcast_jump(uint32_t id, uint64_t target) {
  if (perfcast_burst && !burst_long && mine() && !finding_pace()) count_branch(id, 1, wrong_target(id, target));
}

// A choice between two values: the code generator may make a branch of it, or not; so history does without it.
void perfcast_choice(uint32_t id, uint32_t taken) {
  if (perfcast_burst && !burst_long && mine() && !finding_pace()) count_branch(id, taken != 0, wrong_condition(id, taken != 0));
}

// ---- The clock of bursts.
static double setting(const char* name, double usual) {
  const char* text = getenv(name);
  return text ? atof(text) : usual;
}
// Four kinds of bursts: many short ones reach every part of the program, a few long ones see far reuses. Each kind may
// take its share of the time; in a short program a little more, so that it gets long bursts too. These follow few pages,
// and so cost little per access and reach far.
enum { burst_kinds = 4 };
static const double longest_part = 0.34;  // of the run, that one burst may take: the others must see something too
static const struct { double seconds, share, least; int halvings; uint64_t deepest; } kinds[burst_kinds] = {
    {0.0005, 0.08, 0, 0, 65536}, {0.003, 0.06, 0.006, 0, 131072}, {0.02, 0.08, 0.04, 5, 4u << 20}, {0.12, 0.08, 0.05, 6, 8u << 20}};

static void start_burst(int kind) {
  restart(&lines), restart(&pages);
  halvings = kinds[kind].halvings, event = 0, owned = 0, burst_long = kind >= 2, branches_in_burst = 0;
  burst_longest = kinds[kind].seconds;
  burst_deepest = kinds[kind].deepest;
  burst_start = seconds();
  perfcast_offset = perfcast_offset * 6364136223846793005ull + 1442695040888963407ull;
  paced = 0, perfcast_threshold = full_hash;
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
static uint64_t earlier_ns;  // of runs before this one, into the same file
static void* keep_time(void* unused) {
  (void)unused;
  const double scale = setting("PERFCAST_BURST_SHARE", 1), whole = setting("PERFCAST_EXPECTED_SECONDS", 1);
  double spent[burst_kinds] = {0};
  int kind = 0;
  uint64_t state = 88172645463325252ull * (1 + 2 * (uint64_t)setting("PERFCAST_REPEAT", 0));
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
    for (kind = burst_kinds - 1; kind > 0; kind--)
      if (kinds[kind].seconds <= longest_part * whole &&
          spent[kind] + kinds[kind].seconds <= (kinds[kind].share * scale + kinds[kind].least / whole) * now) break;
    start_burst(kind);
  }
  return 0;
}
static void after_fork(void) { perfcast_burst = 0, perfcast_threshold = 0; }

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
  for (int i = 0; i <= reports_to_warm_up + reports_to_time; i++) perfcast_access(0, (uint64_t)(uintptr_t)&paced);  // what a report takes
  report_ns = 1 / burst_weight, recent_weight = 0;
  start_burst(0);
  pthread_t thread;
  if (pthread_create(&thread, 0, keep_time, 0) == 0) pthread_detach(thread);
}

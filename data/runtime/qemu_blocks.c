/* A plugin for qemu's user-mode emulation that counts what a program executes: every translated block with its
 * bytes, how often it ran, where it went next, and how often a simulated predictor would have been wrong about that;
 * and, in bursts, how its loads and stores use memory (qemu_memory.h). Counts live in a file mapped shared, so that they
 * are there however the program ends. No header of qemu is needed: the few declarations below are its interface, version 1.
 *
 *   -plugin blocks.so,out=FILE,maps=FILE[,limit=INSTRUCTIONS][,skip=FILE][,whole=SECONDS,seconds=SECONDS]
 *                      [,routines=FILE,patience=SECONDS][,memory=bursts|whole]
 *
 * limit: end the run after about so many instructions (header.stopped is set). whole: after so many seconds of
 * processor time count in one stretch of eight only, for eight (header.sampled is set); seconds: end the run after so
 * many. skip: ranges of the program's own code that are not counted: the lowest code address of its file, then "start
 * end" per line, ascending, hexadecimal. routines: library routines by where calls of them enter the program's file, "address
 * calls apart" per line, ascending, address hexadecimal; the run goes on beyond `seconds`, up to `patience`, while one of
 * them was seen too seldom to tell how the rest of its calls will be. apart: 1 where nothing is to be counted from there until the
 * program calls another one, as of routines that exchange messages, which mostly wait.
 * memory: watch loads and stores, in bursts or from beginning to end.
 *
 * FILE holds a header and records, all fields 64 bit little-endian unless said: see `struct header`, `struct block`,
 * `struct seen`. Edges beyond the four of a block are in chained `struct more`. The maps file lists the mappings code was found in:
 * "start end offset path", hexadecimal.
 */
#include "branch_predictor.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef struct { const char *target_name; } qemu_info_t; /* its first member */
enum { NO_REGISTERS = 0 };
void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, unsigned));
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, void (*)(unsigned, void *), int, void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *);
uint64_t qemu_plugin_start_code(void), qemu_plugin_end_code(void);
__attribute__((visibility("default"))) int qemu_plugin_version = 1;

struct header {
  char magic[8]; /* "PCBLOCK4" */
  uint64_t used; /* bytes of the file in use */
  uint64_t vcpus, stopped, lost, instructions, sampled;
  uint64_t watched_whole;                            /* memory, from beginning to end */
  uint64_t short_bursts, long_bursts, burst_instructions;
  uint64_t deepest_lines, pages;                     /* most distinct ones that a burst saw */
  uint64_t system_calls, clock_reads, bytes_read, bytes_written; /* since the program's own code began */
  uint64_t unfinished;                               /* stopped inside the routine of this line (from 1), or before it was seen enough */
};
struct edge { uint64_t to, count; };
struct more { uint64_t next; struct edge edges[6]; };
struct block {
  uint64_t kind_size; /* record size in bytes; the lowest bits tell a block (1), memory seen (2) and a chain of edges (0) apart */
  uint64_t pc, count, predicted, mispredicted, mispredicted_small, mispredicted_path;
  uint32_t instructions, bytes;
  struct edge edges[4];
  uint64_t more;    /* offset of a struct more's record, behind its size word; 0: none */
  uint64_t routine; /* that is entered here: its line in the file of routines, from 1; 0: none */
  unsigned char code[];
};

static const uint64_t capacity = (uint64_t)1 << 30;
static unsigned char *base;
static struct header *head;
static char maps_path[4096];
static uint64_t limit = ~(uint64_t)0;
static bool arm;
static struct { uint64_t start, end; } *skipped;
static size_t skipped_count;
static uint64_t lowest_code;
static int lock;
static __thread struct block *last;
static struct { uint64_t start, end; } known[4096];
static int known_count;

static void take(void) { while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) {} }
static void give(void) { __atomic_store_n(&lock, 0, __ATOMIC_RELEASE); }

/* Executions that one stands for: see next_stretch. */
enum { ONE_IN = 8 };
static __thread uint64_t stands_for = 1;

static void *reserve(uint64_t size) { /* with the lock held */
  size = (size + 7) & ~(uint64_t)7;
  if (head->used + size > capacity) { head->lost++; return NULL; }
  void *place = base + head->used;
  head->used += size;
  return place;
}

static void add(uint64_t *counter, uint64_t n) {
  if (head->vcpus > 1) __atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
  else *counter += n;
}

static bool count_in(struct edge *edges, int n, uint64_t to) {
  for (int i = 0; i < n; i++) {
    if (edges[i].to == to) { add(&edges[i].count, stands_for); return true; }
    if (edges[i].count == 0 && edges[i].to == 0) return false;
  }
  return false;
}
static bool put_in(struct edge *edges, int n, uint64_t to) { /* with the lock held */
  for (int i = 0; i < n; i++)
    if (edges[i].to == 0 && edges[i].count == 0) { edges[i].count = stands_for; edges[i].to = to; return true; }
  return false;
}

static void count_edge(struct block *from, uint64_t to) {
  if (count_in(from->edges, 4, to)) return;
  for (uint64_t at = from->more; at;) {
    struct more *more = (struct more *)(base + at);
    if (count_in(more->edges, 6, to)) return;
    at = more->next;
  }
  take();
  if (!put_in(from->edges, 4, to)) {
    struct more *more = from->more ? (struct more *)(base + from->more) : NULL;
    if (!more || !put_in(more->edges, 6, to)) {
      uint64_t *record = reserve(8 + sizeof(struct more));
      if (record) {
        record[0] = 8 + sizeof(struct more);
        struct more *fresh = (struct more *)(record + 1);
        fresh->next = from->more;
        put_in(fresh->edges, 6, to);
        from->more = (uint64_t)((unsigned char *)fresh - base);
      }
    }
  }
  give();
}

/* Whether what runs belongs to a routine that is apart. A thread begins as its maker is; before the program's own code
 * begins, as the loader works, so it is where there are such routines. */
static bool entered_apart;
enum { MOST_THREADS = 4096 };
static bool made_apart[MOST_THREADS]; /* by thread: how its maker was */
static __thread enum { LIKE_MAKER, COUNTED, APART } side;
static bool is_apart(unsigned vcpu) {
  if (side == LIKE_MAKER) side = (vcpu < MOST_THREADS ? made_apart[vcpu] : entered_apart) ? APART : COUNTED;
  return side == APART;
}
/* Called in the thread that makes it. */
static void note_maker(unsigned made) {
  if (made < MOST_THREADS) made_apart[made] = side == LIKE_MAKER ? entered_apart : side == APART;
}

#include "qemu_memory.h"
#include "qemu_system_calls.h"

static __thread enum ending { STRAIGHT, CONDITIONAL, INDIRECT } last_ending;

/* With several threads they share the predictor, as threads of a core do. */
static void predict(struct block *from, uint64_t to) {
  uint32_t id = (uint32_t)(from->pc ^ from->pc >> 32);
  int wrong = last_ending == CONDITIONAL ? wrong_direction(id, to != from->pc + from->bytes) : wrong_target(id, to);
  add(&from->predicted, 1);
  if (wrong & wrong_of_large) add(&from->mispredicted, 1);
  if (wrong & wrong_of_small) add(&from->mispredicted_small, 1);
  if (wrong & wrong_of_path) add(&from->mispredicted_path, 1);
}

/* Predicting is slow: it is done in one of eight stretches of a million instructions. */
static bool predicting(void) { return (head->instructions >> 20 & 7) == 0; }

/* Routines whose calls are known; those with 0 calls are not waited for. */
static struct routine { uint64_t address, calls, seen; bool apart; } *routines;
static size_t routines_count;
static uint64_t entered_last; /* routine, from 1 */

/* So many calls tell how the others are. */
enum { CALLS_THAT_TELL = 20 };

/* The first routine of which too little was seen, from 1; 0: none. One that is called seldom may be running still: it was the
 * last to be entered, and library code ran since the last look. */
static uint64_t seen_too_little(void) {
  static uint64_t instructions_before;
  bool inside = head->instructions != instructions_before;
  instructions_before = head->instructions;
  for (size_t i = 0; i < routines_count; i++) {
    struct routine *r = &routines[i];
    if (r->seen >= CALLS_THAT_TELL || !r->calls) continue;
    if (r->seen < r->calls || (inside && entered_last == i + 1)) return i + 1;
  }
  return 0;
}

static double whole = 1e30, seconds_most = 1e30, patience, next_check;
static uint64_t program_start, program_bytes; /* of its own code; known once it runs */
static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Processor time in routines that are apart is not the program's to spend. */
static double seconds_apart, apart_since;
static void enter(unsigned vcpu, uint64_t routine) {
  struct routine *entered = &routines[routine - 1];
  add(&entered->seen, 1), entered_last = routine;
  if (entered->apart == is_apart(vcpu)) return;
  const double now = processor_seconds();
  if (entered->apart) apart_since = now;
  else seconds_apart += now - apart_since;
  entered_apart = entered->apart, side = entered->apart ? APART : COUNTED;
}

/* The program's own code does not tell that a routine apart is left, so that what it takes until it calls another one
 * seems to be apart, too: with that the run may last so many times as long. */
enum { WITH_APART = 3 };
static void look_at_clock(void) {
  const double all = processor_seconds();
  double now = (entered_apart ? apart_since : all) - seconds_apart;
  if (now >= whole) head->sampled = 1;
  if (entered_apart && all > WITH_APART * seconds_most) now = all;
  if (now <= seconds_most || now < next_check) return;
  next_check = now + 0.25; /* long enough for a counted stretch to fall into */
  head->unfinished = seen_too_little();
  if (head->unfinished && now < patience) return;
  head->stopped = 1;
  _exit(99);
}

/* Once the run is sampled, stretches of so many blocks (not of time: those that are not counted run faster) are counted
 * in one of eight, chosen without a pattern that the program could follow, and count for eight. */
enum { STRETCH = 1 << 15, LOOK = 1 << 12 };
static __thread bool counting = true;
static void next_stretch(uint64_t stretch) {
  if (!head->sampled) return;
  uint64_t mixed = (stretch + 1) * 0x9e3779b97f4a7c15ull;
  counting = (mixed ^ mixed >> 32) % ONE_IN == 0, stands_for = ONE_IN;
}

static bool is_programs_own(uint64_t pc) { return pc - program_start < program_bytes; }

static void executed(unsigned vcpu, void *data) {
  static __thread uint64_t ticks;
  if (++ticks % LOOK == 0) {
    look_at_clock();
    if (ticks % STRETCH == 0) next_stretch(ticks / STRETCH);
  }
  struct block *block = data;
  if (block->routine) enter(vcpu, block->routine);
  if (is_apart(vcpu)) { last = NULL; return; }
  /* The stubs by which the program calls libraries are counted always: what is cut off is scaled by them. */
  const bool stub = head->sampled && skipped_count && is_programs_own(block->pc);
  if (!counting) { last = NULL; if (stub) add(&block->count, 1); return; }
  keep_bursts(vcpu, head->instructions);
  add(&block->count, stub ? 1 : stands_for);
  if (last) {
    count_edge(last, block->pc);
    if (last_ending != STRAIGHT && predicting()) predict(last, block->pc);
  }
  last = block, last_ending = STRAIGHT;
  add(&head->instructions, stands_for * block->instructions);
  if (head->instructions > limit) { head->stopped = 1; _exit(99); }
}

static void executed_conditional(unsigned vcpu, void *data) {
  executed(vcpu, data);
  last_ending = CONDITIONAL;
}
static void executed_indirect(unsigned vcpu, void *data) {
  executed(vcpu, data);
  last_ending = INDIRECT;
}

/* Returns go to too many places to be worth counting: the analysis finds them from the counts. */
static void executed_return(unsigned vcpu, void *data) {
  executed(vcpu, data);
  last = NULL;
}

static void note_mapping(uint64_t pc, uint64_t host) {
  for (int i = 0; i < known_count; i++)
    if (pc >= known[i].start && pc < known[i].end) return;
  if (known_count == 4096) return;
  FILE *maps = fopen("/proc/self/maps", "r"), *out = fopen(maps_path, "a");
  char line[4352];
  while (maps && out && fgets(line, sizeof line, maps)) {
    unsigned long long start, end, offset;
    int path = 0;
    if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %n", &start, &end, &offset, &path) < 3) continue;
    if (host < start || host >= end) continue;
    uint64_t moved = host - pc;
    known[known_count].start = start - moved, known[known_count].end = end - moved, known_count++;
    fprintf(out, "%llx %llx %llx %s", start - moved, end - moved, offset, path && line[path] ? line + path : "\n");
  }
  if (maps) fclose(maps);
  if (out) fclose(out);
}

static bool is_skipped(uint64_t pc) {
  uint64_t inside = pc - qemu_plugin_start_code() + lowest_code;
  size_t low = 0, high = skipped_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (inside >= skipped[middle].end) low = middle + 1;
    else high = middle;
  }
  return low < skipped_count && inside >= skipped[low].start;
}

static void read_skipped(const char *path) {
  FILE *file = fopen(path, "r");
  unsigned long long start, end;
  if (!file || fscanf(file, "%llx", &start) != 1) return;
  lowest_code = start;
  while (fscanf(file, "%llx %llx", &start, &end) == 2) {
    skipped = realloc(skipped, (skipped_count + 1) * sizeof *skipped);
    skipped[skipped_count].start = start, skipped[skipped_count].end = end, skipped_count++;
  }
  fclose(file);
}

static void read_routines(const char *path) {
  FILE *file = fopen(path, "r");
  unsigned long long address, calls;
  int apart;
  while (file && fscanf(file, "%llx %llu %d", &address, &calls, &apart) == 3) {
    routines = realloc(routines, (routines_count + 1) * sizeof *routines);
    routines[routines_count++] = (struct routine){address, calls, 0, apart != 0};
    if (apart) entered_apart = true;
  }
  if (file) fclose(file);
}

static uint64_t routine_at(uint64_t pc) {
  uint64_t inside = pc - qemu_plugin_start_code() + lowest_code;
  for (size_t low = 0, high = routines_count; low < high;) {
    size_t middle = (low + high) / 2;
    if (routines[middle].address == inside) return middle + 1;
    if (routines[middle].address < inside) low = middle + 1;
    else high = middle;
  }
  return 0;
}

static bool is_return(const unsigned char *code, size_t size) {
  if (!arm) return code[0] == 0xc3 || code[0] == 0xc2 || (size >= 2 && code[0] == 0xf3 && code[1] == 0xc3);
  uint32_t word;
  memcpy(&word, code, 4);
  return (word & 0xfffffc1f) == 0xd65f0000 || (word & 0xfffffbff) == 0xd65f0bff;
}

static enum ending ending_of(const unsigned char *code, size_t size) {
  if (arm) {
    uint32_t word;
    memcpy(&word, code, 4);
    if (word >> 24 == 0x54 || (word & 0x7c000000) == 0x34000000) return CONDITIONAL; /* b.cond; cbz, cbnz, tbz, tbnz */
    return (word & 0xffdffc1f) == 0xd61f0000 ? INDIRECT : STRAIGHT;                  /* br, blr */
  }
  size_t at = 0;
  while (at < size && (code[at] == 0x2e || code[at] == 0x3e || code[at] == 0xf2 || (code[at] & 0xf0) == 0x40)) at++;
  if (at + 1 >= size) return STRAIGHT;
  if ((code[at] & 0xf0) == 0x70 || (code[at] == 0x0f && (code[at + 1] & 0xf0) == 0x80)) return CONDITIONAL;
  int operation = code[at + 1] >> 3 & 7;
  return code[at] == 0xff && (operation == 2 || operation == 4) ? INDIRECT : STRAIGHT; /* call, jmp */
}

static void watch(struct qemu_plugin_insn *insn, uint64_t pc) {
  take();
  struct watched *watched = watched_at(pc);
  give();
  if (watched) qemu_plugin_register_vcpu_mem_cb(insn, touched, NO_REGISTERS, LOADS_AND_STORES, watched);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb) {
  (void)id;
  uint64_t pc = qemu_plugin_tb_vaddr(tb);
  if (!program_bytes) program_start = qemu_plugin_start_code(), program_bytes = qemu_plugin_end_code() - program_start;
  if (is_programs_own(pc)) began = true;
  if (skipped_count && is_skipped(pc)) return;
  size_t n = qemu_plugin_tb_n_insns(tb), bytes = 0;
  for (size_t i = 0; i < n; i++) bytes += qemu_plugin_insn_size(qemu_plugin_tb_get_insn(tb, i));
  take();
  note_mapping(pc, (uint64_t)qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0)));
  uint64_t size = (sizeof(struct block) + bytes + 7) & ~(uint64_t)7;
  struct block *block = reserve(size);
  give();
  if (!block) return;
  block->pc = pc, block->instructions = n, block->bytes = bytes, block->routine = routine_at(pc);
  size_t at = 0, last_at = 0;
  for (size_t i = 0; i < n; i++) {
    struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
    memcpy(block->code + at, qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn));
    if (watching && !on_stack(block->code + at, qemu_plugin_insn_size(insn))) watch(insn, pc + at);
    last_at = at, at += qemu_plugin_insn_size(insn);
  }
  block->kind_size = size | 1;
  enum ending ending = ending_of(block->code + last_at, at - last_at);
  void (*call)(unsigned, void *) = is_return(block->code + last_at, at - last_at) ? executed_return
                                   : ending == CONDITIONAL                        ? executed_conditional
                                   : ending == INDIRECT                           ? executed_indirect
                                                                                  : executed;
  qemu_plugin_register_vcpu_tb_exec_cb(tb, call, NO_REGISTERS, block);
}

/* The clock is looked at by a thread as well: code that is skipped tells nothing, and may go on for long. Signals are the
 * program's, and not for this thread. */
static void *watch_clock(void *unused) {
  (void)unused;
  for (;;) {
    struct timespec nap = {0, 50000000};
    nanosleep(&nap, NULL);
    look_at_clock();
  }
}
static void started(qemu_plugin_id_t id, unsigned vcpu) {
  (void)id;
  note_maker(vcpu);
  if (__atomic_fetch_add(&head->vcpus, 1, __ATOMIC_RELAXED) || seconds_most >= 1e30) return;
  sigset_t all, before;
  pthread_t thread;
  sigfillset(&all), pthread_sigmask(SIG_SETMASK, &all, &before);
  if (pthread_create(&thread, NULL, watch_clock, NULL) == 0) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv) {
  const char *out = NULL, *memory = NULL;
  arm = strcmp(info->target_name, "aarch64") == 0;
  for (int i = 0; i < argc; i++) {
    if (!strncmp(argv[i], "out=", 4)) out = argv[i] + 4;
    else if (!strncmp(argv[i], "maps=", 5)) snprintf(maps_path, sizeof maps_path, "%s", argv[i] + 5);
    else if (!strncmp(argv[i], "limit=", 6)) limit = strtoull(argv[i] + 6, NULL, 10);
    else if (!strncmp(argv[i], "whole=", 6)) whole = atof(argv[i] + 6);
    else if (!strncmp(argv[i], "seconds=", 8)) seconds_most = atof(argv[i] + 8);
    else if (!strncmp(argv[i], "patience=", 9)) patience = atof(argv[i] + 9);
    else if (!strncmp(argv[i], "routines=", 9)) read_routines(argv[i] + 9);
    else if (!strncmp(argv[i], "memory=", 7)) memory = argv[i] + 7;
    else if (!strncmp(argv[i], "skip=", 5)) read_skipped(argv[i] + 5);
  }
  int file = out ? open(out, O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
  if (file < 0 || ftruncate(file, (off_t)capacity) != 0) return 1;
  base = mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (base == MAP_FAILED) return 1;
  head = (struct header *)base;
  memcpy(head->magic, "PCBLOCK4", 8);
  head->used = sizeof *head;
  if (memory) begin_watching(!strcmp(memory, "whole"));
  qemu_plugin_register_vcpu_init_cb(id, started);
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  count_system_calls(id);
  return 0;
}

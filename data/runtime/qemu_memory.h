/* The part of the plugin that watches memory (qemu_blocks.c includes it): in bursts, as the compiled memory profile does
 * (reuse_tracker.h), for every load and store instruction of the program and of its libraries.
 *
 * Bursts are laid by the number of instructions executed, not by time: what they see is in proportion to what runs, and
 * the same every time. A run starts with one burst; if it ends within that, it was watched whole. Otherwise what was
 * seen so far is forgotten, since the start of a program is not like the rest of it.
 *
 * A vector access may be reported in several parts, a gather always is: only the first part on each line is a touch.
 * Fixed places near the stack pointer (saved registers, pushes) are not watched: the first cache has them.
 */
#ifndef PERFCAST_QEMU_MEMORY_H
#define PERFCAST_QEMU_MEMORY_H

static uint64_t perfcast_threshold, perfcast_offset;
#include "reuse_tracker.h"

void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *, void (*)(unsigned, uint32_t, uint64_t, void *), int, int, void *);
bool qemu_plugin_mem_is_store(uint32_t);
unsigned qemu_plugin_mem_size_shift(uint32_t);
enum { LOADS_AND_STORES = 3 };

/* What was seen of the loads or of the stores of one instruction: a record of the file. */
struct seen {
  uint64_t kind_size;           /* record size in bytes, with 2 for its kind */
  uint64_t pc, store;
  uint64_t executions, reports; /* in bursts; lines touched by them */
  uint64_t last_execution, last_line;
  struct perfcast_access_data data;
};
/* One for each instruction that may access memory, however often it is translated. */
struct watched { uint64_t pc; struct seen *of[2]; };

static bool watching;
static volatile bool burst;
static unsigned burst_owner;       /* the thread that is followed */
static int busy;                   /* somebody works on the trackers */
static uint64_t execution;         /* of translated blocks, by the owner, in bursts */
static uint64_t burst_began, burst_end, next_burst;
static uint64_t first_burst = 20000000; /* instructions */

/* Many short bursts reach every part of the program, few long ones see far reuses, following few pages. */
enum { burst_kinds = 5 };
static const struct { double instructions, share; int halvings; } kinds[burst_kinds] = {
    {16e3, 0.01, 0}, {200e3, 0.015, 0}, {4e6, 0.06, 4}, {30e6, 0.12, 5}, {200e6, 0.25, 6}};
static double spent[burst_kinds];
static int burst_kind = -1; /* the first */

static struct watched **watched_table;
static size_t watched_room, watched_count;

static struct watched **place_of_watched(struct watched **table, size_t room, uint64_t pc) {
  size_t at = pc * 0x9E3779B97F4A7C15ull >> 32 & (room - 1);
  while (table[at] && table[at]->pc != pc) at = (at + 1) & (room - 1);
  return &table[at];
}
static struct watched *watched_at(uint64_t pc) { /* with the lock held; NULL: no memory */
  if (2 * watched_count >= watched_room) {
    size_t room = watched_room ? 2 * watched_room : 16384;
    struct watched **table = calloc(room, sizeof *table);
    if (!table) return NULL;
    for (size_t i = 0; i < watched_room; i++)
      if (watched_table[i]) *place_of_watched(table, room, watched_table[i]->pc) = watched_table[i];
    free(watched_table);
    watched_table = table, watched_room = room;
  }
  struct watched **place = place_of_watched(watched_table, watched_room, pc);
  if (!*place && (*place = calloc(1, sizeof **place))) (*place)->pc = pc, watched_count++;
  return *place;
}

static struct seen *start_seeing(struct watched *instruction, bool store) {
  uint64_t size = (sizeof(struct seen) + 7) & ~(uint64_t)7;
  take();
  struct seen *seen = reserve(size);
  give();
  if (seen) seen->pc = instruction->pc, seen->store = store, seen->kind_size = size | 2;
  return instruction->of[store] = seen;
}
static void forget(void) {
  take();
  for (size_t i = 0; i < watched_room; i++)
    for (int store = 0; watched_table[i] && store < 2; store++) {
      struct seen *seen = watched_table[i]->of[store];
      if (seen) seen->executions = seen->reports = 0, memset(&seen->data, 0, sizeof seen->data);
    }
  give();
}

static void touched(unsigned vcpu, uint32_t info, uint64_t address, void *data) {
  if (!burst || vcpu != burst_owner || __atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE)) return;
  bool store = qemu_plugin_mem_is_store(info);
  struct watched *instruction = data;
  struct seen *seen = instruction->of[store] ? instruction->of[store] : start_seeing(instruction, store);
  uint64_t line = address >> 6;
  if (seen && burst && (seen->last_execution != execution || seen->last_line != line)) {
    if (seen->last_execution != execution) seen->executions++;
    seen->last_execution = execution, seen->last_line = line, seen->reports++;
    if (page_hash(line >> 6) < perfcast_threshold) {
      follow(&seen->data, store, 1 << qemu_plugin_mem_size_shift(info), address);
      uint64_t deep = (uint64_t)lines.followed << halvings, broad = (uint64_t)pages.followed << halvings;
      if (deep > head->deepest_lines) head->deepest_lines = deep;
      if (broad > head->pages) head->pages = broad;
    }
  }
  __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}

static void start_burst(unsigned vcpu, uint64_t now) {
  for (burst_kind = burst_kinds - 1; burst_kind > 0; burst_kind--)
    if (spent[burst_kind] + kinds[burst_kind].instructions <= kinds[burst_kind].share * (double)now) break;
  restart(&lines), restart(&pages), forget_stores();
  halvings = kinds[burst_kind].halvings, event = 0;
  perfcast_offset = perfcast_offset * 6364136223846793005ull + 1442695040888963407ull;
  perfcast_threshold = (uint64_t)full_hash >> halvings;
  burst_owner = vcpu, burst_began = now, burst_end = now + (uint64_t)kinds[burst_kind].instructions, burst = true;
}
static void end_burst(uint64_t now) {
  static uint64_t state = 88172645463325252ull;
  burst = false;
  if (burst_kind < 0) {
    forget();
    head->watched_whole = 0, head->deepest_lines = 0;
    leave_room(&lines), leave_room(&pages);
    watching = make_room(&lines, burst_lines) && make_room(&pages, burst_lines);
    lines.epoch = pages.epoch = 0, most_lines = burst_lines;
  } else {
    spent[burst_kind] += (double)(now - burst_began);
    head->burst_instructions += now - burst_began;
    burst_kind < 2 ? head->short_bursts++ : head->long_bursts++;
  }
  state ^= state << 13, state ^= state >> 7, state ^= state << 17; /* so as not to beat with a loop */
  next_burst = now + (uint64_t)(kinds[0].instructions / kinds[0].share * (0.5 + (double)(state >> 11) / 9007199254740992.0));
}
/* Before each block, after so many instructions. */
static inline void keep_bursts(unsigned vcpu, uint64_t now) {
  if (!watching) return;
  if (burst && vcpu == burst_owner) execution++;
  if (now < (burst ? burst_end : next_burst) || __atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE)) return;
  if (!burst && now >= next_burst) start_burst(vcpu, now);
  else if (burst && now >= burst_end) end_burst(now);
  __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}

static void begin_watching(bool whole) {
  watching = make_room(&lines, burst_lines) && make_room(&pages, burst_lines);
  if (!watching) return;
  restart(&lines), restart(&pages), forget_stores();
  perfcast_threshold = full_hash, most_lines = whole_lines, execution = 1;
  burst_end = whole ? UINT64_MAX : first_burst;
  head->watched_whole = 1, burst = true;
}

static bool on_stack(const unsigned char *code, size_t size) {
  if (arm) {
    uint32_t word;
    memcpy(&word, code, 4);
    if ((word & 0x0a000000) != 0x08000000 || (word >> 5 & 31) != 31) return false; /* a load or store, by sp */
    return (word & 0x3b000000) != 0x18000000 && (word & 0x3b200c00) != 0x38200800; /* literals; with an index */
  }
  size_t at = 0;
  while (at < size && (code[at] == 0x66 || code[at] == 0xf2 || code[at] == 0xf3)) at++;
  unsigned base_high = 0, index_high = 0;
  if (at < size && (code[at] & 0xf0) == 0x40) base_high = code[at] & 1, index_high = code[at] >> 1 & 1, at++;
  if (at >= size) return false;
  if ((code[at] & 0xf0) == 0x50 || (code[at] & 0xfd) == 0x68) return true;         /* push, pop */
  if (code[at] == 0xe8 || code[at] == 0xc3 || code[at] == 0xc9) return true;       /* call, ret, leave */
  if (at + 2 >= size) return false;
  if (code[at] == 0xc4) base_high = !(code[at + 1] & 0x20), index_high = !(code[at + 1] & 0x40), at += 3;
  else if (code[at] == 0xc5) at += 2;
  else if (code[at] == 0x0f) at += (code[at + 1] & 0xfd) == 0x38 ? 2 : 1; /* 0f 38, 0f 3a */
  else if ((code[at] & 0xfc) == 0xa0 || code[at] == 0x62) return false;   /* a whole address; AVX-512 */
  if (at + 2 >= size || code[at + 1] >> 6 == 3 || (code[at + 1] & 7) != 4) return false;
  unsigned base = (code[at + 2] & 7) | base_high << 3, index = (code[at + 2] >> 3 & 7) | index_high << 3;
  return base == 4 && index == 4;
}

#endif

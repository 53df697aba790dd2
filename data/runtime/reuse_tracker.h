// Reuse distances of lines and pages inside a burst, counted as SHARDS does (Waldspurger 2015), sampling whole pages by a
// hash of their number so that the neighbours of a line that is followed are followed too: start with every page, and
// halve the share when the table is full. Everything restarts with each burst; what was not seen before in it is censored,
// and the reader estimates with that (Kaplan and Meier). For one thread at a time. Whoever includes this starts and ends
// bursts, and defines perfcast_threshold (pages whose hash is below it are followed; 0: none) and perfcast_offset (added
// to the number of a page before it is hashed: other pages in each burst).
#ifndef PERFCAST_REUSE_TRACKER_H
#define PERFCAST_REUSE_TRACKER_H

#include "memory_profile_layout.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// In bursts the tables are small, so that they disturb little. Where a run is watched whole they grow with it, up to 64 MB of
// lines, before pages must be left out: until then distances are exact.
enum { burst_lines = 16384, whole_lines = 1 << 20, full_hash = 1 << 24 };
static uint32_t most_lines = burst_lines;

// ---- One tracker for lines, one for pages: a hash table of keys, and a Fenwick tree over the order of last touches.
// `farthest`: bin since it was stored.
struct cell { uint64_t key; uint32_t touched, epoch; uint8_t stored, farthest; };
struct tracker {
  struct cell *cells, *spare;      // 4 limit; limit + 2
  uint32_t *tree;                  // 8 limit + 2
  uint32_t limit;                  // keys it has room for
  uint32_t followed, now, epoch;
};
static struct tracker lines, pages;
static int halvings;            // one page in 2^halvings is followed
static uint64_t event;          // touches followed in this burst
static double burst_weight = 1; // of a touch in this burst

static inline uint64_t page_hash(uint64_t page) { return perfcast_place_hash(page + perfcast_offset); }
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
  if (!*censored && c->touched + 1 == t->now) {  // again at once: the order stays as it is
    *bin = 0, bins[0].seen[stratum()] += weight();
    return c;
  }
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
  c->touched = t->now;
  tree_add(t, t->now++, 1);
  return c;
}
static void note_store(struct perfcast_access_data* a, struct cell* c) {
  struct perfcast_line_bin* bin = &a->dirtied[c->farthest];
  (c->stored ? bin->seen : bin->censored)[stratum()] += weight();
  c->stored = 1, c->farthest = 0;
}

enum { page_lines = 64 };
// Whether no more than so many other lines were touched since this one. Where pages are left out, a line that is followed stands
// for 2^halvings, but those of its own page are all followed and stand for themselves: short rows of a stencil lie side by side.
// They must be few, since in a list in random order nearly all that is followed may lie on that page. And of the many streams of
// a stencil `chance` may happen to be followed.
static int touched_within(uint64_t line, uint64_t others, uint64_t chance) {
  const struct cell* c = find(&lines, line);
  if (c->epoch != lines.epoch) return 0;
  const uint64_t since = lines.followed - tree_sum(&lines, c->touched) - 1;  // without the one just touched
  if (since <= chance || since << halvings <= others) return 1;
  if (halvings == 0 || since > others + chance) return 0;
  uint64_t beside = 0;
  for (uint64_t other = line / page_lines * page_lines, last = other + page_lines; other < last; other++) {
    const struct cell* o = find(&lines, other);
    beside += o->epoch == lines.epoch && o->touched > c->touched;
  }
  const uint64_t elsewhere = since > beside ? since - beside : 0;
  if (beside > others / 8) return 0;
  return elsewhere <= chance || beside + (elsewhere << halvings) <= others;
}
// A prefetcher watches few pages at a time. Down a column of a matrix, or along a list that jumps from page to page, the lines
// beside were touched not long ago either, but it has forgotten their page. `bin`: how many pages ago this one was touched.
static int page_is_watched(uint64_t line, int bin, int censored) {
  enum { watched = 64, chance = 2 };  // where pages are left out, so many others may happen to be followed
  const int edge = line % page_lines < 2 || line % page_lines >= page_lines - 2;  // the neighbours are on another page
  return edge || (!censored && bin <= bin_of(watched > chance << halvings ? watched : chance << halvings, perfcast_page_bins));
}
static int is_followed(uint64_t line) { return page_hash(line >> 6) < perfcast_threshold; }
enum { lately = 64 };  // lines
// A prefetcher has fetched this line when the two before it, or the two behind it, were touched lately, the farther one
// allowed to be twice as old: one neighbour alone is often chance. Touches do not tell: in a list of 128 KB in random order
// most neighbours were touched within some thousands, and it waits for the second cache at every step. Returns -1 when the
// neighbours are on pages that are not followed.
static int in_stream(uint64_t line) {
  enum { chance = 2 };
  if (touched_within(line - 1, lately, chance) && touched_within(line - 2, 2 * lately, 2 * chance)) return 1;
  if (touched_within(line + 1, lately, chance) && touched_within(line + 2, 2 * lately, 2 * chance)) return 1;
  return is_followed(line - 2) && is_followed(line + 2) ? 0 : -1;
}
// What comes from far is fetched ahead by whoever watches the page, and that one minds the order little: lists and trees
// in the order of their allocation, but for a few places, take 8 to 16 ns a line from the last cache and from memory,
// shuffled ones 115 and 235. Both on one side: a search that closes in on a place from both waits for it.
enum { far_bin = 4 * 13 }; // 8192 lines
static int in_loose_stream(uint64_t line) {
  enum { reach = 6, few = 2, chance = 2 };
  int before = 0, behind = 0;
  for (int k = 1; k <= reach && before < few && behind < few; k++) {
    before += (line - k) / page_lines == line / page_lines && touched_within(line - k, lately, chance);
    behind += (line + k) / page_lines == line / page_lines && touched_within(line + k, lately, chance);
  }
  return before >= few || behind >= few;
}
// Who waits for each line before asking for the next, as along a list, is fetched ahead for only in the midst of a long run: of
// lines one behind the other, at a place nobody had touched, the first took 143 ns, the second 91, the next six 60 each, those up to
// the sixteenth 30, and then 6. Most of the sixteen on one side must have been touched, in any order. Returns -1 where they are on
// pages that may not be followed.
static int in_settled_stream(uint64_t line) {
  enum { reach = 16, missing = 4, window = 1024 };
  if (halvings && (line % page_lines < reach || line % page_lines >= page_lines - reach)) return -1;
  for (int side = -1; side <= 1; side += 2) {
    int missed = 0;
    for (int k = 1; k <= reach && missed <= missing; k++) missed += !touched_within(line + (uint64_t)(int64_t)(side * k), window, 0);
    if (missed <= missing) return 1;
  }
  return 0;
}

// Which load reads what one of the last stores wrote, at the very same address: the core may still have that store under way,
// and the load waits for its data. Bursts are apart: no store of one is among the last of the next.
enum { written_slots = 1024 };
static struct { uint64_t address, number; } written[written_slots];
static uint64_t stores_done = perfcast_stores_back;
static void forget_stores(void) { stores_done += perfcast_stores_back; }
static void note_meeting(struct perfcast_access_data* a, int store, uint64_t address) {
  const uint32_t slot = hash_of(address) % written_slots;
  if (store) {
    written[slot].address = address, written[slot].number = stores_done++;
    return;
  }
  const uint64_t back = stores_done - 1 - written[slot].number;  // 0: the last one
  if (written[slot].address == address && back < perfcast_stores_back) a->met[back] += weight();
  else a->not_met += weight();
}

// Which load comes behind stores to the same place of other pages: some cores compare the low bits of addresses first and make the
// load come again, once for each of them. The last few stores are kept for each eight bytes of a page, with which of these they wrote.
enum { words_of_page = 512, kept_stores = 4 };
static struct page_store { uint64_t word, number; unsigned bytes; } stored_in_page[words_of_page][kept_stores];  // the youngest first
static unsigned bytes_within(uint64_t word, uint64_t first, uint64_t last) {
  const unsigned from = word == first >> 3 ? first & 7 : 0, to = word == last >> 3 ? last & 7 : 7;
  return (2u << to) - (1u << from);
}
static void note_alias(struct perfcast_access_data* a, int store, int bytes, uint64_t address) {
  const uint64_t last = address + (uint64_t)bytes - 1;
  uint64_t behind = 0, here = perfcast_stores_back;  // bits of stores to other pages; how many stores ago one went to this very place
  for (uint64_t word = address >> 3; word <= last >> 3; word++) {
    struct page_store* kept = stored_in_page[word % words_of_page];
    const unsigned touched = bytes_within(word, address, last);
    if (store) {
      memmove(kept + 1, kept, (kept_stores - 1) * sizeof *kept);
      kept[0].word = word, kept[0].number = stores_done, kept[0].bytes = touched;
      continue;
    }
    for (int k = 0; k < kept_stores; k++) {
      const uint64_t back = stores_done - 1 - kept[k].number;
      if (back >= perfcast_stores_back || !(kept[k].bytes & touched)) continue;
      if (kept[k].word != word) behind |= (uint64_t)1 << back;
      else if (back < here) here = back;
    }
  }
  for (uint64_t back = 0; behind >> back && back < here; back++)
    if (behind >> back & 1) a->aliased[back] += weight();
}

// Notes a touch of so many bytes at this address by this access.
static void follow(struct perfcast_access_data* a, int store, int bytes, uint64_t address) {
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
    note_alias(a, store, bytes, address);
    note_meeting(a, store, address);
  }
  int bin, censored;
  touch(&pages, page, a->pages, perfcast_page_bins, &bin, &censored);
  const int page_bin = bin, page_censored = censored;
  struct cell* c = touch(&lines, line, a->lines, perfcast_line_bins, &bin, &censored);
  if (store) note_store(a, c);
  if (censored || bin >= 20) {
    int near = 0;
    if (page_is_watched(line, page_bin, page_censored)) {
      near = in_stream(line);
      if (near <= 0 && (censored || bin >= far_bin) && in_loose_stream(line)) near = 1;
    }
    const int begun = lines.followed << halvings <= 2 * lately;  // what lies beside may have been touched just before the burst
    if (begun && near == 0) near = -1;
    float by = near < 0 ? 0 : weight();
    if (censored) a->all_censored += by, a->near_censored += near ? by : 0;
    else a->all_seen[bin] += by, a->near_seen[bin] += near ? by : 0;
    if (bin >= bin_of(perfcast_far_lines, perfcast_line_bins)) {
      if (halvings == 0) a->all_exact += by, a->near_exact += near ? by : 0, a->exact_touches++;
      const int settled = near == 1 ? in_settled_stream(line) : -1;
      if (settled >= 0) *(settled ? &a->settled : &a->unsettled) += by;
    }
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
}

#endif

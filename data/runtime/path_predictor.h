// A branch predictor that remembers the way it came: sixteen bits of each branch and where it went, shifted by two from one
// branch to the next, folded into the index and the tag of tagged tables. Ways of many branches seldom look alike. Those
// around one short loop do, since the same bits come back to the same places; and one branch has but a quarter of the room.
// So it learns random patterns up to a period of some five thousand in one branch and some twenty thousand in eight, but
// hardly ever what happens seldom in a loop of one branch. Its sizes were fitted to a core of Granite Rapids, by sixty
// patterns of one and of eight branches and by chance: it misses as many there, to 2 % of the branches (docs/accuracy.md). Of
// the targets of jumps it learns up to some two thousand, of one or of many.
#ifndef PERFCAST_PATH_PREDICTOR_H
#define PERFCAST_PATH_PREDICTOR_H

#include <stdint.h>

enum { path_tables = 5, path_ways = 4, path_sets = 1024, path_jump_sets = 64, path_jump_ways = 8, path_branches = 16384 };
enum { path_index_bits = 18, path_tag_bits = 20, path_kept = 256 };
struct path_entry { uint16_t tag; int8_t counter; uint8_t useful; };
struct path_jump { uint16_t tag; uint8_t useful; uint64_t target; };
static const int path_length[path_tables] = {10, 20, 40, 80, 160};
static struct path_entry path_entries[path_tables][path_sets][path_ways];
static struct path_jump path_jumps[path_tables][path_jump_sets][path_jump_ways];
static int8_t path_usual[path_branches];
static uint64_t path_last_target[path_branches];
static uint8_t path_way[path_kept];  // pairs of bits, the newest first
static uint32_t path_at, path_index[path_tables], path_tag[path_tables], path_chance = 1;

static uint32_t path_hash(uint32_t x) {
  x *= 2654435761u, x ^= x >> 15, x *= 2246822519u;
  return x ^ x >> 13;
}
// Shifts a folded history by two bits and takes the oldest two out. Both widths are even: no pair is cut in two.
static void path_fold(uint32_t* to, int length, int bits, uint32_t in, uint32_t out) {
  *to = (*to << 2 | *to >> (bits - 2)) & ((1u << bits) - 1);
  *to ^= in ^ out << 2 * length % bits;
}
// A branch went one of its ways.
static void path_remember(uint32_t id, uint32_t where) {
  uint32_t in = path_hash(id * 31 + where) >> 16;
  for (int t = 0; t < path_tables; t++) {
    uint32_t out = path_way[(path_at + (uint32_t)path_length[t] - 1) & (path_kept - 1)];
    path_fold(&path_index[t], path_length[t], path_index_bits, in, out), path_fold(&path_tag[t], path_length[t], path_tag_bits, in, out);
  }
  path_at = (path_at - 1) & (path_kept - 1), path_way[path_at] = 0;
  for (uint32_t k = 0; k < 8; k++) path_way[(path_at + k) & (path_kept - 1)] ^= in >> 2 * k & 3;
}

static uint16_t path_tag_of(int t, uint32_t place) { return (uint16_t)(((path_tag[t] ^ path_tag[t] >> 10 << 1 ^ place >> 8) & 1023) | 0x8000); }
static uint32_t path_draw(void) { return path_chance ^= path_chance << 13, path_chance ^= path_chance >> 17, path_chance ^= path_chance << 5; }
// Where to look for room behind the table that knew: in the next or in the one behind it.
static int path_first_after(int provider) {
  int first = provider + 1 + (int)(path_draw() & 1);
  return first < path_tables ? first : provider + 1;
}
static uint8_t path_more(uint8_t useful) { return (uint8_t)(useful + (useful < 3)); }
static uint8_t path_less(uint8_t useful) { return (uint8_t)(useful - (useful > 0)); }
// What is old must give way at last, also where there is room: else the last place free would be taken by all in turn. Once
// in so many times, a power of two.
static int path_ages(uint32_t times) { return (path_draw() >> 8 & (times - 1)) == 0; }

static int path_misses_condition(uint32_t id, int taken) {
  uint32_t place = path_hash(id);
  struct path_entry *set[path_tables], *provider = 0, *other = 0;
  int from = -1;
  for (int t = 0; t < path_tables; t++) {
    set[t] = path_entries[t][((path_index[t] ^ path_index[t] >> 9) & 255) | (place & 3) << 8];
    uint16_t tag = path_tag_of(t, place);
    for (int w = 0; w < path_ways; w++)
      if (set[t][w].tag == tag) other = provider, provider = &set[t][w], from = t;
  }
  int8_t* usual = &path_usual[place >> 18];
  int other_says = other ? other->counter >= 0 : *usual >= 0;
  int wrong = (provider ? provider->counter >= 0 : other_says) != taken;  // what is new is believed: of chance it misses more than need be
  if (provider) {
    int right = (provider->counter >= 0) == taken;
    if (right != (other_says == taken)) provider->useful = right ? path_more(provider->useful) : path_less(provider->useful);
    provider->counter = (int8_t)(taken ? provider->counter + (provider->counter < 3) : provider->counter - (provider->counter > -4));
  }
  *usual = (int8_t)(taken ? *usual + (*usual < 1) : *usual - (*usual > -2));
  if (!wrong) return 0;
  for (int t = from + 1; t < path_tables; t++)
    if (path_ages(8)) set[t][path_chance & (path_ways - 1)].useful = path_less(set[t][path_chance & (path_ways - 1)].useful);
  for (int t = path_first_after(from); t < path_tables; t++)
    for (int w = 0; w < path_ways; w++)
      if (!set[t][w].useful) {
        set[t][w].tag = path_tag_of(t, place), set[t][w].counter = (int8_t)(taken ? 0 : -1);
        return 1;
      }
  return 1;
}

static int path_misses_target(uint32_t id, uint64_t target) {
  uint32_t place = path_hash(id);
  struct path_jump *set[path_tables], *provider = 0, *other = 0;
  int from = -1;
  for (int t = 0; t < path_tables; t++) {
    set[t] = path_jumps[t][(path_index[t] ^ path_index[t] >> 6 ^ path_index[t] >> 12) & (path_jump_sets - 1)];
    uint16_t tag = path_tag_of(t, place);
    for (int w = 0; w < path_jump_ways; w++)
      if (set[t][w].tag == tag) other = provider, provider = &set[t][w], from = t;
  }
  uint64_t *last = &path_last_target[place >> 18], other_says = other ? other->target : *last;
  int wrong = (provider && provider->useful ? provider->target : other_says) != target;
  if (provider) {
    if (provider->target == target) provider->useful = path_more(provider->useful);
    else if (provider->useful) provider->useful--;
    else provider->target = target;
  }
  *last = target;
  if (!wrong) return 0;
  for (int t = from + 1; t < path_tables; t++)
    if (path_ages(64)) set[t][path_chance & (path_jump_ways - 1)].useful = path_less(set[t][path_chance & (path_jump_ways - 1)].useful);
  for (int t = path_first_after(from); t < path_tables; t++)
    for (int w = 0; w < path_jump_ways; w++)
      if (!set[t][w].useful) {
        set[t][w].tag = path_tag_of(t, place), set[t][w].target = target;
        return 1;
      }
  return 1;
}

#endif

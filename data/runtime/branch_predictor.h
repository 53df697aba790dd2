// Three branch predictors, simulated side by side. Two are TAGE (Seznec), a table of directions and seven of tagged counters
// over longer and longer histories of directions. The large one is like those of cores of today: it learns random patterns of one branch up to a
// period of some eight thousand, and ends of loops of up to 260 iterations. The small one is like those of some years ago: a
// period of some fifteen hundred, loops of up to 80. The third remembers the way it came (path_predictor.h). What a core has
// lies between them (record/foresight.h). One set per program, for one thread at a time.
#ifndef PERFCAST_BRANCH_PREDICTOR_H
#define PERFCAST_BRANCH_PREDICTOR_H

#include <stdint.h>

#include "path_predictor.h"

enum { tage_tables = 7, tage_largest = 1024, bimodal_size = 16384 };
enum { wrong_of_large = 1, wrong_of_small = 2, wrong_of_path = 4 };  // what predictions answer, added up
struct tage_entry { uint16_t tag; int8_t counter; uint8_t useful; };
struct jump_entry { uint16_t tag; uint8_t sure; uint64_t target; };
static struct predictor {
  int history[tage_tables];
  uint32_t size;
  struct tage_entry tage[tage_tables][tage_largest];
  int8_t bimodal[bimodal_size];
  struct jump_entry jumps[tage_tables][tage_largest];
  uint64_t last_target[bimodal_size];
  uint32_t folded[2][tage_tables], chance;
} large_predictor = {.history = {5, 9, 17, 33, 65, 130, 260}, .size = tage_largest, .chance = 1},
  small_predictor = {.history = {4, 7, 12, 20, 33, 52, 80}, .size = 128, .chance = 1};
static uint8_t history[512];
static uint32_t history_at;

static void fold(uint32_t* to, int length, int bits, int in, int out) {
  *to = (*to << 1) ^ (uint32_t)in ^ ((uint32_t)out << (length % bits));
  *to = (*to ^ (*to >> bits)) & ((1u << bits) - 1);
}
static void remember_in(struct predictor* p, int bit) {
  for (int t = 0; t < tage_tables; t++) {
    int out = history[(history_at + (uint32_t)p->history[t]) & 511];
    // Into a prime number of bits: the branches of a loop come back every few bits, and most of them say nothing new.
    fold(&p->folded[0][t], p->history[t], 19, bit, out), fold(&p->folded[1][t], p->history[t], 17, bit, out);
  }
}
static void remember(int bit) {
  history_at = (history_at - 1) & 511, history[history_at] = (uint8_t)bit;
  remember_in(&large_predictor, bit), remember_in(&small_predictor, bit);
}
static uint32_t place_of(uint32_t id) { return id * 2654435761u >> 8; }
static uint32_t mixed_in(const struct predictor* p, int t, uint32_t pc) {
  return p->folded[0][t] * 2654435761u ^ p->folded[1][t] * 2246822519u ^ (pc * 3266489917u + (uint32_t)t);
}
static uint32_t index_of(const struct predictor* p, uint32_t mixed) { return (mixed ^ mixed >> 15) & (p->size - 1); }
static uint16_t tag_of(uint32_t mixed) { return (uint16_t)(mixed >> 17 | 0x8000); }

// The table at which to begin looking for room behind `provider`: usually the next, now and then a later one. Always at
// the next, two patterns that fall on one place would push each other out for ever.
static int first_after(struct predictor* p, int provider) {
  p->chance = p->chance * 1664525u + 1013904223u;
  int first = provider + 1 + (int)(p->chance >> 30 & 1) + (p->chance >> 30 == 3);
  return first < tage_tables ? first : provider + 1;
}

static int misses_condition(struct predictor* p, uint32_t id, int taken) {
  uint32_t pc = place_of(id);
  struct tage_entry* entry[tage_tables];
  uint16_t tag[tage_tables];
  int provider = -1, other = -1;
  for (int t = 0; t < tage_tables; t++) {
    uint32_t mixed = mixed_in(p, t, pc);
    entry[t] = &p->tage[t][index_of(p, mixed)], tag[t] = tag_of(mixed);
    if (entry[t]->tag == tag[t]) other = provider, provider = t;
  }
  int8_t* base = &p->bimodal[pc & (bimodal_size - 1)];
  int base_says = *base >= 0, other_says = other >= 0 ? entry[other]->counter >= 0 : base_says;
  int says = provider >= 0 ? entry[provider]->counter >= 0 : base_says;
  if (provider >= 0) {  // a new entry with a weak counter is trusted less than what it would replace
    int8_t counter = entry[provider]->counter;
    if (!entry[provider]->useful && (counter == 0 || counter == -1)) says = other_says;
  }
  int wrong = says != taken;
  if (provider >= 0) {
    int8_t* counter = &entry[provider]->counter;
    int provider_right = (*counter >= 0) == taken;
    if (provider_right != (other_says == taken)) {
      uint8_t* useful = &entry[provider]->useful;
      if (provider_right) *useful += *useful < 3; else *useful -= *useful > 0;
    }
    *counter = (int8_t)(taken ? (*counter < 3 ? *counter + 1 : 3) : (*counter > -4 ? *counter - 1 : -4));
  }
  if (provider < 0) *base = (int8_t)(taken ? (*base < 1 ? *base + 1 : 1) : (*base > -2 ? *base - 1 : -2));
  if (wrong && provider < tage_tables - 1) {
    int placed = 0;
    for (int t = first_after(p, provider); t < tage_tables && !placed; t++)
      if (!entry[t]->useful) entry[t]->tag = tag[t], entry[t]->counter = (int8_t)(taken ? 0 : -1), placed = 1;
    if (!placed)
      for (int t = provider + 1; t < tage_tables; t++) entry[t]->useful -= entry[t]->useful > 0;
  }
  return wrong;
}
// Which predictors miss a condition; they learn from it, but do not make it part of the history.
static int wrong_condition(uint32_t id, int taken) {
  return wrong_of_large * misses_condition(&large_predictor, id, taken) + wrong_of_small * misses_condition(&small_predictor, id, taken) +
         wrong_of_path * path_misses_condition(id, taken);
}
// The same for a conditional branch.
static int wrong_direction(uint32_t id, int taken) {
  int wrong = wrong_condition(id, taken);
  remember(taken), path_remember(id, (uint32_t)taken);
  return wrong;
}

// ---- Jumps by a table, calls through a pointer: the same tables of histories, with the target in place of the counter
// (ITTAGE, Seznec 2011).
static int misses_target(struct predictor* p, uint32_t id, uint64_t target) {
  uint32_t pc = place_of(id);
  struct jump_entry* entry[tage_tables];
  uint16_t tag[tage_tables];
  int provider = -1, other = -1;
  for (int t = 0; t < tage_tables; t++) {
    uint32_t mixed = mixed_in(p, t, pc);
    entry[t] = &p->jumps[t][index_of(p, mixed)], tag[t] = tag_of(mixed);
    if (entry[t]->tag == tag[t]) other = provider, provider = t;
  }
  uint64_t* base = &p->last_target[pc & (bimodal_size - 1)];
  uint64_t other_says = other >= 0 ? entry[other]->target : *base;
  uint64_t says = provider < 0 ? *base : entry[provider]->sure ? entry[provider]->target : other_says;
  int wrong = says != target;
  if (provider >= 0) {
    uint8_t* sure = &entry[provider]->sure;
    if (entry[provider]->target == target) *sure += *sure < 3;
    else if (*sure) --*sure;
    else entry[provider]->target = target;
  }
  if (wrong && provider < tage_tables - 1) {
    int placed = 0;
    for (int t = first_after(p, provider); t < tage_tables && !placed; t++)
      if (!entry[t]->sure) entry[t]->tag = tag[t], entry[t]->target = target, placed = 1;
    if (!placed)
      for (int t = provider + 1; t < tage_tables; t++) entry[t]->sure -= entry[t]->sure > 0;
  }
  *base = target;
  return wrong;
}
static int wrong_target(uint32_t id, uint64_t target) {
  int wrong = wrong_of_large * misses_target(&large_predictor, id, target) + wrong_of_small * misses_target(&small_predictor, id, target) +
              wrong_of_path * path_misses_target(id, target);
  uint64_t mixed = target * 0x9E3779B97F4A7C15ull;  // the way taken is part of the history
  for (int bit = 61; bit < 64; bit++) remember((int)(mixed >> bit & 1));
  path_remember(id, (uint32_t)(mixed >> 32));
  return wrong;
}

#endif

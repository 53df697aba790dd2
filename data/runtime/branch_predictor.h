// A branch predictor like today's, simulated: TAGE (Seznec), a table of directions and seven of tagged counters over
// longer and longer histories. One per program, for one thread at a time. Random patterns of one branch are learned up to
// a period of some eight thousand, as on the cores measured (`learned_period` of the machine files).
#ifndef PERFCAST_BRANCH_PREDICTOR_H
#define PERFCAST_BRANCH_PREDICTOR_H

#include <stdint.h>

enum { tage_tables = 7, tage_size = 1024, bimodal_size = 16384 };
static const int tage_history[tage_tables] = {5, 9, 17, 33, 65, 130, 260};
static struct { uint16_t tag; int8_t counter; uint8_t useful; } tage[tage_tables][tage_size];
static int8_t bimodal[bimodal_size];
static uint8_t history[512];
static uint32_t history_at, folded[2][tage_tables];

static void fold(uint32_t* to, int length, int bits, int in, int out) {
  *to = (*to << 1) ^ (uint32_t)in ^ ((uint32_t)out << (length % bits));
  *to = (*to ^ (*to >> bits)) & ((1u << bits) - 1);
}
static void remember(int bit) {
  history_at = (history_at - 1) & 511, history[history_at] = (uint8_t)bit;
  for (int t = 0; t < tage_tables; t++) {
    int out = history[(history_at + (uint32_t)tage_history[t]) & 511];
    // Into a prime number of bits: the branches of a loop come back every few bits, and most of them say nothing new.
    fold(&folded[0][t], tage_history[t], 19, bit, out), fold(&folded[1][t], tage_history[t], 17, bit, out);
  }
}
static uint32_t place_of(uint32_t id) { return id * 2654435761u >> 8; }
static uint32_t mixed_in(int t, uint32_t pc) { return folded[0][t] * 2654435761u ^ folded[1][t] * 2246822519u ^ (pc * 3266489917u + (uint32_t)t); }
static uint32_t index_of(uint32_t mixed) { return (mixed ^ mixed >> 15) & (tage_size - 1); }
static uint16_t tag_of(uint32_t mixed) { return (uint16_t)(mixed >> 17 | 0x8000); }

// The table at which to begin looking for room behind `provider`: usually the next, now and then a later one. Always at
// the next, two patterns that fall on one place would push each other out for ever.
static int first_after(int provider) {
  static uint32_t chance = 1;
  chance = chance * 1664525u + 1013904223u;
  int first = provider + 1 + (int)(chance >> 30 & 1) + (chance >> 30 == 3);
  return first < tage_tables ? first : provider + 1;
}

// Whether a condition was mispredicted; learns from it, but does not make it part of the history.
static int wrong_condition(uint32_t id, int taken) {
  uint32_t pc = place_of(id), index[tage_tables];
  uint16_t tag[tage_tables];
  int provider = -1, other = -1;
  for (int t = 0; t < tage_tables; t++) {
    uint32_t mixed = mixed_in(t, pc);
    index[t] = index_of(mixed), tag[t] = tag_of(mixed);
    if (tage[t][index[t]].tag == tag[t]) other = provider, provider = t;
  }
  int8_t* base = &bimodal[pc & (bimodal_size - 1)];
  int base_says = *base >= 0, other_says = other >= 0 ? tage[other][index[other]].counter >= 0 : base_says;
  int says = provider >= 0 ? tage[provider][index[provider]].counter >= 0 : base_says;
  if (provider >= 0) {  // a new entry with a weak counter is trusted less than what it would replace
    int8_t counter = tage[provider][index[provider]].counter;
    if (!tage[provider][index[provider]].useful && (counter == 0 || counter == -1)) says = other_says;
  }
  int wrong = says != taken;
  if (provider >= 0) {
    int8_t* counter = &tage[provider][index[provider]].counter;
    int provider_right = (*counter >= 0) == taken;
    if (provider_right != (other_says == taken)) {
      uint8_t* useful = &tage[provider][index[provider]].useful;
      if (provider_right) *useful += *useful < 3; else *useful -= *useful > 0;
    }
    *counter = (int8_t)(taken ? (*counter < 3 ? *counter + 1 : 3) : (*counter > -4 ? *counter - 1 : -4));
  }
  if (provider < 0) *base = (int8_t)(taken ? (*base < 1 ? *base + 1 : 1) : (*base > -2 ? *base - 1 : -2));
  if (wrong && provider < tage_tables - 1) {
    int placed = 0;
    for (int t = first_after(provider); t < tage_tables && !placed; t++)
      if (!tage[t][index[t]].useful) {
        tage[t][index[t]].tag = tag[t], tage[t][index[t]].counter = (int8_t)(taken ? 0 : -1), placed = 1;
      }
    if (!placed)
      for (int t = provider + 1; t < tage_tables; t++) tage[t][index[t]].useful -= tage[t][index[t]].useful > 0;
  }
  return wrong;
}
// The same for a conditional branch.
static int wrong_direction(uint32_t id, int taken) {
  int wrong = wrong_condition(id, taken);
  remember(taken);
  return wrong;
}

// ---- Jumps by a table, calls through a pointer: the same tables of histories, with the target in place of the counter
// (ITTAGE, Seznec 2011).
static struct { uint16_t tag; uint8_t sure; uint64_t target; } jumps[tage_tables][tage_size];
static uint64_t last_target[bimodal_size];

static int wrong_target(uint32_t id, uint64_t target) {
  uint32_t pc = place_of(id), index[tage_tables];
  uint16_t tag[tage_tables];
  int provider = -1, other = -1;
  for (int t = 0; t < tage_tables; t++) {
    uint32_t mixed = mixed_in(t, pc);
    index[t] = index_of(mixed), tag[t] = tag_of(mixed);
    if (jumps[t][index[t]].tag == tag[t]) other = provider, provider = t;
  }
  uint64_t* base = &last_target[pc & (bimodal_size - 1)];
  uint64_t other_says = other >= 0 ? jumps[other][index[other]].target : *base;
  uint64_t says = provider < 0 ? *base : jumps[provider][index[provider]].sure ? jumps[provider][index[provider]].target : other_says;
  int wrong = says != target;
  if (provider >= 0) {
    uint8_t* sure = &jumps[provider][index[provider]].sure;
    if (jumps[provider][index[provider]].target == target) *sure += *sure < 3;
    else if (*sure) --*sure;
    else jumps[provider][index[provider]].target = target;
  }
  if (wrong && provider < tage_tables - 1) {
    int placed = 0;
    for (int t = first_after(provider); t < tage_tables && !placed; t++)
      if (!jumps[t][index[t]].sure) {
        jumps[t][index[t]].tag = tag[t], jumps[t][index[t]].target = target, placed = 1;
      }
    if (!placed)
      for (int t = provider + 1; t < tage_tables; t++) jumps[t][index[t]].sure -= jumps[t][index[t]].sure > 0;
  }
  *base = target;
  uint64_t mixed = target * 0x9E3779B97F4A7C15ull;  // the way taken is part of the history
  for (int bit = 61; bit < 64; bit++) remember((int)(mixed >> bit & 1));
  return wrong;
}

#endif

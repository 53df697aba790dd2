// Huffman codes in canonical form: the lengths alone tell the codes.
#include <stdint.h>
#include <string.h>

#include "compress.h"

enum { SYMBOLS = 256, NODES = 2 * SYMBOLS };

// Code lengths from counts, by joining the two rarest nodes until one is left.
static void code_lengths(const uint64_t* count, unsigned char* length) {
  uint64_t weight[NODES];
  int parent[NODES], alive[NODES], n = 0, nodes = SYMBOLS;
  for (int s = 0; s < SYMBOLS; s++) {
    weight[s] = count[s] + 1;  // every symbol gets a code
    alive[n++] = s;
  }
  while (n > 1) {
    for (int pick = 0; pick < 2; pick++) {  // move the rarest to the end
      int rarest = 0, last = n - 1 - pick;
      for (int i = 1; i <= last; i++)
        if (weight[alive[i]] < weight[alive[rarest]]) rarest = i;
      int t = alive[rarest];
      alive[rarest] = alive[last];
      alive[last] = t;
    }
    weight[nodes] = weight[alive[n - 1]] + weight[alive[n - 2]];
    parent[alive[n - 1]] = parent[alive[n - 2]] = nodes;
    alive[n - 2] = nodes++;
    n--;
  }
  for (int s = 0; s < SYMBOLS; s++) {
    length[s] = 0;
    for (int node = s; node != nodes - 1; node = parent[node]) length[s]++;
  }
}

// First code and first rank of each length; symbols in order of (length, symbol).
static void canonical(const unsigned char* length, uint32_t* first, int* rank, int* order, uint32_t* code) {
  uint32_t next = 0;
  int placed = 0;
  for (int l = 1; l < 32; l++) {
    first[l] = next;
    rank[l] = placed;
    for (int s = 0; s < SYMBOLS; s++)
      if (length[s] == l) {
        code[s] = next++;
        order[placed++] = s;
      }
    next <<= 1;
  }
}

size_t huffman_pack(const unsigned char* in, size_t n, unsigned char* out) {
  uint64_t count[SYMBOLS] = {0}, bits = 0;
  uint32_t first[32], code[SYMBOLS];
  int rank[32], order[SYMBOLS], held = 0;
  for (size_t i = 0; i < n; i++) count[in[i]]++;
  code_lengths(count, out);
  canonical(out, first, rank, order, code);
  unsigned char* end = out + SYMBOLS;
  for (size_t i = 0; i < n; i++) {
    bits = bits << out[in[i]] | code[in[i]];
    held += out[in[i]];
    for (; held >= 8; held -= 8) *end++ = (unsigned char)(bits >> (held - 8));
  }
  if (held) *end++ = (unsigned char)(bits << (8 - held));
  return (size_t)(end - out);
}

size_t huffman_unpack(const unsigned char* in, unsigned char* out, size_t count) {
  uint32_t first[32], code[SYMBOLS];
  int rank[33], order[SYMBOLS], used = 0;
  canonical(in, first, rank, order, code);
  rank[32] = SYMBOLS;
  const unsigned char* at = in + SYMBOLS;
  for (size_t i = 0; i < count; i++) {
    uint32_t bits = 0;
    for (int l = 1; l < 32; l++) {
      bits = bits << 1 | (*at >> (7 - used) & 1);
      if (++used == 8) used = 0, at++;
      int here = (l < 31 ? rank[l + 1] : rank[32]) - rank[l];
      if (bits < first[l] + (uint32_t)here) {
        out[i] = (unsigned char)order[rank[l] + (int)(bits - first[l])];
        break;
      }
    }
  }
  return count;
}

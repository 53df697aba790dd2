// Lempel-Ziv with hash chains of three-byte prefixes, greedy longest match in a window of 64 kB.
#include <string.h>

#include "compress.h"

enum { HASH = 1 << 15, WINDOW = 1 << 16, LONGEST = 257, TRIES = 16 };
static int newest[HASH], older[WINDOW];

static unsigned hash(const unsigned char* p) {
  return ((unsigned)p[0] << 16 | (unsigned)p[1] << 8 | p[2]) * 2654435761u >> 17;
}

static void remember(const unsigned char* in, size_t at, size_t n) {
  if (at + 3 > n) return;
  unsigned h = hash(in + at);
  older[at % WINDOW] = newest[h];
  newest[h] = (int)at;
}

// Length of the longest match at `at`; its distance back in *distance.
static size_t longest_match(const unsigned char* in, size_t at, size_t n, size_t* distance) {
  size_t best = 0, limit = n - at < LONGEST ? n - at : LONGEST;
  if (limit < 3) return 0;
  int candidate = newest[hash(in + at)];
  for (int tries = 0; tries < TRIES && candidate >= 0 && at - (size_t)candidate < WINDOW; tries++) {
    const unsigned char *a = in + candidate, *b = in + at;
    size_t length = 0;
    while (length < limit && a[length] == b[length]) length++;
    if (length > best) best = length, *distance = at - (size_t)candidate;
    int before = older[(size_t)candidate % WINDOW];
    if (before >= candidate) break;
    candidate = before;
  }
  return best;
}

size_t lz_pack(const unsigned char* in, size_t n, unsigned char* out) {
  unsigned char* end = out;
  memset(newest, -1, sizeof newest);
  for (size_t at = 0; at < n;) {
    size_t distance = 0, length = longest_match(in, at, n, &distance);
    if (length < 3) {
      *end++ = 0;
      *end++ = in[at];
      length = 1;
    } else {
      *end++ = (unsigned char)(length - 2);
      *end++ = (unsigned char)distance;
      *end++ = (unsigned char)(distance >> 8);
    }
    while (length--) remember(in, at++, n);
  }
  return (size_t)(end - out);
}

size_t lz_unpack(const unsigned char* in, size_t n, unsigned char* out) {
  unsigned char* end = out;
  for (const unsigned char* last = in + n; in < last;) {
    size_t length = *in++;
    if (length == 0) {
      *end++ = *in++;
      continue;
    }
    size_t distance = in[0] | (size_t)in[1] << 8;
    in += 2;
    for (length += 2; length--; end++) *end = end[-(ptrdiff_t)distance];
  }
  return (size_t)(end - out);
}

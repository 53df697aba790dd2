// A compressor of several files: Lempel-Ziv, then Huffman, and back, on text made of words of
// unequal frequency.
// Check: the text comes back unchanged, from a packed form of less than half its size.
// Argument: hundreds of kilobytes of text.
#include <string.h>

#include "../../common.h"
#include "compress.h"

// Words of two to nine letters; the k-th is drawn with a frequency near 1/k.
static size_t make_text(unsigned char* text, size_t n) {
  enum { WORDS = 2000 };
  static char word[WORDS][10];
  uint64_t seed = 103;
  for (int w = 0; w < WORDS; w++)
    for (uint64_t k = 0, length = 2 + next_random(&seed) % 8; k < length; k++)
      word[w][k] = (char)('a' + next_random(&seed) % 26);
  size_t at = 0;
  while (at + 11 < n) {
    uint64_t range = 1 + next_random(&seed) % WORDS;
    const char* w = word[next_random(&seed) % range];
    size_t length = strlen(w);
    memcpy(text + at, w, length);
    at += length;
    text[at++] = ' ';
  }
  return at;
}

int main(int argc, char** argv) {
  size_t n = (size_t)size_argument(argc, argv, 60) * 100000;
  unsigned char* space = malloc(7 * n + 1024);
  if (!space) return verdict(0);
  unsigned char *text = space, *tokens = text + n, *packed = tokens + 2 * n, *back = packed + 2 * n + 512;
  n = make_text(text, n);
  size_t token_bytes = lz_pack(text, n, tokens), packed_bytes = huffman_pack(tokens, token_bytes, packed);
  huffman_unpack(packed, back, token_bytes);
  int good = memcmp(tokens, back, token_bytes) == 0;
  size_t back_bytes = lz_unpack(tokens, token_bytes, back);
  good = good && back_bytes == n && memcmp(text, back, n) == 0 && packed_bytes < n / 2;
  printf("compress: %zu bytes to %zu to %zu\n", n, token_bytes, packed_bytes);
  free(space);
  return verdict(good);
}

// Search for words in a long text three ways: Knuth-Morris-Pratt (1977), Boyer-Moore-Horspool (1980)
// and the library's strstr.
// Check: the three find the same number of places, and at least the planted ones.
// Argument: megabytes of text.
#include <string.h>

#include "../common.h"

enum { PATTERNS = 6, LENGTH = 12 };

static int knuth_morris_pratt(const char* text, size_t n, const char* p, int m) {
  int fail[LENGTH + 1], k = 0, count = 0;
  fail[0] = fail[1] = 0;
  for (int i = 1; i < m; i++) {
    while (k && p[k] != p[i]) k = fail[k];
    fail[i + 1] = k += p[k] == p[i];
  }
  k = 0;
  for (size_t i = 0; i < n; i++) {
    while (k && (k == m || p[k] != text[i])) k = fail[k];
    k += p[k] == text[i];
    count += k == m;
  }
  return count;
}

static int horspool(const char* text, size_t n, const char* p, int m) {
  int skip[256], count = 0;
  for (int c = 0; c < 256; c++) skip[c] = m;
  for (int i = 0; i < m - 1; i++) skip[(unsigned char)p[i]] = m - 1 - i;
  for (size_t i = (size_t)m - 1; i < n; i += (size_t)skip[(unsigned char)text[i]])
    count += text[i] == p[m - 1] && memcmp(text + i + 1 - m, p, (size_t)m) == 0;
  return count;
}

static int library(const char* text, const char* p) {
  int count = 0;
  for (const char* at = text; (at = strstr(at, p)); at++) count++;
  return count;
}

int main(int argc, char** argv) {
  size_t n = (size_t)size_argument(argc, argv, 10) << 20;
  char* text = malloc(n + 1);
  if (!text) return verdict(0);
  uint64_t seed = 89;
  for (size_t i = 0; i < n; i++) text[i] = "abcdefg "[next_random(&seed) & 7];
  text[n] = 0;
  int good = 1, total = 0;
  for (int k = 0; k < PATTERNS; k++) {
    int length = 3 + k % 3 * 4, planted = 0;
    char p[LENGTH + 1] = {0};
    for (int i = 0; i < length; i++) p[i] = "abcdefg"[next_random(&seed) % 7];
    for (size_t at = 1000; at + LENGTH < n; at += n / 50, planted++) memcpy(text + at, p, (size_t)length);
    int a = knuth_morris_pratt(text, n, p, length), b = horspool(text, n, p, length), c = library(text, p);
    good = good && a == b && b == c && a >= planted;
    total += a;
  }
  printf("strings: %d places\n", total);
  free(text);
  return verdict(good);
}

// Matcher of small regular expressions by backtracking recursion: letters, '.', '*', '+', '?', '^',
// '$', after the idea of Kernighan and Pike, "The Practice of Programming" (1999), section 9.2.
// Check: a table of pairs with known answers; lines made to match do match, and a letter that is not in
// the text never matches.
// Argument: thousands of lines.
#include <string.h>

#include "../common.h"

static int match_here(const char* pattern, const char* text);

static int same(char p, char c) { return c && (p == '.' || p == c); }

// At least `least` and at most `most` of p, longest first, then the rest of the pattern.
static int match_repeat(char p, int least, int most, const char* rest, const char* text) {
  int n = 0;
  while (n < most && same(p, text[n])) n++;
  for (; n >= least; n--)
    if (match_here(rest, text + n)) return 1;
  return 0;
}

static int match_here(const char* pattern, const char* text) {
  if (!*pattern) return 1;
  if (pattern[0] == '$' && !pattern[1]) return !*text;
  switch (pattern[1]) {
    case '*': return match_repeat(pattern[0], 0, 1 << 30, pattern + 2, text);
    case '+': return match_repeat(pattern[0], 1, 1 << 30, pattern + 2, text);
    case '?': return match_repeat(pattern[0], 0, 1, pattern + 2, text);
  }
  return same(*pattern, *text) && match_here(pattern + 1, text + 1);
}

static int match(const char* pattern, const char* text) {
  if (*pattern == '^') return match_here(pattern + 1, text);
  do
    if (match_here(pattern, text)) return 1;
  while (*text++);
  return 0;
}

static int known_answers(void) {
  static const struct { const char *pattern, *text; int answer; } table[] = {
      {"abc", "xxabcxx", 1}, {"^abc", "xabc", 0},   {"c$", "abc", 1},      {"a.c", "axc", 1},   {"ab*c", "ac", 1},
      {"ab+c", "ac", 0},     {"ab+c", "abbbc", 1},  {"ab?c", "abbc", 0},   {".*", "", 1},       {"^a.*z$", "abcz", 1},
      {"a.*b.*c$", "xaybzc", 1}, {"^$", "x", 0},    {"x*y*z+$", "xxyz", 1}, {"q.r", "qr", 0},
  };
  for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
    if (match(table[i].pattern, table[i].text) != table[i].answer) return 0;
  return 1;
}

int main(int argc, char** argv) {
  static const char* patterns[] = {"a.*b.*c.*d", "^.*ee+f?g", "h?h?h+a*$", "ab*c+d", "z"};
  int n = 1000 * size_argument(argc, argv, 160), hits[5] = {0}, planted = 0, found = 0;
  uint64_t seed = 101;
  for (int i = 0; i < n; i++) {
    char line[64];
    int length = 20 + (int)(next_random(&seed) % 40);
    for (int k = 0; k < length; k++) line[k] = "abcdefgh"[next_random(&seed) & 7];
    line[length] = 0;
    if (i % 16 == 0) {
      memcpy(line + 7, "abbbccd", 7);
      planted++;
      found += match(patterns[3], line);
    }
    for (int k = 0; k < 5; k++) hits[k] += match(patterns[k], line);
  }
  printf("regex: hits %d %d %d %d %d\n", hits[0], hits[1], hits[2], hits[3], hits[4]);
  return verdict(known_answers() && found == planted && hits[3] >= planted && hits[4] == 0);
}

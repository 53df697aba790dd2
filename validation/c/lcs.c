// Dynamic programming on two strings: longest common subsequence and Levenshtein distance, two rows
// each.
// Check: the second string keeps all but k letters of the first in order, so lcs >= n - k; and the
// distance d obeys n - lcs <= d <= 2 (n - lcs) for strings of equal length n.
// Argument: length of the strings.
#include "../common.h"

static int larger(int a, int b) { return a > b ? a : b; }
static int smaller(int a, int b) { return a < b ? a : b; }

static int common(const char* a, const char* b, int n, int* row) {
  for (int j = 0; j <= n; j++) row[j] = 0;
  for (int i = 0; i < n; i++) {
    int diagonal = 0;
    for (int j = 0; j < n; j++) {
      int above = row[j + 1];
      row[j + 1] = a[i] == b[j] ? diagonal + 1 : larger(above, row[j]);
      diagonal = above;
    }
  }
  return row[n];
}

static int levenshtein(const char* a, const char* b, int n, int* row) {
  for (int j = 0; j <= n; j++) row[j] = j;
  for (int i = 0; i < n; i++) {
    int diagonal = row[0]++;
    for (int j = 0; j < n; j++) {
      int above = row[j + 1];
      int changed = diagonal + (a[i] != b[j]);
      row[j + 1] = smaller(smaller(above, row[j]) + 1, changed);
      diagonal = above;
    }
  }
  return row[n];
}

int main(int argc, char** argv) {
  int n = size_argument(argc, argv, 7000), edits = n / 10;
  char *a = malloc((size_t)n), *b = malloc((size_t)n);
  int* row = calloc((size_t)(n + 1), sizeof *row);
  if (!a || !b || !row) return verdict(0);
  uint64_t seed = 47;
  for (int i = 0; i < n; i++) a[i] = "ACGT"[next_random(&seed) & 3];
  // Leave out every tenth letter, and make up for it at the end.
  int length = 0;
  for (int i = 0; i < n; i++)
    if (i % 10 != 9) b[length++] = a[i];
  while (length < n) b[length++] = "ACGT"[next_random(&seed) & 3];
  int lcs = common(a, b, n, row), distance = levenshtein(a, b, n, row);
  printf("lcs: length %d, lcs %d, distance %d\n", n, lcs, distance);
  free(a), free(b), free(row);
  return verdict(lcs >= n - edits && lcs <= n && distance >= n - lcs && distance <= 2 * (n - lcs));
}

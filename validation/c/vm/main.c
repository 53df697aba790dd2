// An interpreter of several files: lexer, compiler, stack machine. The interpreted program counts
// primes by trial division, finds the longest Collatz chain, and takes a generator modulo 2^31 - 1.
// Check: the same three numbers computed directly.
// Argument: thousands, the range of the three computations.
#include "../../common.h"
#include "vm.h"

static const char program[] =
    "i = 2; p = 0;"
    "while i < n { d = 2; q = 1;"
    "  while (d * d < i + 1) * q { if i % d ~ 0 { q = 0; } d = d + 1; }"
    "  p = p + q; i = i + 1; }"
    "print p;"
    "i = 1; b = 0; l = 0;"
    "while i < n { x = i; c = 0;"
    "  while 1 < x { if x % 2 ~ 0 { x = x / 2; c = c + 1; }"
    "    if x % 2 ~ 1 { if 1 < x { x = 3 * x + 1; c = c + 1; } } }"
    "  if l < c { l = c; b = i; } i = i + 1; }"
    "print b;"
    "s = 1; i = 0; while i < n { s = s * 16807 % 2147483647; i = i + 1; } print s;";

static int64_t primes(int64_t n) {
  int64_t count = 0;
  for (int64_t i = 2; i < n; i++) {
    int prime = 1;
    for (int64_t d = 2; d * d <= i && prime; d++) prime = i % d != 0;
    count += prime;
  }
  return count;
}

static int64_t longest_chain(int64_t n) {
  int64_t best = 0, longest = 0;
  for (int64_t i = 1; i < n; i++) {
    int64_t steps = 0;
    for (int64_t x = i; x > 1; steps++) x = x % 2 ? 3 * x + 1 : x / 2;
    if (steps > longest) longest = steps, best = i;
  }
  return best;
}

int main(int argc, char** argv) {
  int64_t n = 1000 * (int64_t)size_argument(argc, argv, 40), state = 1;
  static Instruction code[MAX_CODE];
  Machine machine = {{0}, {0}, 0, 0};
  int length = compile(program, code);
  if (length < 0 || compile("x = (1;", code + length) != -1) return verdict(0);
  machine.variable['n' - 'a'] = n;
  run(code, &machine);
  for (int64_t i = 0; i < n; i++) state = state * 16807 % 2147483647;
  printf("vm: %d instructions, %lld executed\n", length, (long long)machine.executed);
  return verdict(machine.printed == 3 && machine.output[0] == primes(n) && machine.output[1] == longest_chain(n) &&
                 machine.output[2] == state);
}

// Arithmetic on long integers of 32-bit digits: a factorial by short products, its square by the
// schoolbook product, and division by short divisors back to one.
// Check: the square agrees with the product of residues modulo a prime, and dividing n! by 2, 3, ...
// n leaves no remainder and ends in one.
// Argument: n of the factorial.
#include "../common.h"

typedef struct { int length; uint32_t* digit; } Big;

static void multiply_short(Big* a, uint32_t factor) {
  uint64_t carry = 0;
  for (int i = 0; i < a->length; i++) {
    carry += (uint64_t)a->digit[i] * factor;
    a->digit[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry) a->digit[a->length++] = (uint32_t)carry;
}

// Divides in place, returns the remainder.
static uint32_t divide_short(Big* a, uint32_t divisor) {
  uint64_t rest = 0;
  for (int i = a->length - 1; i >= 0; i--) {
    rest = rest << 32 | a->digit[i];
    a->digit[i] = (uint32_t)(rest / divisor);
    rest %= divisor;
  }
  while (a->length > 1 && !a->digit[a->length - 1]) a->length--;
  return (uint32_t)rest;
}

static void square(const Big* a, Big* r) {
  r->length = 2 * a->length;
  for (int i = 0; i < r->length; i++) r->digit[i] = 0;
  for (int i = 0; i < a->length; i++) {
    uint64_t carry = 0, x = a->digit[i];
    for (int j = 0; j < a->length; j++) {
      carry += x * a->digit[j] + r->digit[i + j];
      r->digit[i + j] = (uint32_t)carry;
      carry >>= 32;
    }
    r->digit[i + a->length] = (uint32_t)carry;
  }
}

static uint64_t residue(const Big* a, uint64_t prime) {
  uint64_t r = 0;
  for (int i = a->length - 1; i >= 0; i--) r = (r << 32 | a->digit[i]) % prime;
  return r;
}

int main(int argc, char** argv) {
  int n = size_argument(argc, argv, 12000);
  const uint64_t prime = 4294967291u;  // the largest below 2^32
  Big a = {1, calloc((size_t)n, sizeof(uint32_t))}, b = {0, calloc((size_t)n * 2, sizeof(uint32_t))};
  if (!a.digit || !b.digit) return verdict(0);
  a.digit[0] = 1;
  for (int i = 2; i <= n; i++) multiply_short(&a, (uint32_t)i);
  square(&a, &b);
  uint64_t r = residue(&a, prime);
  int good = residue(&b, prime) == r * r % prime, digits = a.length;
  for (int i = 2; i <= n; i++) good = divide_short(&a, (uint32_t)i) == 0 && good;
  printf("bigint: %d! has %d digits of 32 bits, residue %llu\n", n, digits, (unsigned long long)r);
  good = good && a.length == 1 && a.digit[0] == 1;
  free(a.digit), free(b.digit);
  return verdict(good);
}

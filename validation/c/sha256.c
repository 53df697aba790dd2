// SHA-256 (FIPS 180-4) of a long pseudo-random message, and CRC-32 by table of the same bytes. The
// constants are computed from their definition: fractions of roots of the first primes.
// Check: the known digest of "abc", the known CRC of "123456789", and the CRC residue property.
// Argument: megabytes of message.
#include <math.h>
#include <string.h>

#include "../common.h"

static uint32_t constant[64], initial[8], table[256];

// The first 32 bits of the fraction of x.
static uint32_t fraction(long double x) { return (uint32_t)((x - floorl(x)) * 4294967296.0L); }

static void make_constants(void) {
  for (int n = 2, found = 0; found < 64; n++) {
    int prime = 1;
    for (int d = 2; d * d <= n; d++) prime = prime && n % d;
    if (!prime) continue;
    if (found < 8) initial[found] = fraction(sqrtl(n));
    constant[found++] = fraction(cbrtl(n));
  }
  for (uint32_t i = 0; i < 256; i++) {
    table[i] = i;
    for (int bit = 0; bit < 8; bit++) table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
  }
}

static uint32_t rotate(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void block(uint32_t* h, const unsigned char* p) {
  uint32_t w[64], s[8];
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 | (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
  for (int i = 16; i < 64; i++) {
    uint32_t a = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
    uint32_t b = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + a + w[i - 7] + b;
  }
  memcpy(s, h, sizeof s);
  for (int i = 0; i < 64; i++) {
    uint32_t e = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
    uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
    uint32_t t = s[7] + e + choice + constant[i] + w[i];
    uint32_t a = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
    uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += t;
    s[0] = t + a + majority;
  }
  for (int i = 0; i < 8; i++) h[i] += s[i];
}

static void sha256(const unsigned char* message, size_t length, uint32_t* h) {
  unsigned char tail[128] = {0};
  size_t whole = length / 64 * 64, rest = length - whole, end = rest < 56 ? 64 : 128;
  memcpy(h, initial, sizeof initial);
  for (size_t i = 0; i < whole; i += 64) block(h, message + i);
  memcpy(tail, message + whole, rest);
  tail[rest] = 0x80;
  for (int i = 0; i < 8; i++) tail[end - 1 - (size_t)i] = (unsigned char)((uint64_t)length * 8 >> 8 * i);
  for (size_t i = 0; i < end; i += 64) block(h, tail + i);
}

static uint32_t crc32(const unsigned char* p, size_t length) {
  uint32_t crc = ~0u;
  for (size_t i = 0; i < length; i++) crc = table[(crc ^ p[i]) & 255] ^ crc >> 8;
  return ~crc;
}

int main(int argc, char** argv) {
  size_t length = (size_t)size_argument(argc, argv, 20) << 20;
  unsigned char* message = malloc(length + 4);
  if (!message) return verdict(0);
  uint32_t h[8];
  uint64_t seed = 53;
  make_constants();
  sha256((const unsigned char*)"abc", 3, h);
  int good = h[0] == 0xba7816bf && h[7] == 0xf20015ad && crc32((const unsigned char*)"123456789", 9) == 0xcbf43926;
  for (size_t i = 0; i < length; i += 8) {
    uint64_t word = next_random(&seed);
    memcpy(message + i, &word, 8);
  }
  sha256(message, length, h);
  uint32_t crc = crc32(message, length);
  for (int i = 0; i < 4; i++) message[length + (size_t)i] = (unsigned char)(crc >> 8 * i);
  good = good && crc32(message, length + 4) == 0x2144df1c;  // residue of any message with its CRC
  printf("sha256: %08x%08x..., crc %08x\n", (unsigned)h[0], (unsigned)h[1], (unsigned)crc);
  free(message);
  return verdict(good);
}

/* Parameters and arguments of calls of which only the number of words is known: all of MPI's are integers or pointers, which
   the calling conventions of AArch64 and x86-64 pass in words. */
#include <stdint.h>

#define P1 intptr_t a
#define P2 P1, intptr_t b
#define P3 P2, intptr_t c
#define P4 P3, intptr_t d
#define P5 P4, intptr_t e
#define P6 P5, intptr_t f
#define P7 P6, intptr_t g
#define P8 P7, intptr_t h
#define P9 P8, intptr_t i
#define P10 P9, intptr_t j
#define P11 P10, intptr_t k
#define P12 P11, intptr_t l
#define P13 P12, intptr_t m
#define P14 P13, intptr_t n
#define A1 a
#define A2 A1, b
#define A3 A2, c
#define A4 A3, d
#define A5 A4, e
#define A6 A5, f
#define A7 A6, g
#define A8 A7, h
#define A9 A8, i
#define A10 A9, j
#define A11 A10, k
#define A12 A11, l
#define A13 A12, m
#define A14 A13, n

// What every C and C++ program of the suite needs: a size from the command line, random numbers
// that are the same everywhere, and the verdict.
#ifndef PERFCAST_VALIDATION_COMMON_H
#define PERFCAST_VALIDATION_COMMON_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// The first argument of the program, or `otherwise` without one.
static inline int size_argument(int argc, char** argv, int otherwise) {
  return argc > 1 ? atoi(argv[1]) : otherwise;
}

// Next of splitmix64 (Steele, Lea and Flood 2014).
static inline uint64_t next_random(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Uniform in [0, 1).
static inline double next_unit(uint64_t* state) { return (double)(next_random(state) >> 11) * 0x1p-53; }

// Print OK, or FAILED; the exit status of the program.
static inline int verdict(int good) {
  puts(good ? "OK" : "FAILED");
  return good ? 0 : 1;
}

#endif

// Writes the program of one language's experiments: each body twice (U and 2 U statements in a counting loop), and the
// table through which data/experiments/harness.c calls them.
#pragma once

#include <string>
#include <vector>

#include "methods/characterize/source/experiments.h"

namespace perfcast::characterize {

struct GeneratedSource {
  std::string bodies;              // in the language
  std::string table;               // in C
  std::vector<std::size_t> line_of;  // experiment of each line of `bodies` (from 1; npos: none), for compilers' messages
};

// Bodies in `left_out` (by number) get an empty place in the table and no code.
GeneratedSource generate(const ExperimentSet& set, const std::string& language, const std::vector<bool>& left_out);

// How far back a statement finds the value it continues: loose chains, as in ordinary code.
inline constexpr int dependence_distance = 2;

// The statement as written the j-th time; `names` gets the operands it uses. Exposed for tests.
struct Operand {
  std::string name, type;
  char role = 'x';  // x a b k u v
  int number = 0;   // of x, a, b
  bool global = false, written = false;
  bool operator==(const Operand&) const = default;
};
std::string expand(const Body& body, int j, std::vector<Operand>& operands);

}  // namespace perfcast::characterize

// The experiments of one language as data/experiments/*.experiments tell them: bodies to be timed, and for each
// operation a sum of bodies with factors that leaves it alone (Saavedra 4.4.1: a direct test is one body, a composite
// or indirect one subtracts others). The head of c.experiments describes the notation.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace perfcast::characterize {

struct Body {
  std::string name;           // "add1.RD.L" inside a block of types, "call" outside
  std::string statement;      // with placeholders
  std::string type, storage;  // of plain $d, $s ...; empty outside a block
  int repetitions = 12;       // U: statements in the short version; the long one has 2 U
};

struct Term {
  double factor = 1;
  std::size_t body = 0;
};

struct CostFormula {
  std::string operation, note;
  std::vector<Term> terms;
};

// A piece of ordinary code with the operations it consists of: what a prediction of it is compared with.
struct Check {
  std::string name;
  std::size_t body = 0;
  std::vector<std::pair<double, std::string>> operations;  // times, operation
};

struct Local {
  std::string name, declaration;
};

struct ExperimentSet {
  std::vector<Local> locals;  // declared in a body where its name occurs
  std::vector<Body> bodies;
  std::vector<CostFormula> costs;
  std::vector<Check> checks;
};

// Reads the notation. `language` is "c", "c++" or "fortran"; what is marked c++ is left out for the others, and
// so are checks unless they are wanted. An error names the line.
Result<ExperimentSet> parse_experiments(const std::string& text, const std::string& name, const std::string& language,
                                        bool with_checks = false);

}  // namespace perfcast::characterize

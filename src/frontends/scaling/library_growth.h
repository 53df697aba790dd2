// How the work in libraries grows: their code was traced at the recorded size, so it is traced at a few smaller sizes
// too, and what each library function executes becomes a constant and a multiple of something that is known exactly: the
// calls of a routine by the program (sin, qsort), or a power of a parameter (memset, whose work is its bytes).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "expr/expr.h"
#include "record/profile.h"

namespace perfcast::scaling {

// Instructions executed in each library function at one size, by name and library.
using LibraryWork = std::map<std::string, double>;
LibraryWork library_work(const Graph& machine);

struct LibrarySample {
  std::map<std::string, double> set;
  LibraryWork work;
};

// Gives the counts of all library functions of `machine` an expression: the recorded count times the law of its function
// over the law's recorded value. Without samples, all grow with `calls`, the calls of each routine. Returns the largest
// relative miss of the laws at the samples, weighed by work.
double grow_library(Graph& machine, const std::map<std::string, double>& recorded, const std::vector<LibrarySample>& samples,
                    const std::map<std::string, expr::Expr>& calls);

}  // namespace perfcast::scaling

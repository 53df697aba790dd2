// The lines of a program as terms: instructions as an expression, what the core takes for them, and what memory adds at
// each size of a grid.
#pragma once

#include <string>
#include <vector>

#include "engine/program_time.h"
#include "expr/expr.h"
#include "methods/scale/data_size.h"
#include "record/machine.h"
#include "record/profile.h"

namespace perfcast::scale {

struct LineTerm {
  std::string name, function;
  std::string key;                    // function and line
  std::string certainty;
  expr::Expr instructions;            // in the parameters and hidden variables
  expr::Expr core_seconds;            // the same
  std::vector<double> near_seconds, far_seconds;  // added by caches and by memory beyond them, at each size of the grid
  double seconds = 0;                 // at the recorded size
};

struct SystemTerm {
  std::string name;
  expr::Expr seconds;
};

// A size at which the engine says what memory adds.
struct GridSize {
  Setting set;
  double factor = 1;                  // times the recorded size
  bool asked = false;                 // the time will be asked for there
};

struct BlockTerms {
  std::vector<GridSize> grid;
  std::vector<LineTerm> lines;
  std::vector<SystemTerm> system;     // page faults, routines costed by name, start
  double page_bytes = 4096;
  double last_cache_bytes = 0;        // 0: not known
};

// Cycles of one execution as an expression in the parameters: `near` at the recorded size and below, from there on nearing
// `far` as the size grows. Sizes smaller than the recorded one were not walked: the line is not continued down to them.
expr::Expr cycles_each(double near, double far, const std::map<std::string, double>& recorded);

// `asked`: the settings that will be asked for.
Result<BlockTerms> block_terms(const Profile& profile, const Machine& machine, const DataSize& size, const std::vector<Setting>& asked,
                               const engine::SimulationOptions& simulation = {});

}  // namespace perfcast::scale

// How often each source position was executed in one run: what joins the source level (statements, read from the
// syntax tree) to a counted run (blocks of IR, whose instructions carry debug positions). Filled by
// frontends/llvm_ir, used by frontends/clang_ast and frontends/flang; plain C++17, so that both can include it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace perfcast {

// One block of IR that holds a position. Fortran has few columns (a DO statement is one position for start, test and
// step), so there the blocks of a position are told apart.
struct PositionBlock {
  double count = 0;
  std::vector<int> loops;          // around it, outermost first
  bool passes = false;             // only its jump to the next block has the position: it comes before or after
  bool header = false;             // of a loop that a branch at this position decides
  double entries = 0, taken = 0;   // of a header: from outside the loop; to the branch's first target, the body
};

struct FunctionPositions {
  double entries = 0;
  // (file as source_path() spells it, line, column) -> executions of the block that holds it; where several blocks hold
  // one position, the most executed of them.
  std::map<std::tuple<std::string, int, int>, double> at;
  // Fortran, in the order of the IR: the blocks of a position; the routines of the run-time library called there that
  // work on whole arrays, each with the elements it touched in all its executions.
  std::map<std::tuple<std::string, int, int>, std::vector<PositionBlock>> blocks;
  std::map<std::tuple<std::string, int, int>, std::vector<std::pair<std::string, double>>> arrays;
};

struct PositionCounts {
  std::map<std::string, FunctionPositions> functions;  // by linkage name
};

}  // namespace perfcast

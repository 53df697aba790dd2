// How often each source position was executed in one run: what joins the source level (statements, read from the
// syntax tree) to a counted run (blocks of IR, whose instructions carry debug positions). Filled by
// frontends/llvm_ir, used by frontends/clang_ast and frontends/flang; plain C++17, so that both can include it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace perfcast {

struct FunctionPositions {
  double entries = 0;
  // (file as source_path() spells it, line, column) -> executions of the block that holds it; where several blocks hold
  // one position, the most executed of them.
  std::map<std::tuple<std::string, int, int>, double> at;
};

struct PositionCounts {
  std::map<std::string, FunctionPositions> functions;  // by linkage name
};

}  // namespace perfcast

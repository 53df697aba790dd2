// Calls whose callee may lie in a file that is read later: counted as calls of a procedure until all files are known. What none of
// them defines is a library routine.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "record/profile.h"

namespace perfcast {

struct OpenCall {
  std::size_t block = 0;
  std::string callee, routine;                 // `routine`: the operation that a library routine of this name is
  std::map<std::string, double> as_procedure;  // what was counted for it
  double times = 1;
};

// `open`: by function of the graph.
inline void close_calls(Graph& graph, const std::vector<std::vector<OpenCall>>& open) {
  std::set<std::string> defined;
  for (const auto& function : graph.functions) defined.insert(function.name);
  for (std::size_t i = 0; i < open.size(); i++)
    for (const auto& call : open[i]) {
      if (defined.contains(call.callee)) continue;
      auto& usage = graph.functions[i].blocks[call.block].usage;
      for (const auto& [operation, times] : call.as_procedure)
        if ((usage[operation] -= times) <= 1e-9) usage.erase(operation);
      usage[call.routine] += call.times;
    }
}

}  // namespace perfcast

#include "record/threaded_code.h"

#include <algorithm>
#include <map>
#include <vector>

namespace perfcast {
namespace {

constexpr const char* region_marks[] = {".omp_outlined", ".omp_outlined_debug__", "._omp_fn", ".omp_par"};
constexpr const char* task_mark = ".omp_task_entry";

// Numbers that tell regions of one function apart stand at the end, also behind those of the region around it.
bool is_region(const std::string& name) {
  const std::string trimmed = name.substr(0, name.find_last_not_of(".0123456789") + 1);
  return std::ranges::any_of(region_marks, [&](const char* mark) { return trimmed.ends_with(mark); });
}

// Regions, tasks, and what is made beside them (the combining of a reduction, copies of private data).
bool made_for_threads(const std::string& name) {
  return name.find(task_mark) != name.npos || std::ranges::any_of(region_marks, [&](const char* mark) { return name.find(mark) != name.npos; });
}

}  // namespace

ThreadedCode threaded_code(const Graph& code) {
  ThreadedCode result;
  std::map<std::string, std::vector<std::string>> callees;
  std::set<std::string> called;
  for (const Function& function : code.functions) {
    if (is_region(function.name)) result.regions.insert(function.name);
    for (const Block& block : function.blocks)
      for (const Call& call : block.calls) {
        callees[function.name].push_back(call.callee);
        if (call.callee != function.name) called.insert(call.callee);
      }
  }
  // What can be come to from outside: from functions that nothing calls, without passing through a region.
  std::set<std::string> outside;
  std::vector<std::string> left;
  for (const Function& function : code.functions)
    if (!called.contains(function.name) && !made_for_threads(function.name)) left.push_back(function.name);
  while (!left.empty()) {
    const std::string name = left.back();
    left.pop_back();
    if (made_for_threads(name) || !outside.insert(name).second) continue;
    for (const std::string& callee : callees[name]) left.push_back(callee);
  }
  // And nothing is said of code that regions do not come to either.
  std::set<std::string> inside;
  for (const Function& function : code.functions)
    if (made_for_threads(function.name)) left.push_back(function.name);
  while (!left.empty()) {
    const std::string name = left.back();
    left.pop_back();
    if (outside.contains(name) || !inside.insert(name).second) continue;
    for (const std::string& callee : callees[name]) left.push_back(callee);
  }
  if (!result.regions.empty()) result.functions = std::move(inside);
  return result;
}

}  // namespace perfcast

#include "record/threaded_code.h"

#include <algorithm>

#include "record/called_from.h"

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
  for (const Function& function : code.functions)
    if (is_region(function.name)) result.regions.insert(function.name);
  if (result.regions.empty()) return result;
  result.inside = called_from(code, [](const Function& function) { return made_for_threads(function.name); });
  return result;
}

}  // namespace perfcast

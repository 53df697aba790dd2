#include "report/profile_digest.h"

#include <algorithm>
#include <tuple>

#include "base/brief_name.h"
#include "record/operations.h"

namespace perfcast::report {
namespace {

constexpr std::size_t most_loops = 60, most_gaps = 60;

bool is_quantity(const std::string& name) { return name == "flops" || name.starts_with("bytes_"); }

std::vector<CountedOperation> operations_executed(const Graph& source) {
  std::vector<CountedOperation> list;
  for (const auto& [name, times] : dynamic_usage(source)) {
    const auto* kind = find_operation(name);
    if (times > 0) list.push_back({name, kind ? kind->meaning : "", times});
  }
  std::ranges::sort(list, [](const auto& a, const auto& b) { return std::tuple(-a.count, a.name) < std::tuple(-b.count, b.name); });
  return list;
}

}  // namespace

double operations_of(const Block& block) {
  double sum = 0;
  for (const auto& [name, times] : block.usage)
    if (!is_quantity(name) && name != "phi") sum += times;
  return sum;
}

LevelDigest digest_level(const char* name, const Graph& graph) {
  LevelDigest digest;
  digest.level = name;
  digest.functions = static_cast<double>(graph.functions.size());
  for (const auto& function : graph.functions) {
    digest.executed_functions += function.calls.value > 0;
    for (const auto& block : function.blocks) {
      digest.blocks++, digest.executed += block.count.value > 0;
      digest.work += block.count.value * (block.code.empty() ? operations_of(block) : static_cast<double>(block.code.size()));
    }
  }
  return digest;
}

std::vector<LoopDigest> loops_by_work(const Graph& ir) {
  struct Row {
    const Function* function;
    const Loop* loop;
    double work;
  };
  std::vector<Row> found;
  double total = 0;
  for (const auto& function : ir.functions) {
    std::vector<double> work(function.loops.size());
    for (const auto& block : function.blocks) {
      const double here = block.count.value * operations_of(block);
      total += here;
      if (block.loop) work[static_cast<std::size_t>(*block.loop)] += here;
    }
    for (std::size_t i = 0; i < work.size(); i++)
      if (work[i] > 0) found.push_back({&function, &function.loops[i], work[i]});
  }
  std::ranges::sort(found, [](const Row& a, const Row& b) {
    return std::tuple(-a.work, a.function->name, a.loop->header) < std::tuple(-b.work, b.function->name, b.loop->header);
  });
  std::vector<LoopDigest> loops;
  for (const auto& [function, loop, work] : found)
    loops.push_back({function->readable.empty() ? function->name : function->readable, loop->at.file, loop->at.line,
                     loop->entries.value, loop->iterations.value, work / total});
  return loops;
}

ProfileDigest digest_profile(const Profile& profile) {
  ProfileDigest digest;
  digest.program = profile.program, digest.made_by = profile.made_by, digest.run = profile.run;
  for (const auto& [name, times] : profile.library_calls) digest.library_calls[demangled(name)] += times;
  if (profile.source) digest.levels.push_back(digest_level("source", *profile.source)), digest.operations = operations_executed(*profile.source);
  if (profile.ir) digest.levels.push_back(digest_level("IR", *profile.ir)), digest.loops = loops_by_work(*profile.ir);
  if (profile.machine) digest.levels.push_back(digest_level("machine", *profile.machine));
  if (digest.loops.size() > most_loops) digest.loops.resize(most_loops);
  digest.gaps = profile.gaps;
  std::ranges::sort(digest.gaps, [](const Gap& a, const Gap& b) { return std::tuple(-a.weight, a.at, a.what) < std::tuple(-b.weight, b.at, b.what); });
  if (digest.gaps.size() > most_gaps) digest.gaps.resize(most_gaps);
  return digest;
}

}  // namespace perfcast::report

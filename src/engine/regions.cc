#include "engine/regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/brief_name.h"
#include "base/text.h"

namespace perfcast::engine {
namespace {

// A routine nobody measured: about what a call into a shared library and a little work take.
constexpr double guessed_routine_ns = 25;

double operations_of(const Block& block, bool floating_only) {
  double sum = 0;
  for (const auto& [name, times] : block.usage) {
    if (name == "flops" || name.starts_with("bytes") || name.starts_with("phi")) continue;
    bool floating = name.starts_with("f") || name.find(".f") != std::string::npos;
    if (!floating_only || floating) sum += times;
  }
  return sum;
}

// What the run asked of the operating system, nanoseconds; what the machine has no cost for is a gap.
double system_time(const SystemUse& use, const Machine& machine, std::vector<Gap>& gaps) {
  const SystemCosts costs = machine.system.value_or(SystemCosts());
  double ns = 0;
  auto add = [&](double times, const std::optional<Measurement>& each, const std::string& what, double matters) {
    if (each) ns += times * each->value;
    else if (times > matters) gaps.push_back({machine.name + " has no cost of " + what + ": left out", {}, times});
  };
  constexpr double few_calls = 100, few_bytes = 1e6;  // some 10 us
  add(use.calls, costs.system_call_ns, fmt::format("{:.0f} system calls", use.calls), few_calls);
  add(use.clock_reads, costs.clock_overhead_ns, fmt::format("reading the clock {:.0f} times", use.clock_reads), few_calls);
  add(use.bytes_read, costs.read_byte_ns, fmt::format("reading {} of files", size_text(use.bytes_read)), few_bytes);
  add(use.bytes_written, costs.write_byte_ns, fmt::format("writing {} to files", size_text(use.bytes_written)), few_bytes);
  return ns;
}

// The cost of a routine by its name: measured as a routine, or as a source operation of any language.
const Measurement* routine_cost(const Machine& machine, const std::string& name) {
  if (machine.system)
    if (auto it = machine.system->routines.find(name); it != machine.system->routines.end()) return &it->second;
  static const std::map<std::string, std::string> intrinsics = {
      {"exp", "EXPD"},  {"log", "LOGD"},  {"sin", "SIND"},  {"tan", "TAND"},  {"sqrt", "SQRD"},
      {"expf", "EXPS"}, {"logf", "LOGS"}, {"sinf", "SINS"}, {"tanf", "TANS"}, {"sqrtf", "SQRS"}};
  auto alias = intrinsics.find(name);
  for (const OperationCosts& costs : machine.source)
    for (const std::string& key : {name, alias == intrinsics.end() ? name : alias->second})
      if (auto it = costs.costs.find(key); it != costs.costs.end() && !it->second.not_detected) return &it->second;
  return nullptr;
}

}  // namespace

namespace {

// `operations`: of one execution of a block, all or floating ones only.
std::vector<CodeRegion> regions_of(const Graph& graph, auto wanted, auto operations) {
  std::vector<CodeRegion> regions;
  for (const Function& function : graph.functions) {
    if (!wanted(function)) continue;
    std::map<int, CodeRegion> by_loop;  // -1: the rest
    std::map<int, double> floating;
    for (const Block& block : function.blocks) {
      if (block.count.value <= 0) continue;
      int key = block.loop.value_or(-1);
      CodeRegion& region = by_loop[key];
      region.function = &function, region.loop = block.loop;
      region.blocks.push_back(&block);
      region.accesses.insert(region.accesses.end(), block.accesses.begin(), block.accesses.end());
      region.mispredicted += block.mispredicted.value_or(Mispredictions()) + block.mispredicted_calls.value_or(Mispredictions());
      region.instructions += block.count.value * operations(block, false);
      floating[key] += block.count.value * operations(block, true);
    }
    for (auto& [key, region] : by_loop) {
      region.floating = floating[key] > 0.5 * region.instructions;
      regions.push_back(std::move(region));
    }
  }
  return regions;
}

}  // namespace

std::vector<CodeRegion> code_regions(const Graph& ir) {
  return regions_of(ir, [](const Function&) { return true; }, operations_of);
}

std::vector<CodeRegion> machine_regions(const Graph& machine, const std::vector<InstructionForm>& forms) {
  auto watched = [](const Function& function) {
    return std::ranges::any_of(function.blocks, [](const Block& block) { return !block.accesses.empty(); });
  };
  return regions_of(machine, watched, [&](const Block& block, bool floating_only) {
    auto counts = [&](const Instruction& i) { return !floating_only || forms[static_cast<std::size_t>(i.form)].floating; };
    return static_cast<double>(std::ranges::count_if(block.code, counts));
  });
}

double footprint_bytes(const Profile& profile, const Machine& machine) {
  return profile.run.page_faults * (machine.memory ? machine.memory->page_bytes : 4096);
}

std::vector<const Graph*> watched_graphs(const Profile& profile) {
  std::vector<const Graph*> graphs;
  if (profile.ir) graphs.push_back(&*profile.ir);
  if (profile.machine) graphs.push_back(&*profile.machine);
  return graphs;
}

double first_touches(const Block& block) {
  double lines = 0;
  for (const Access& access : block.accesses) lines += access.cold * access.count;
  return lines;
}

double first_touches(const Profile& profile) {
  double lines = 0;
  for (const Graph* graph : watched_graphs(profile))
    for (const Function& function : graph->functions)
      for (const Block& block : function.blocks) lines += first_touches(block);
  return lines;
}

std::map<std::string, double> calls_beyond(const Graph& machine) {
  std::set<std::string> known;
  for (const Function& function : machine.functions)
    if (!function.blocks.empty()) known.insert(function.name);
  std::map<std::string, double> calls;
  for (const Function& function : machine.functions) {
    if (function.library) continue;
    for (const Block& block : function.blocks)
      for (const Call& call : block.calls)
        if (call.callee != "*" && !known.contains(call.callee) && !known.contains(call.callee + "@plt") && block.count.value > 0)
          calls[call.callee] += block.count.value * call.per_execution;
  }
  return calls;
}

// Messages and threads are costed by what was recorded of them (methods/parallel).
bool is_parallel_routine(const std::string& name) {
  for (const char* start : {"MPI_", "mpi_", "__kmpc_", "omp_"})
    if (name.starts_with(start)) return true;
  return false;
}

OutsideTime outside_time(const Profile& profile, const Machine& machine, const std::map<std::string, double>& library_calls) {
  OutsideTime time;
  for (const auto& [name, calls] : library_calls) {
    if (is_parallel_routine(name)) continue;
    const Measurement* cost = routine_cost(machine, name);
    double each = cost ? cost->value : guessed_routine_ns;
    time.routines_ns[name] = calls * each;
    time.library_ns += calls * each;
    if (!cost && calls > 0) {
      time.guessed_ns += calls * each;
      time.gaps.push_back({"no cost of routine " + brief_name(demangled(name), 60) + "; guessed at 25 ns a call", {}, calls});
    }
  }
  if (profile.run.system) time.system_ns = system_time(*profile.run.system, machine, time.gaps);
  if (machine.system) {
    if (machine.system->page_fault_ns) time.faults_ns = profile.run.page_faults * machine.system->page_fault_ns->value;
    if (machine.system->process_start_ns) time.start_ns = machine.system->process_start_ns->value;
  }
  return time;
}

}  // namespace perfcast::engine

#include "methods/scale/block_terms.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "engine/compiled_cost.h"
#include "engine/scaling/profile_at.h"
#include "expr/algebra.h"
#include "expr/parse.h"
#include "methods/scale/model.h"

namespace perfcast::scale {
namespace {

using engine::CompiledCost, engine::CoreTime, engine::BlockTime;
using BlockKey = std::pair<int, int>;  // function and block of the machine level

Setting times(const Setting& recorded, double factor) {
  Setting set;
  for (const auto& [name, value] : recorded) set[name] = std::max(1.0, std::round(value * factor));
  return set;
}

// How many times the recorded one all parameters are, as cycles_each has it.
double mean_factor(const Setting& recorded, const Setting& set) {
  double product = 1;
  for (const auto& [name, value] : recorded) product *= set.at(name) / value;
  return std::pow(product, 1 / std::max(1.0, static_cast<double>(recorded.size())));
}

std::string line_of(const Function& function, const Block& block) {
  if (function.library) return "library " + (function.library_name.empty() ? function.name : function.library_name);
  if (!block.at.known()) return function.name;
  const std::string where = block.at.text();
  return where.substr(where.find_last_of('/') + 1);
}

// A line whose code lies in several functions (one of them run by threads) is a term in each; a library is one term.
std::string key_of(const Function& function, const Block& block) {
  return (function.library ? "" : function.name) + "\n" + line_of(function, block);
}

// Cycles per execution from the walks at the recorded and at a large size: c + d / factor.
struct BlockCost {
  double far = 0, near = 0;  // cycles per execution
};

std::map<BlockKey, BlockCost> block_costs(const CoreTime& near, const CoreTime& far) {
  std::map<BlockKey, BlockCost> costs;
  for (const BlockTime& b : near.blocks)
    if (b.executions > 0) costs[{b.function, b.block}] = {b.cycles / b.executions, b.cycles / b.executions};
  for (const BlockTime& b : far.blocks)
    if (b.executions > 0) {
      auto [it, fresh] = costs.try_emplace({b.function, b.block}, BlockCost{b.cycles / b.executions, b.cycles / b.executions});
      if (!fresh) it->second.far = b.cycles / b.executions;
    }
  return costs;
}

// The core's time at another size, without walking again.
CoreTime core_at(const CoreTime& walked, const std::map<BlockKey, BlockCost>& costs, const Profile& sized, double factor) {
  CoreTime core = walked;
  core.cycles = 0, core.by_cause = {}, core.instructions = 0;
  std::vector<BlockTime> kept;
  for (BlockTime b : core.blocks) {
    const Block& block = sized.machine->functions[static_cast<std::size_t>(b.function)].blocks[static_cast<std::size_t>(b.block)];
    double executions = block.count.value;
    auto it = costs.find({b.function, b.block});
    if (executions <= 0 || it == costs.end() || b.cycles <= 0) continue;
    double each = std::max(0.0, it->second.far + (it->second.near - it->second.far) / std::max(1.0, factor));
    double scale = each * executions / b.cycles;
    for (double& cause : b.by_cause) cause *= scale;
    b.cycles = each * executions, b.executions = executions;
    core.cycles += b.cycles, core.instructions += executions * static_cast<double>(block.code.size());
    kept.push_back(b);
  }
  core.blocks = std::move(kept);
  return core;
}

expr::Expr expression_of(const Count& count) {
  if (count.expression.empty()) return expr::Expr(count.value);
  return expr::parse(count.expression).value_or(expr::Expr(count.value));
}

// What memory adds at one size of the grid, for each line.
struct GridPoint {
  GridSize size;
  std::vector<double> near, far;
  double memory_share = 0;  // of the program's time
};

// The settings asked for, all parameters given, at most so many times as large as the recorded one.
std::vector<GridSize> asked_sizes(const DataSize& size, const std::vector<Setting>& asked) {
  constexpr double most = 4096;
  std::vector<GridSize> sizes;
  for (const Setting& given : asked) {
    Setting set = size.recorded;
    bool own = false, positive = true;
    for (const auto& [name, value] : given)
      if (auto it = set.find(name); it != set.end()) it->second = value, own = true, positive = positive && value > 0;
    if (!own || !positive) continue;
    const double factor = size.factor(set);
    sizes.push_back(factor > most ? GridSize{times(size.recorded, most), most, true} : GridSize{set, factor, true});
  }
  return sizes;
}

// Doublings from a quarter of the recorded size to beyond what is asked for, and what is asked for itself.
std::vector<GridSize> grid(const DataSize& size, const std::vector<GridSize>& asked) {
  double largest = 8;
  for (const GridSize& a : asked) largest = std::max(largest, a.factor);
  std::vector<GridSize> sizes = asked;
  for (double f = 0.25; f < 2 * largest; f *= 2)
    if (std::ranges::none_of(asked, [&](const GridSize& a) { return a.factor > f / 1.2 && a.factor < f * 1.2; })) sizes.push_back({times(size.recorded, f), f, false});
  std::ranges::sort(sizes, {}, [](const GridSize& s) { return std::pair(s.factor, s.set); });
  const auto same = std::ranges::unique(sizes, {}, &GridSize::set);
  sizes.erase(same.begin(), same.end());
  return sizes;
}

// Between two sizes where memory takes another part of the time there is a step: one size more tells where.
Result<std::vector<GridPoint>> refined(const std::vector<GridSize>& sizes, const Setting& recorded, const std::function<Result<GridPoint>(const GridSize&)>& at) {
  constexpr double changed = 0.08, apart = 1.5;
  std::vector<GridPoint> points;
  for (const GridSize& size : sizes) {
    TRY(GridPoint point, at(size));
    if (!points.empty() && size.factor > apart * points.back().size.factor && std::abs(point.memory_share - points.back().memory_share) > changed) {
      const double middle = std::sqrt(size.factor * points.back().size.factor);
      TRY(GridPoint between, at({times(recorded, middle), middle, false}));
      points.push_back(std::move(between));
    }
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace

expr::Expr cycles_each(double near, double far, const std::map<std::string, double>& recorded) {
  const double change = near - far;
  // Below two percent the difference of two walks is mostly chance.
  if (std::abs(change) < 0.02 * far || recorded.empty()) return far;
  std::vector<expr::Expr> ratios;
  ratios.reserve(recorded.size());
  for (const auto& [name, value] : recorded) ratios.push_back(expr::Expr(value) / expr::symbol(name));
  const double n = static_cast<double>(ratios.size());
  const expr::Expr inverse = ratios.size() == 1 ? ratios[0] : expr::power(expr::product(ratios), expr::Expr(1 / n));
  return expr::Expr(far) + expr::Expr(change) * expr::call(expr::Function::min, {expr::Expr(1), inverse});
}

Result<BlockTerms> block_terms(const Profile& profile, const Machine& machine, const DataSize& size, const std::vector<Setting>& asked,
                               const engine::SimulationOptions& simulation) {
  BlockTerms terms;
  const std::vector<GridSize> wanted = asked_sizes(size, asked);
  double largest = wanted.empty() ? 8 : 0;
  for (const GridSize& w : wanted) largest = std::max(largest, w.factor);
  if (machine.memory) {
    terms.page_bytes = machine.memory->page_bytes;
    for (const MemoryLevel& level : machine.memory->levels)
      if (level.capacity_bytes) terms.last_cache_bytes = level.capacity_bytes->value;
  }
  TRY(CompiledCost near, engine::compiled_cost(profile, machine, simulation));
  TRY(engine::SizedProfile large, engine::profile_at(profile, times(profile.run.parameters, std::clamp(largest, 4.0, 16.0))));
  TRY(CompiledCost far, engine::compiled_cost(large.profile, machine, simulation));
  auto costs = block_costs(near.core, far.core);
  // The walk at the larger size has every block that matters there.
  const CoreTime& walked = far.core;

  std::map<std::string, std::size_t> index;
  std::map<std::string, std::vector<expr::Expr>> instructions, seconds;
  std::map<std::string, double> weight_of_certainty;
  const double second_per_cycle = 1e-9 * near.ns_per_cycle;
  std::map<std::string, std::map<std::string, double>> sure;
  for (std::size_t f = 0; f < profile.machine->functions.size(); f++) {
    const Function& function = profile.machine->functions[f];
    for (std::size_t b = 0; b < function.blocks.size(); b++) {
      const Block& block = function.blocks[b];
      auto it = costs.find({static_cast<int>(f), static_cast<int>(b)});
      if (it == costs.end()) continue;
      const std::string name = key_of(function, block);
      if (index.try_emplace(name, terms.lines.size()).second) {
        terms.lines.push_back({});
        terms.lines.back().key = name, terms.lines.back().name = line_of(function, block), terms.lines.back().function = function.readable.empty() ? function.name : function.readable;
      }
      expr::Expr count = expression_of(block.count);
      const BlockCost& cost = it->second;
      const expr::Expr each = cycles_each(cost.near, cost.far, profile.run.parameters);
      instructions[name].push_back(count * expr::Expr(static_cast<double>(block.code.size())));
      seconds[name].push_back(count * each * expr::Expr(second_per_cycle));
      sure[name][word_of(block.count.certainty)] += block.count.value * static_cast<double>(block.code.size());
      terms.lines[index[name]].seconds += block.count.value * cost.near * second_per_cycle;
    }
  }
  for (LineTerm& line : terms.lines) {
    line.instructions = expr::simplify(expr::sum(instructions[line.key]));
    line.core_seconds = expr::simplify(expr::sum(seconds[line.key]));
    double most = -1;
    for (const auto& [word, weight] : sure[line.key])
      if (weight > most) most = weight, line.certainty = word;
  }
  auto memory_at = [&](const GridSize& at) -> Result<GridPoint> {
    TRY(engine::SizedProfile sized, engine::profile_at(profile, at.set));
    CompiledCost cost = engine::compiled_cost(sized.profile, machine, core_at(walked, costs, sized.profile, mean_factor(profile.run.parameters, at.set)));
    GridPoint point{at, std::vector<double>(terms.lines.size(), 0.0), std::vector<double>(terms.lines.size(), 0.0), 0};
    double memory = 0;
    for (const auto& block : cost.blocks) {
      double levels = 0;
      for (double level : block.memory.level_ns) levels += level;
      const double last = block.memory.level_ns.empty() ? 0 : block.memory.level_ns.back();
      const double ns = block.memory.dependent_ns + levels;
      if (ns <= 0) continue;
      memory += ns;
      auto it = index.find(key_of(*block.function, *block.block));
      if (it == index.end()) continue;
      // Waiting for single loads is told apart as the lines are.
      const double far = levels > 0 ? last / levels : 0;
      point.far[it->second] += 1e-9 * ns * far, point.near[it->second] += 1e-9 * ns * (1 - far);
    }
    point.memory_share = memory / std::max(1e-12, memory + cost.core.cycles * cost.ns_per_cycle);
    return point;
  };
  TRY(std::vector<GridPoint> points, refined(grid(size, wanted), profile.run.parameters, memory_at));
  for (const GridPoint& point : points) {
    terms.grid.push_back(point.size);
    for (std::size_t l = 0; l < terms.lines.size(); l++) terms.lines[l].near_seconds.push_back(point.near[l]), terms.lines[l].far_seconds.push_back(point.far[l]);
  }
  // What lies outside the program's own code.
  bool library_traced = std::ranges::any_of(profile.machine->functions, &Function::library);
  const Scaling& scaling = *profile.scaling;
  if (!library_traced) {
    std::vector<expr::Expr> routines;
    for (const auto& [name, ns] : near.outside.routines_ns)
      if (auto calls = profile.library_calls.find(name); calls != profile.library_calls.end() && calls->second > 0)
        if (auto it = scaling.library_calls.find(name); it != scaling.library_calls.end())
          routines.push_back(expr::parse(it->second).value_or(expr::Expr(calls->second)) * expr::Expr(1e-9 * ns / calls->second));
    terms.system.push_back({routines_term, expr::simplify(expr::sum(routines))});
  }
  if (!scaling.page_faults.empty() && profile.run.page_faults > 0) {
    TRY(expr::Expr law, expr::parse(scaling.page_faults));
    double recorded = expr::evaluate(law, profile.run.parameters).value_or(0);
    if (recorded > 0) terms.system.push_back({faults_term, expr::simplify(law * expr::Expr(1e-9 * near.outside.faults_ns / recorded))});
  }
  // How system calls grow with the parameters is not known.
  if (near.outside.system_ns > 0) terms.system.push_back({calls_term, expr::Expr(1e-9 * near.outside.system_ns)});
  terms.system.push_back({start_term, expr::Expr(1e-9 * near.outside.start_ns)});
  return terms;
}

}  // namespace perfcast::scale

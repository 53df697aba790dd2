#include "frontends/scaling/library_growth.h"

#include <algorithm>
#include <cmath>

#include "expr/print.h"
#include "expr/reconstruct.h"

namespace perfcast::scaling {
namespace {

std::string key_of(const Function& function) { return function.name + " in " + function.library_name; }

// Functions of system headers that were compiled with the program have no file of their own: those are counted.
bool is_traced(const Function& function) { return function.library && !function.library_name.empty(); }

double work_of(const Function& function) {
  double work = 0;
  for (const Block& block : function.blocks) work += block.count.value * static_cast<double>(block.code.size());
  return work;
}

void set(Count& count, const expr::Expr& growth) {
  count.expression = expr::text(expr::Expr(count.value) * growth, {9}), count.certainty = Certainty::ratio;
}

void set(Function& function, const expr::Expr& growth) {
  set(function.calls, growth);
  for (Block& block : function.blocks) {
    set(block.count, growth);
    for (Edge& edge : block.next) set(edge.count, growth);
  }
  for (Loop& loop : function.loops) set(loop.entries, growth), set(loop.iterations, growth);
}

// What library work may be a multiple of.
std::vector<expr::Scale> scales_of(const std::map<std::string, double>& recorded, const std::map<std::string, expr::Expr>& calls) {
  std::vector<expr::Scale> scales;
  for (const auto& [routine, count] : calls)
    if (!expr::symbols_of(count).empty()) scales.push_back({count, {}});
  std::vector<expr::Expr> all{1};
  for (const auto& [name, value] : recorded) {
    const expr::Expr n = expr::symbol(name);
    for (int k = 1; k <= 3; k++) scales.push_back({expr::power(n, k), {}});
    scales.push_back({n * expr::call(expr::Function::log2, {n}), {}});
    all.push_back(n);
  }
  if (recorded.size() > 1) scales.push_back({expr::product(all), {}});
  return scales;
}

}  // namespace

LibraryWork library_work(const Graph& machine) {
  LibraryWork work;
  for (const Function& function : machine.functions)
    if (is_traced(function)) work[key_of(function)] += work_of(function);
  return work;
}

double grow_library(Graph& machine, const std::map<std::string, double>& recorded, const std::vector<LibrarySample>& samples,
                    const std::map<std::string, expr::Expr>& calls) {
  const LibraryWork here = library_work(machine);
  std::vector<std::string> names;
  for (const auto& [name, value] : recorded) names.push_back(name);
  std::vector<std::vector<double>> points;
  auto add_point = [&](const std::map<std::string, double>& at) {
    points.emplace_back();
    for (const auto& name : names) points.back().push_back(at.at(name));
  };
  for (const LibrarySample& sample : samples) add_point(sample.set);
  add_point(recorded);
  const std::vector<expr::Scale> scales = scales_of(recorded, calls);
  std::vector<expr::Expr> every;
  for (const auto& [routine, count] : calls) every.push_back(count);
  const expr::Expr sum = expr::sum(every);
  const double sum_here = expr::evaluate(sum, recorded).value_or(0);
  double worst = 0, total = 0;
  for (const auto& [key, work] : here) total += work;
  std::map<std::string, expr::Expr> growth;
  for (const auto& [key, work] : here) {
    std::vector<double> values;
    for (const LibrarySample& sample : samples) {
      auto it = sample.work.find(key);
      values.push_back(it == sample.work.end() ? 0 : it->second);
    }
    values.push_back(work);
    expr::Law law{sum, 0};
    if (samples.size() >= 2) {
      law = expr::law_in_scales(names, points, values, scales);
      if (total > 0) worst = std::max(worst, law.spread * work / total);
    }
    const double value = samples.size() >= 2 ? expr::evaluate(law.expression, recorded).value_or(0) : sum_here;
    growth[key] = value > 0 ? law.expression / expr::Expr(value) : expr::Expr(1);
  }
  for (Function& function : machine.functions)
    if (is_traced(function)) set(function, growth.at(key_of(function)));
  return worst;
}

}  // namespace perfcast::scaling

#include "methods/scale/optimum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

#include "expr/algebra.h"
#include "expr/parse.h"
#include "expr/print.h"
#include "expr/program.h"
#include "methods/scale/model.h"

namespace perfcast::scale {
namespace {

// In logarithms: ranges span decades.
struct Space {
  std::vector<std::string> names;
  std::vector<double> low, high;  // logarithms
  std::vector<double> fixed;      // values of the other symbols
  expr::Program program;
  double operator()(const std::vector<double>& logs) const {
    std::vector<double> values;
    values.reserve(logs.size());
    for (double x : logs) values.push_back(std::exp(x));
    values.insert(values.end(), fixed.begin(), fixed.end());
    double v = program(values);
    return std::isfinite(v) ? v : -INFINITY;
  }
};

// Pattern search with shrinking steps: needs no derivative, so steps of caches do not trap it between kinks.
std::vector<double> climb(const Space& f, std::vector<double> at) {
  double best = f(at);
  for (double step = 0.25; step > 1e-9;) {
    bool better = false;
    for (std::size_t k = 0; k < at.size(); k++)
      for (double sign : {1.0, -1.0}) {
        std::vector<double> next = at;
        next[k] = std::clamp(next[k] + sign * step * (f.high[k] - f.low[k]), f.low[k], f.high[k]);
        if (double v = f(next); v > best) best = v, at = next, better = true;
      }
    if (!better) step /= 2;
  }
  return at;
}

int grid_points(std::size_t dimensions) { return dimensions == 1 ? 2001 : dimensions == 2 ? 81 : dimensions == 3 ? 33 : 9; }

void each_point(const Space& f, const std::function<void(const std::vector<double>&, const std::vector<int>&)>& visit) {
  const int n = grid_points(f.names.size());
  std::vector<int> index(f.names.size(), 0);
  for (;;) {
    std::vector<double> at;
    at.reserve(index.size());
    for (std::size_t k = 0; k < index.size(); k++) at.push_back(f.low[k] + (f.high[k] - f.low[k]) * index[k] / (n - 1));
    visit(at, index);
    std::size_t k = 0;
    while (k < index.size() && ++index[k] == n) index[k++] = 0;
    if (k == index.size()) return;
  }
}

}  // namespace

Result<OptimumRecord> maximise(const expr::Expr& objective, const std::map<std::string, std::array<double, 2>>& variables, const std::map<std::string, double>& values) {
  Space f;
  for (const auto& [name, range] : variables) {
    if (!(range[0] > 0) || !(range[1] > range[0])) return unfit("the range of " + name + " must be positive and rising", "cost file");
    f.names.push_back(name), f.low.push_back(std::log(range[0])), f.high.push_back(std::log(range[1]));
  }
  if (f.names.empty()) return unfit("there is no variable to choose", "cost file", "name them with their ranges under \"variables\"");
  if (f.names.size() > 4) return unfit("more than four variables to choose", "cost file");
  std::vector<std::string> order = f.names;
  for (const auto& [name, value] : values)
    if (!variables.contains(name)) order.push_back(name), f.fixed.push_back(value);
  TRY(f.program, expr::Program::compile(objective, order));

  const int n = grid_points(f.names.size());
  std::map<std::vector<int>, double> grid;
  std::vector<double> best_at;
  double best = -INFINITY;
  each_point(f, [&](const std::vector<double>& at, const std::vector<int>& index) {
    double v = f(at);
    grid[index] = v;
    if (v > best) best = v, best_at = at;
  });
  if (best == -INFINITY) return unfit("the objective has no finite value in these ranges", "cost file");
  int maxima = 0;
  for (const auto& [index, v] : grid) {
    bool top = std::isfinite(v);
    for (std::size_t k = 0; k < index.size() && top; k++)
      for (int d : {-1, 1}) {
        std::vector<int> beside = index;
        beside[k] += d;
        if (beside[k] >= 0 && beside[k] < n && grid[beside] > v * (1 + 1e-12)) top = false;
      }
    maxima += top;
  }
  OptimumRecord record;
  record.objective = expr::text(objective, {6});
  record.unimodal = maxima <= 1;
  record.how = record.unimodal ? "hill climbing" : "exhaustive search, then hill climbing from the best point";
  std::vector<double> start = best_at;
  if (record.unimodal)
    for (std::size_t k = 0; k < start.size(); k++) start[k] = (f.low[k] + f.high[k]) / 2;
  std::vector<double> top = climb(f, start);
  if (f(top) < best) top = climb(f, best_at);
  record.value = f(top);
  for (std::size_t k = 0; k < top.size(); k++) {
    record.at[f.names[k]] = std::exp(top[k]);
    record.gradient[f.names[k]] = expr::text(expr::derivative(objective, f.names[k]), {6});
  }
  return record;
}

Result<OptimumRecord> optimum(const expr::Expr& seconds, const CostFile& cost, const Setting& at) {
  std::vector<expr::Expr> prices;
  for (const auto& [name, text] : cost.costs) {
    TRY(expr::Expr price, expr::parse(text, "cost " + name));
    prices.push_back(std::move(price));
  }
  expr::Expr time = seconds, work = 1;
  if (!cost.time.empty()) {
    TRY(time, expr::parse(cost.time, "time of the cost file"));
  }
  if (!cost.work.empty()) {
    TRY(work, expr::parse(cost.work, "work of the cost file"));
  }
  std::map<std::string, double> values = cost.values;
  for (const auto& [name, value] : at) values.try_emplace(name, value);
  // Where time or price came down to zero, performance for the price would have no end.
  for (const auto& [what, expression] : {std::pair{"the costs add up", expr::sum(prices)}, std::pair{"the time comes", time}}) {
    TRY(OptimumRecord least, maximise(expr::Expr(-1) * expression, cost.variables, values));
    if (-least.value > 0) continue;
    std::string where;
    for (const auto& [name, value] : least.at) where += fmt::format("{}{} = {:.6g}", where.empty() ? "" : ", ", name, value);
    return unfit(fmt::format("{} to {:.6g} at {}: both must be positive", what, -least.value, where), "cost file", "narrower ranges under \"variables\"");
  }
  return maximise(work / (time * expr::sum(prices)), cost.variables, values);
}

bool cheaper(const Offer& a, const Offer& b) {
  double x = a.price.value_or(INFINITY), y = b.price.value_or(INFINITY);
  return x != y ? x < y : std::tie(a.seconds, a.machine, a.processors) < std::tie(b.seconds, b.machine, b.processors);
}

std::vector<Offer> offers(const TimeModel& model, const std::string& machine, const CostFile& cost, const Setting& at) {
  std::vector<Offer> all;
  auto price = cost.prices_per_hour.find(machine);
  bool parallel = std::ranges::find(model.parameters, "P") != model.parameters.end();
  std::vector<double> choices = parallel ? cost.processors : std::vector<double>{1};
  if (choices.empty())
    for (int k = 0; k <= 10; k++) choices.push_back(std::exp2(k));
  expr::Expr seconds = model.seconds();
  for (double p : choices) {
    Setting set = at;
    if (parallel) set["P"] = p;
    double s = expr::evaluate(seconds, set).value_or(0);
    if (!(s > 0)) continue;  // the equation does not hold there
    Offer offer{machine, p, s, {}};
    if (price != cost.prices_per_hour.end()) offer.price = price->second * p * s / 3600;
    all.push_back(offer);
  }
  std::ranges::sort(all, cheaper);
  return all;
}

}  // namespace perfcast::scale

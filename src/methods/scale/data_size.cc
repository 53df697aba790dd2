#include "methods/scale/data_size.h"

#include <algorithm>
#include <cmath>

#include "expr/parse.h"
#include "methods/scale/model.h"

namespace perfcast::scale {
namespace {

// The power with which what is touched grows in one parameter, far beyond what was run: a constant is none of it there.
double power_of(const expr::Expr& touched, const std::string& name, const Setting& recorded) {
  Setting far = recorded;
  for (auto& [other, value] : far) value *= 1024;
  const double once = value_at(touched, far);
  far[name] *= 2;
  const double twice = value_at(touched, far);
  constexpr double quarters = 4;  // what a constant leaves of a whole power is none of it
  return once > 0 && twice > once ? std::round(quarters * std::log2(twice / once)) / quarters : 0;
}

}  // namespace

DataSize data_size(const Profile& profile) {
  DataSize size;
  size.recorded = profile.run.parameters;
  double total = 0;
  if (auto touched = expr::parse(profile.scaling->page_faults))
    for (const auto& [name, value] : size.recorded) total += size.weights[name] = power_of(*touched, name, size.recorded);
  for (const auto& [name, value] : size.recorded) {
    double& weight = size.weights[name];
    weight = total > 0 ? weight / total : 1 / static_cast<double>(size.recorded.size());
  }
  return size;
}

double DataSize::factor(const Setting& set) const {
  double factor = 1;
  for (const auto& [name, value] : set)
    if (auto it = recorded.find(name); it != recorded.end() && it->second > 0) factor *= std::pow(value / it->second, weights.at(name));
  return factor;
}

expr::Expr DataSize::expression() const {
  if (weights.empty()) return 1;
  std::vector<expr::Expr> alike, powers;
  const double most = std::ranges::max_element(weights, {}, [](const auto& w) { return w.second; })->second;
  for (const auto& [name, weight] : weights) {
    if (weight == most) alike.push_back(expr::symbol(name));
    else if (weight > 0) powers.push_back(expr::power(expr::symbol(name), expr::Expr(weight)));
  }
  const expr::Expr main = alike.size() == 1 ? alike[0] : expr::product(std::move(alike));
  powers.insert(powers.begin(), most == 1 ? main : expr::power(main, expr::Expr(most)));
  return powers.size() == 1 ? powers[0] : expr::product(std::move(powers));
}

}  // namespace perfcast::scale

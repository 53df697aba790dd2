#include "frontends/scaling/memory_growth.h"

#include <algorithm>
#include <cmath>

#include "expr/parse.h"
#include "expr/print.h"
#include "expr/reconstruct.h"

namespace perfcast::scaling {
namespace {

// The product of powers with which the lines touched grow: N^2 for a plane.
std::optional<expr::Expr> touched_shape(const Profile& profile) {
  auto touched = [](auto&& accesses) {
    double lines = 0;
    for (const Access* access : accesses) lines += access->count * access->cold;
    return lines;
  };
  std::vector<const Access*> here;
  for (const Function& function : profile.ir->functions)
    for (const Block& block : function.blocks)
      for (const Access& access : block.accesses) here.push_back(&access);
  const double now = touched(here);
  if (!(now > 0)) return {};
  std::vector<expr::Expr> factors;
  for (const auto& [name, value] : profile.run.parameters) {
    const SizedMemory* nearest = nullptr;
    for (const SizedMemory& memory : profile.scaling->memory)
      if (memory.set.at(name) != value && (!nearest || memory.set.at(name) > nearest->set.at(name))) nearest = &memory;
    if (!nearest) return {};
    std::vector<const Access*> there;
    for (const SizedAccess& sized : nearest->accesses) there.push_back(&sized.access);
    const double then = touched(there), ratio = value / nearest->set.at(name);
    if (!(then > 0) || !(ratio > 1)) return {};
    const double exponent = std::clamp(std::round(std::log(now / then) / std::log(ratio)), 0.0, 3.0);
    if (exponent > 0) factors.push_back(expr::power(expr::symbol(name), expr::Expr(exponent)));
  }
  if (factors.empty()) return {};
  return expr::product(std::move(factors));
}

// Memory is touched by loads and stores and grows no faster than they do: the power of the size by which these grow when every
// parameter does. At least 1, for what only libraries touch.
int degree_of_accesses(const Profile& profile) {
  constexpr double factor = 8, rounding = 0.2;  // of the logarithm: N log N counts as N
  Setting here = profile.run.parameters, there = here;
  for (auto& [name, value] : there) value *= factor;
  for (const HiddenVariable& hidden : profile.scaling->hidden) {
    const expr::Expr law = expr::parse_trusted(hidden.law);
    const double now = expr::evaluate(law, profile.run.parameters).value_or(1), then = expr::evaluate(law, there).value_or(now);
    here[hidden.name] = now, there[hidden.name] = then;
  }
  double now = 0, then = 0;
  for (const Function& function : profile.ir->functions)
    for (const Block& block : function.blocks) {
      if (block.count.expression.empty() || (!block.usage.contains("bytes_loaded") && !block.usage.contains("bytes_stored"))) continue;
      const expr::Expr count = expr::parse_trusted(block.count.expression);
      now += expr::evaluate(count, here).value_or(0), then += expr::evaluate(count, there).value_or(0);
    }
  if (!(now > 0) || !(then > now)) return 1;
  return std::max(1, static_cast<int>(std::ceil(std::log(then / now) / std::log(factor) - rounding)));
}

}  // namespace

void memory_growth(const std::vector<SizedFaults>& samples, Profile& profile) {
  Scaling& scaling = *profile.scaling;
  std::vector<std::string> names;
  for (const auto& [name, value] : profile.run.parameters) names.push_back(name);
  std::vector<std::vector<double>> at, all;
  for (const SizedFaults& sample : samples) {
    auto& point = all.emplace_back();
    for (const auto& name : names) point.push_back(sample.set.at(name));
  }
  std::vector<double> faults;
  double least = INFINITY, most = 0;
  for (std::size_t k = 0; k < samples.size(); k++) {
    least = std::min(least, samples[k].page_faults + 1), most = std::max(most, samples[k].page_faults + 1);
    // Small sizes live in what the allocator had anyway.
    bool large = std::ranges::all_of(profile.run.parameters, [&](const auto& p) { return samples[k].set.at(p.first) >= 0.45 * p.second; });
    if (large) at.push_back(all[k]), faults.push_back(samples[k].page_faults + 1);
  }
  // Sizes whose memory hardly differs say nothing about its growth.
  if (faults.empty() || most < 1.3 * least) {
    scaling.page_faults = expr::text(expr::Expr(most)), scaling.page_faults_spread = 0;
    scaling.remarks.push_back("the runs touch about the same memory at all sizes: how it grows beyond them is not known");
    return;
  }
  expr::Law law;
  if (auto shape = touched_shape(profile)) {
    // From the recorded run on: small arrays lie in the heap and fault otherwise. What is left when nothing is touched is
    // that of the smallest runs.
    const double base = least, own = profile.run.page_faults + 1 - base, recorded = expr::evaluate(*shape, profile.run.parameters).value_or(1);
    law.expression = expr::Expr(base) + expr::Expr(std::max(0.0, own) / recorded) * *shape;
    double squares = 0;
    for (std::size_t k = 0; k < at.size(); k++) {
      Setting set;
      for (std::size_t n = 0; n < names.size(); n++) set[names[n]] = at[k][n];
      squares += std::pow(std::log(expr::evaluate(law.expression, set).value_or(1) / faults[k]), 2);
    }
    law.spread = std::sqrt(squares / static_cast<double>(at.size()));
  } else {
    for (const SizedFaults& sample : samples) faults.push_back(sample.page_faults + 1);
    at.insert(at.end(), all.begin(), all.end());
    law = expr::growth_law(names, at, faults, degree_of_accesses(profile));
  }
  scaling.page_faults = expr::text(law.expression, {8}), scaling.page_faults_spread = law.spread;
}

}  // namespace perfcast::scaling

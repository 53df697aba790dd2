// How each term's share changes as sizes and processors grow (Clement figures 6.9 to 6.11):
//
//   speedup         N fixed, P grows       S(P) = T(N, 1) / T(N, P)
//   scaleup         N grows, P fixed       T(N) / T(N0)
//   scaled speedup  N and P grow so that work per processor stays    SS(P) = P T(N0, 1) / T(N(P), P) for linear work,
//                   in general T(N(P), 1) / T(N(P), P)
#include <algorithm>
#include <cmath>

#include "expr/algebra.h"
#include "expr/program.h"
#include "methods/scale/model.h"

namespace perfcast::scale {
namespace {

constexpr std::size_t most_terms = 12;

void fill(const TimeModel& model, ScalingView& view) {
  expr::Expr total = model.seconds();
  for (const Setting& set : view.settings) view.seconds.push_back(value_at(total, set));
  std::vector<std::pair<double, const ModelTerm*>> ranked;
  for (const ModelTerm& term : model.terms) {
    double most = 0;
    for (std::size_t k = 0; k < view.settings.size(); k++)
      if (view.seconds[k] > 0) most = std::max(most, value_at(expr::substitute(term.seconds(), model.costs), view.settings[k]) / view.seconds[k]);
    ranked.emplace_back(-most, &term);
  }
  std::ranges::sort(ranked);
  for (std::size_t r = 0; r < std::min(most_terms, ranked.size()); r++) {
    const ModelTerm& term = *ranked[r].second;
    if (-ranked[r].first < 0.005) break;
    auto& shares = view.shares[term.name];
    shares.resize(view.settings.size());
    for (std::size_t k = 0; k < view.settings.size(); k++)
      if (view.seconds[k] > 0) shares[k] += value_at(expr::substitute(term.seconds(), model.costs), view.settings[k]) / view.seconds[k];
  }
}

bool has_processors(const TimeModel& model) { return std::ranges::find(model.parameters, "P") != model.parameters.end(); }

}  // namespace

std::vector<ScalingView> scaling_views(const TimeModel& model, const Setting& at) {
  std::vector<ScalingView> views;
  expr::Expr total = model.seconds();
  const std::string name = model.parameters.front();
  ScalingView scaleup{"scaleup", {}, {}, {}, {}};
  for (int k = 0; k <= 8; k++) {
    Setting set = at;
    set[name] = std::round(model.recorded.at(name) * std::exp2(k));
    scaleup.settings.push_back(set);
  }
  fill(model, scaleup);
  for (double s : scaleup.seconds) scaleup.metric.push_back(scaleup.seconds[0] > 0 ? s / scaleup.seconds[0] : 0);
  views.push_back(std::move(scaleup));
  if (!has_processors(model)) return views;
  ScalingView speedup{"speedup", {}, {}, {}, {}}, scaled{"scaled speedup", {}, {}, {}, {}};
  Setting one = at;
  one["P"] = 1;
  const double work = value_at(total, one);
  for (int k = 0; k <= 10; k++) {
    double p = std::exp2(k);
    Setting set = at;
    set["P"] = p;
    speedup.settings.push_back(set);
    // The size at which one processor would take P times as long: work per processor stays the same.
    double low = at.at(name), high = low;
    Setting alone = one;
    for (int i = 0; i < 60 && (alone[name] = high, value_at(total, alone) < p * work); i++) high *= 2;
    for (int i = 0; i < 50; i++) {
      alone[name] = (low + high) / 2;
      (value_at(total, alone) < p * work ? low : high) = (low + high) / 2;
    }
    set[name] = std::round(high);
    scaled.settings.push_back(set);
  }
  fill(model, speedup), fill(model, scaled);
  for (double s : speedup.seconds) speedup.metric.push_back(s > 0 ? work / s : 0);
  for (std::size_t k = 0; k < scaled.settings.size(); k++) {
    Setting alone = scaled.settings[k];
    alone["P"] = 1;
    scaled.metric.push_back(scaled.seconds[k] > 0 ? value_at(total, alone) / scaled.seconds[k] : 0);
  }
  views.push_back(std::move(speedup)), views.push_back(std::move(scaled));
  return views;
}

namespace {

// A function over the first parameter and, where there is one, P (else over the first parameter alone).
Surface surface_of(const TimeModel& model, const std::string& what, const expr::Expr& e, const Setting& at) {
  Surface surface;
  surface.name = what, surface.x = model.parameters.front(), surface.y = has_processors(model) ? "P" : "";
  for (int k = -2; k <= 8; k++) surface.x_values.push_back(std::round(model.recorded.at(surface.x) * std::exp2(k)));
  if (surface.y.empty()) surface.y_values = {1};
  else for (int k = 0; k <= 10; k++) surface.y_values.push_back(std::exp2(k));
  for (double y : surface.y_values) {
    std::vector<double> row;
    for (double x : surface.x_values) {
      Setting set = at;
      set[surface.x] = x;
      if (!surface.y.empty()) set["P"] = y;
      row.push_back(value_at(e, set));
    }
    surface.values.push_back(std::move(row));
  }
  return surface;
}

}  // namespace

Surface sensitivity_surface(const TimeModel& model, const std::string& parameter, const Setting& at) {
  return surface_of(model, "dT/d" + parameter, expr::substitute(expr::derivative(model.symbolic(), parameter), model.costs), at);
}
Surface time_surface(const TimeModel& model, const std::string& machine, const Setting& at) { return surface_of(model, "seconds on " + machine, model.seconds(), at); }

}  // namespace perfcast::scale

#include "report/equation_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace perfcast::report {
namespace {

std::string shortened(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

std::string terms_text(const Equation& e, std::size_t rows) {
  Table table({"term", "share", "how often", "known"});
  double shown = 0;
  for (std::size_t k = 0; k < std::min(rows, e.terms.size()); k++) {
    const EquationTerm& t = e.terms[k];
    if (t.share < 0.001 && k > 3) break;
    shown += t.share;
    table.add({t.name + (t.parallel ? " /P" : ""), percent_text(t.share), shortened(t.count, 60), t.certainty});
  }
  return fmt::format("{}{}", table.text(), shown < 0.995 ? fmt::format("the rest takes {}\n", percent_text(1 - shown)) : "");
}

std::string points_text(const Equation& e) {
  Table table({"at", "seconds", "from", "to", "computation", "memory", "communication", "measured", "error"});
  auto part = [](const EquationPoint& p, const char* name) {
    auto it = p.parts.find(name);
    return it == p.parts.end() ? std::string("-") : time_text(it->second);
  };
  bool measured = std::ranges::any_of(e.at, [](const auto& p) { return p.measured.has_value(); });
  for (const EquationPoint& p : e.at)
    table.add({set_text(p.set), time_text(p.seconds), time_text(p.interval[0]), time_text(p.interval[1]), part(p, "computation"), part(p, "memory"), part(p, "communication"),
               p.measured ? time_text(*p.measured) : measured ? "-" : "", p.measured ? percent_text(p.seconds / *p.measured - 1, true) : ""});
  std::string all = table.text();
  for (const EquationPoint& p : e.at)
    for (const auto& warning : p.warnings) all += "  " + set_text(p.set) + ": " + warning + "\n";
  return all;
}

std::string sensitivity_text(const Equation& e) {
  Table table({"parameter", "value", "dT/dx", "elasticity", ""});
  for (const Sensitivity& s : e.sensitivity)
    table.add({s.parameter, number_text(s.value) + (s.unit.empty() ? "" : " " + s.unit), number_text(s.derivative), number_text(s.elasticity, 3), bar_text(std::min(1.0, std::abs(s.elasticity)), 12)});
  return "\nSensitivity at " + set_text(e.at.back().set) + " (elasticity: percent of time per percent of the parameter)\n" + table.text();
}

std::string view_text(const ScalingView& v) {
  std::vector<std::string> head{v.name, "seconds", "metric"};
  for (const auto& [name, shares] : v.shares) head.push_back(shortened(name, 18));
  Table table(head);
  for (std::size_t k = 0; k < v.settings.size(); k++) {
    std::vector<std::string> row{set_text(v.settings[k]), time_text(v.seconds[k]), number_text(v.metric[k], 4)};
    for (const auto& [name, shares] : v.shares) row.push_back(percent_text(shares[k]));
    table.add(row);
  }
  return "\n" + table.text();
}

std::string static_text(const Equation& e) {
  Table table({"P", "speedup", "utilisation", "startup for 50 %"});
  for (const StaticAnswer& a : e.static_model)
    table.add({number_text(a.processors), number_text(a.speedup), percent_text(a.utilisation), startup_limit_text(a)});
  return "\nFrom counts alone (Clement, chapter 3)\n" + table.text();
}

std::string offers_text(const Equation& e) {
  Table table({"machine", "P", "time", "price"});
  for (const Offer& o : e.offers) table.add({o.machine, number_text(o.processors), time_text(o.seconds), o.price ? number_text(*o.price, 4) : "-"});
  std::string all = "\n" + table.text();
  auto cheapest = std::ranges::find_if(e.offers, [](const Offer& o) { return o.price.has_value(); });
  auto fastest = std::ranges::min_element(e.offers, {}, &Offer::seconds);
  if (cheapest != e.offers.end()) all += fmt::format("cheapest: {} with P={}, {} for {}\n", cheapest->machine, number_text(cheapest->processors), number_text(*cheapest->price, 4), time_text(cheapest->seconds));
  for (const Offer& o : e.offers)
    if (!o.price && all.find("no price of " + o.machine) == all.npos) all += "no price of " + o.machine + ": \"prices_per_hour\" of the cost file does not name it\n";
  if (fastest != e.offers.end()) all += fmt::format("fastest:  {} with P={}, {}\n", fastest->machine, number_text(fastest->processors), time_text(fastest->seconds));
  return all;
}

std::string compared_text(const Equation& e) {
  std::vector<std::string> head{"at"};
  for (const ComparedMachine& c : e.compared) head.push_back(c.machine);
  Table table(head);
  for (std::size_t k = 0; k < e.at.size(); k++) {
    std::vector<std::string> row{set_text(e.at[k].set)};
    for (const ComparedMachine& c : e.compared) {
      auto point = std::ranges::find(c.at, e.at[k].set, &EquationPoint::set);  // a machine may have no time at a size
      row.push_back(point != c.at.end() ? time_text(point->seconds) : "-");
    }
    table.add(row);
  }
  return "\nmachines side by side\n" + table.text();
}

std::string blocks_text(const Equation& e) {
  auto of = [](const std::map<std::string, double>& map, const char* key) { auto it = map.find(key); return it == map.end() ? 0.0 : it->second; };
  std::string all = fmt::format("counts: {} blocks proved, {} interpolated and checked, {} by ratio, {} unknown; {} of the program's own instructions are exact\n", of(e.blocks, "exact"),
                                of(e.blocks, "interpolated"), of(e.blocks, "ratio"), of(e.blocks, "unknown"), percent_text(of(e.shares, "proved") + of(e.shares, "interpolated")));
  const double given = of(e.shares, "exact given hidden"), library = of(e.shares, "library");
  if (given > 0) all += fmt::format("        {} more are exact given the hidden counts below\n", percent_text(given));
  if (library > 0.001) all += fmt::format("        libraries execute {} of all instructions; they grow by laws of their own\n", percent_text(library));
  return all;
}

}  // namespace

std::string set_text(const std::map<std::string, double>& set) {
  std::string all;
  for (const auto& [name, value] : set) all += fmt::format("{}{}={}", all.empty() ? "" : ", ", name, number_text(value, 6));
  return all;
}

std::string startup_limit_text(const StaticAnswer& a) {
  if (a.startup_limit_seconds) return "below " + time_text(*a.startup_limit_seconds);
  if (a.startup_limit) return "below " + number_text(*a.startup_limit) + " operations";
  return a.messages > 0 ? "none is small enough" : "nothing is sent";
}

std::string optimum_text(const OptimumRecord& optimum) {
  return fmt::format("best performance for the price ({}{}): {}; performance/price {}\n", optimum.how, optimum.unimodal ? ", one maximum" : ", several maxima",
                     set_text(optimum.at), number_text(optimum.value));
}

std::string equation_text(const Equation& e, const EquationView& view) {
  if (view.as == "latex") return "T = " + e.latex + "\n";
  if (view.as == "c") return e.c;
  std::string all = fmt::format("{} on {}, time as a function of {}\n\n", e.program, e.machine, join(e.parameters, ", "));
  if (e.seconds.size() <= 400) all += "T = " + e.seconds + "\n\n";
  all += terms_text(e, view.rows) + blocks_text(e);
  for (const auto& hidden : e.hidden) all += "hidden: " + hidden + "\n";
  if (e.calibration) all += fmt::format("calibrated by {} runs here: core x {:.3g}, memory x {:.3g}, residual {:.1f} %\n", e.calibration->runs, e.calibration->core, e.calibration->memory, 100 * e.calibration->spread);
  all += "\n" + points_text(e);
  if (!e.sensitivity.empty()) all += sensitivity_text(e);
  for (const ScalingView& v : e.views) all += view_text(v);
  for (const Surface& s : e.surfaces) {
    std::vector<std::string> head{s.name};
    for (double x : s.x_values) head.push_back(s.x + "=" + number_text(x));
    Table table(head);
    for (std::size_t y = 0; y < s.y_values.size(); y++) {
      std::vector<std::string> row{s.y.empty() ? "" : s.y + "=" + number_text(s.y_values[y])};
      for (double v : s.values[y]) row.push_back(number_text(v, 3));
      table.add(row);
    }
    all += "\n" + table.text();
  }
  if (!e.static_model.empty()) all += static_text(e);
  if (e.optimum) all += "\n" + optimum_text(*e.optimum);
  if (!e.compared.empty()) all += compared_text(e);
  if (!e.offers.empty()) all += offers_text(e);
  if (!e.remarks.empty()) all += "\n";
  for (const auto& remark : e.remarks) all += "remark: " + remark + "\n";
  return all;
}

std::string equations_text(const std::vector<Equation>& equations, const EquationView& view) {
  std::string all;
  for (std::size_t k = 1; k < equations.size(); k++) {
    Equation one = equations[k];
    one.offers.clear(), one.surfaces.clear();
    all += equation_text(one, view) + "\n";
  }
  return equations.empty() ? all : all + equation_text(equations.front(), view);
}

}  // namespace perfcast::report

#include "report/scale_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/equation_text.h"

namespace perfcast::report {
namespace {

// Residuals against the quantiles of a normal: on the diagonal when they are normal.
std::string quantile_plot(const Regression& r) {
  constexpr int width = 41, height = 13;
  constexpr double reach = 3;
  std::vector<std::string> rows(height, std::string(width, ' '));
  auto column = [&](double x) { return static_cast<int>(std::lround((std::clamp(x, -reach, reach) + reach) / (2 * reach) * (width - 1))); };
  auto row = [&](double y) { return height - 1 - static_cast<int>(std::lround((std::clamp(y, -reach, reach) + reach) / (2 * reach) * (height - 1))); };
  for (int c = 0; c < width; c++) rows[static_cast<std::size_t>(row(-reach + 2 * reach * c / (width - 1)))][static_cast<std::size_t>(c)] = '.';
  for (const auto& q : r.quantiles) rows[static_cast<std::size_t>(row(q[1]))][static_cast<std::size_t>(column(q[0]))] = '*';
  std::string all = "\nResiduals (up, -3 to 3 sd) against normal quantiles (right, -3 to 3); . is where a normal lies\n";
  for (const auto& line : rows) all += "  |" + line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  return all + "  +" + std::string(width, '-') + "\n";
}

}  // namespace

std::string regression_text(const Regression& r) {
  std::string all = fmt::format("Costs on {} by regression over {} runs of {} programs (relative weights, none below zero)\n\n", r.machine.empty() ? "this machine" : r.machine, r.runs, r.programs);
  Table table({"cost of one", "ns", "standard error", "t", "p", "p, sequential F", "programs"});
  for (const CostEstimate& c : r.costs) {
    if (!c.supported) table.add({c.name, "not given: one program alone carries it", "", "", "", "", number_text(c.programs)});
    else table.add({c.name, number_text(1e9 * c.seconds), number_text(1e9 * c.standard_error), number_text(c.t, 3), number_text(c.p, 3), number_text(c.sequential_f_p, 3), number_text(c.programs)});
  }
  all += table.text();
  all += fmt::format("R^2 {}, F {} (p {}), residual sd {}, {} degrees of freedom\n", number_text(r.r_squared, 5), number_text(r.f), number_text(r.f_p, 3), percent_text(r.residual_sd), r.freedom);
  all += fmt::format("a program not among them: off by a factor of {} (1 sd), after one run of it {}\n", number_text(std::exp(r.left_out_spread), 3), number_text(std::exp(r.calibrated_spread), 3));
  return all + quantile_plot(r);
}

std::string static_text(const StaticProblem& p) {
  std::string all = fmt::format("{} on a {}, from counts alone (Clement, chapter 3){}\n\n", p.name.empty() ? "program" : p.name, p.network, p.values.empty() ? "" : ", " + set_text(p.values));
  Table table({"P", "speedup", "utilisation", "startup for 50 %"});
  for (const StaticAnswer& a : p.answers) table.add({number_text(a.processors), number_text(a.speedup), percent_text(a.utilisation), startup_limit_text(a)});
  all += table.text();
  if (!p.answers.empty()) {
    const StaticAnswer& a = p.answers.back();
    all += fmt::format("counts: {} sequential, {} parallel, {} of loops, {} misses; {} message startups at P={}\n", number_text(a.sequential), number_text(a.parallel), number_text(a.loops), number_text(a.misses), number_text(a.messages), number_text(a.processors));
    // Theorem 3.1 as a sentence.
    const std::string limit = a.startup_limit_seconds ? time_text(*a.startup_limit_seconds) : a.startup_limit ? number_text(*a.startup_limit) + " operations" : "";
    if (!limit.empty()) all += fmt::format("the network startup must be below {} for 50 % on {} processors\n", limit, number_text(a.processors));
    else if (a.messages > 0) all += fmt::format("no network startup gives 50 % on {} processors: what is sequential, repeated or sent takes half of the time already\n", number_text(a.processors));
  }
  return all;
}

std::string sorting_text(const SortingStudy& s) {
  std::string all = fmt::format("External sorting, balance of processors, disks and network{}\n\n", s.name.empty() ? "" : " (" + s.name + ")");
  Table table({"machine", "P", "items", "speedup", "model of the paper", "measured", "limited by"});
  for (const SortingCase& c : s.machines)
    table.add({c.name, number_text(c.processors), number_text(c.items, 8), number_text(c.speedup, 3), c.printed ? number_text(*c.printed, 3) : "-", c.actual ? number_text(*c.actual, 3) : "-", c.limit});
  all += table.text() + "\n";
  std::vector<std::string> head{"speedup at P"};
  if (!s.machines.empty())
    for (const auto& p : s.machines.front().by_processors) head.push_back(number_text(p[0]));
  Table more(head);
  for (const SortingCase& c : s.machines) {
    std::vector<std::string> row{c.name};
    for (const auto& p : c.by_processors) row.push_back(number_text(p[1], 3));
    more.add(row);
  }
  return all + more.text();
}

}  // namespace perfcast::report

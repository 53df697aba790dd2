#include "methods/scale/features.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/instruction_class.h"
#include "engine/scaling/profile_at.h"
#include "expr/algebra.h"
#include "expr/parse.h"
#include "expr/print.h"
#include "methods/scale/steps.h"

namespace perfcast::scale {
namespace {

constexpr double line_bytes = 64;
struct Distance {
  const char* name;
  double bytes;
};
constexpr Distance distances[] = {{"lines_32K", 32 * 1024.0}, {"lines_1M", 1024 * 1024.0}, {"lines_32M", 32 * 1024.0 * 1024}};

std::string class_name(const InstructionForm& form) {
  switch (engine::class_of(form)) {
    case engine::InstructionClass::integer: return "integer";
    case engine::InstructionClass::floating: return "floating";
    case engine::InstructionClass::vector: return "vector";
    case engine::InstructionClass::load:
    case engine::InstructionClass::store: return "memory";
    case engine::InstructionClass::branch: return "branch";
  }
  return "integer";
}

// Instructions of each class in one execution of a block.
std::map<std::string, double> classes_of(const Profile& profile, const Block& block) {
  std::map<std::string, double> all;
  for (const Instruction& instruction : block.code) all[class_name(profile.forms[static_cast<std::size_t>(instruction.form)])]++;
  return all;
}

void add_lines(const Graph& ir, std::map<std::string, double>& counts) {
  for (const Function& function : ir.functions)
    for (const Block& block : function.blocks)
      for (const Access& access : block.accesses)
        for (const Distance& distance : distances) {
          double beyond = access.cold + (access.unknown_from * line_bytes > distance.bytes ? access.unknown : 0);
          for (const DistanceBin& bin : access.lines)
            if (bin.distance * line_bytes > distance.bytes) beyond += bin.share;
          counts[distance.name] += access.count * beyond;
        }
}

}  // namespace

Result<std::map<std::string, double>> features_at(const Profile& profile, const Setting& set) {
  if (!profile.machine) return unfit("the profile has no machine level", profile.program, "analyze its sources here");
  TRY(engine::SizedProfile sized, engine::profile_at(profile, set));
  std::map<std::string, double> counts;
  double mispredicted = 0;
  for (const Function& function : sized.profile.machine->functions)
    for (const Block& block : function.blocks) {
      for (const auto& [name, times] : classes_of(profile, block)) counts[name] += times * block.count.value;
      mispredicted += (block.mispredicted.value_or(Mispredictions()) + block.mispredicted_calls.value_or(Mispredictions())).large;
    }
  counts["mispredictions"] = mispredicted, counts["page_faults"] = sized.profile.run.page_faults;
  if (sized.profile.ir) add_lines(*sized.profile.ir, counts);
  std::erase_if(counts, [](const auto& entry) { return !(entry.second > 0); });
  return counts;
}

Result<Observation> observation_of(const Profile& profile, const EquationPoint& run) {
  Setting own = run.set;
  if (!profile.run.parameters.contains("P")) own.erase("P");
  TRY(auto counts, features_at(profile, own));
  return Observation{profile.program, own, std::move(counts), run.seconds};
}

namespace {

// Executed instructions of each class as expressions; hidden counts by their laws.
std::map<std::string, expr::Expr> class_expressions(const Profile& profile) {
  std::map<std::string, std::map<std::string, double>> by_count;  // expression -> class -> times
  for (const Function& function : profile.machine->functions)
    for (const Block& block : function.blocks) {
      if (!(block.count.value > 0)) continue;
      const std::string text = block.count.expression.empty() ? fmt::format("{}", block.count.value) : block.count.expression;
      for (const auto& [name, times] : classes_of(profile, block)) by_count[text][name] += times;
    }
  std::map<std::string, expr::Expr> laws;
  for (const HiddenVariable& hidden : profile.scaling->hidden) laws.emplace(hidden.name, expr::parse_trusted(hidden.law));
  std::map<std::string, std::vector<expr::Expr>> terms;
  for (const auto& [text, classes] : by_count) {
    expr::Expr count = expr::substitute(expr::parse_trusted(text), laws);
    for (const auto& [name, times] : classes) terms[name].push_back(count * expr::Expr(times));
  }
  std::map<std::string, expr::Expr> all;
  for (auto& [name, sums] : terms) all[name] = expr::simplify(expr::sum(std::move(sums)));
  return all;
}

// What has no expression of its own (lines, mispredictions), per executed instruction over a grid of sizes.
Result<std::map<std::string, expr::Expr>> fitted_features(const Profile& profile, const expr::Expr& instructions, double largest) {
  std::vector<double> sizes;
  std::map<std::string, std::vector<double>> each;
  std::vector<Setting> settings;
  for (double factor = 0.25; factor < 1.5 * largest; factor *= std::sqrt(2.0)) {
    Setting set;
    for (const auto& [name, value] : profile.run.parameters) set[name] = std::max(1.0, std::round(value * factor));
    settings.push_back(set), sizes.push_back(factor);
  }
  std::vector<expr::Expr> ratio;
  ratio.reserve(profile.run.parameters.size());
  for (const auto& [name, value] : profile.run.parameters) ratio.push_back(expr::symbol(name) / expr::Expr(value));
  const double n = static_cast<double>(ratio.size());
  const expr::Expr size = ratio.size() == 1 ? ratio[0] : expr::power(expr::product(ratio), expr::Expr(1 / n));
  std::vector<std::string> names{"mispredictions", "page_faults"};
  for (const Distance& distance : distances) names.push_back(distance.name);
  for (const Setting& set : settings) {
    TRY(auto counts, features_at(profile, set));
    const double executed = std::max(1.0, expr::evaluate(instructions, set).value_or(1));
    for (const auto& name : names) each[name].push_back((counts.contains(name) ? counts.at(name) : 0.0) / executed);
  }
  std::map<std::string, expr::Expr> fitted;
  for (const auto& name : names) {
    const double most = *std::ranges::max_element(each[name]);
    if (!(most > 0)) continue;
    std::vector<double> weights(sizes.size(), 1 / most);
    fitted[name] = instructions * fit_steps(sizes, each[name], weights, size).expression;
  }
  return fitted;
}

}  // namespace

Result<Equation> scale_by_regression(const Profile& profile, const Regression& regression, const ScaleOptions& options) {
  CHECK_OK(has_expressions(profile));
  if (!profile.machine) return unfit("the profile has no machine level", profile.program, "analyze its sources here");
  Equation equation;
  equation.program = profile.program, equation.made_by = made_here(), equation.recorded = profile.run.parameters;
  equation.machine = regression.machine.empty() ? "costs by regression" : regression.machine;
  for (const auto& [name, value] : profile.run.parameters) equation.parameters.push_back(name);
  std::vector<Setting> settings = options.at;
  if (settings.empty()) settings.push_back({});
  double largest = 8;
  for (const Setting& set : settings)
    for (const auto& [name, value] : set)
      if (auto it = profile.run.parameters.find(name); it != profile.run.parameters.end() && it->second > 0) largest = std::max(largest, value / it->second);
  std::map<std::string, expr::Expr> counts = class_expressions(profile);
  std::vector<expr::Expr> every;
  every.reserve(counts.size());
  for (const auto& [name, count] : counts) every.push_back(count);
  TRY(auto fitted, fitted_features(profile, expr::sum(every), std::min(largest, 4096.0)));
  counts.insert(fitted.begin(), fitted.end());
  // The level of this program, by its own runs.
  double level = 1;
  if (!options.measured.empty()) {
    double sum = 0;
    for (const EquationPoint& run : options.measured) {
      TRY(Observation o, observation_of(profile, run));
      const double predicted = regression.predict(o.counts);
      if (predicted > 0) sum += std::log(run.seconds / predicted) / static_cast<double>(options.measured.size());
    }
    level = std::exp(sum);
    equation.calibration = Calibration{level, level, level, level, regression.calibrated_spread, static_cast<int>(options.measured.size())};
    equation.calibration_runs = options.measured;
  }
  std::vector<expr::Expr> terms;
  const double total = [&] {
    double s = 0;
    for (const CostEstimate& cost : regression.costs)
      if (auto it = counts.find(cost.name); it != counts.end()) s += cost.seconds * expr::evaluate(it->second, profile.run.parameters).value_or(0);
    return std::max(s, 1e-300);
  }();
  for (const CostEstimate& cost : regression.costs) {
    auto it = counts.find(cost.name);
    if (it == counts.end() || !(cost.seconds > 0)) continue;
    const expr::Expr seconds = it->second * expr::Expr(level * cost.seconds);
    terms.push_back(seconds);
    const double share = cost.seconds * expr::evaluate(it->second, profile.run.parameters).value_or(0) / total;
    equation.terms.push_back({cost.name, "computation", expr::text(it->second, {10}), expr::text(seconds, {10}), fitted.contains(cost.name) ? "ratio" : "interpolated", share, false});
  }
  for (const auto& [name, count] : counts)
    if (std::ranges::none_of(regression.costs, [&](const CostEstimate& c) { return c.name == name && c.supported; }))
      equation.remarks.push_back("no cost of " + name + ": too few of the programs timed carry it");
  std::ranges::sort(equation.terms, [](const auto& a, const auto& b) { return a.share != b.share ? a.share > b.share : a.name < b.name; });
  const expr::Expr seconds = expr::sum(terms);
  equation.seconds = expr::text(seconds, {10}), equation.latex = expr::latex(seconds, {4});
  equation.c = expr::c_source(seconds, "seconds", equation.parameters, profile.program + " by regression: seconds");
  auto blocks = [&](const char* word) { auto it = profile.scaling->blocks.find(word); return it == profile.scaling->blocks.end() ? 0.0 : static_cast<double>(it->second); };
  equation.blocks = {{"exact", blocks("proved")}, {"interpolated", blocks("interpolated")}, {"ratio", blocks("ratio")}, {"unknown", blocks("unknown")}};
  equation.shares = profile.scaling->shares;
  for (const Setting& given : settings) {
    TRY(engine::SizedProfile sized, engine::profile_at(profile, given));
    EquationPoint point;
    point.set = profile.run.parameters;
    for (const auto& [name, value] : given) point.set[name] = value;
    TRY(point.seconds, expr::evaluate(seconds, point.set));
    point.interval = regression.interval(point.seconds, options.confidence, !options.measured.empty());
    point.parts["computation"] = point.seconds, point.warnings = sized.warnings;
    equation.at.push_back(std::move(point));
  }
  return equation;
}

}  // namespace perfcast::scale

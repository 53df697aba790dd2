#include "methods/scale/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics.h"
#include "base/text.h"
#include "engine/compiled_cost.h"
#include "engine/scaling/profile_at.h"
#include "expr/algebra.h"
#include "expr/parse.h"
#include "expr/print.h"
#include "methods/scale/model.h"

namespace perfcast::scale {
namespace {

// What an extrapolation adds by itself, told by bench/extrapolation (equations found at small sizes held against the engine at sizes 8 to
// 64 times larger): a little that is never known, a little more for each doubling beyond the largest size that was run, and, of what
// memory takes, a third for each level that no run has exercised.
constexpr double least_spread = 0.03, spread_per_doubling = 0.015, unreached_spread = 0.34;

Result<Setting> complete(const TimeModel& model, const Setting& given) {
  Setting set = model.recorded;
  bool parallel = std::ranges::find(model.parameters, "P") != model.parameters.end();
  if (parallel) set.try_emplace("P", 1);
  for (const auto& [name, value] : given) {
    if (!set.contains(name)) {
      if (name == "P") return unfit("the equation has no P: nothing says how the work is divided", "--at", "give --plan FILE, or analyze it with --threads or --ranks");
      return unfit("the equation has no parameter \"" + name + "\"", "--at", "it has " + join(model.parameters, ", "));
    }
    if (!(value > 0)) return unfit(fmt::format("{} = {} is not a size", name, value), "--at");
    if (name == "P" && !model.recorded.contains("P") && (value < 1 || value != std::floor(value)))
      return unfit(fmt::format("P = {} is not a number of processors", value), "--at", "P=1, P=2, ...");
    set[name] = value;
  }
  return set;
}

// The number of the level of memory that holds a footprint; the machine has some.
std::size_t level_of(const MemoryModel& memory, double bytes) {
  std::size_t level = 0;
  while (level + 1 < memory.levels.size() && memory.levels[level].capacity_bytes && bytes > memory.levels[level].capacity_bytes->value) level++;
  return level;
}

double footprint(const Profile& profile, const Machine& machine, const Setting& set) {
  auto law = expr::parse(profile.scaling->page_faults);
  return law ? value_at(*law, set) * (machine.memory ? machine.memory->page_bytes : 4096) : 0;
}

std::string setting_text(const Setting& set) {
  std::vector<std::string> all;
  for (const auto& [name, value] : set) all.push_back(fmt::format("{}={:.6g}", name, value));
  return join(all, ", ");
}

// What predict adds or says, and the equation does not hold.
void say_what_is_left_out(const Profile& profile, const Machine& machine, bool calibrated, std::vector<std::string>& remarks) {
  if (!machine.memory) remarks.push_back(machine.name + " has no memory levels: every load is taken to hit the first cache");
  else if (!engine::memory_watched(profile))
    remarks.push_back("how the program uses memory was not watched: every load is taken to hit the first cache (analyze without --levels watches it)");
  const bool branches_watched = profile.machine && std::ranges::any_of(profile.machine->functions, [](const Function& function) {
    return std::ranges::any_of(function.blocks, [](const Block& block) { return block.mispredicted.has_value(); });
  });
  if (!branches_watched) remarks.push_back("no branch was watched: all are taken to be predicted");
  if (!calibrated && machine.system && machine.system->core_sharing && machine.system->core_sharing->value > 0.02)
    remarks.push_back("others on the same core, usual on " + machine.name + ", are left out; predict adds them");
}

class Answer {
 public:
  Answer(const Profile& profile, const Machine& machine, const ScaleOptions& options, TimeModel& model)
      : profile_(profile), machine_(machine), options_(options), model_(model), seconds_(expr::collect_like_terms(model.seconds())) {
    for (const SizedRun& run : profile.scaling->runs)
      if (run.failed.empty()) {
        largest_footprint_ = std::max(largest_footprint_, footprint(profile, machine, run.set));
        for (const auto& [name, value] : run.set) largest_[name] = std::max(largest_[name], value);
      }
  }
  const expr::Expr& seconds() const { return seconds_; }

  // A time that is not above zero is left to the caller to refuse.
  Result<EquationPoint> point(const Setting& given) const {
    TRY(Setting set, complete(model_, given));
    EquationPoint p;
    p.set = set;
    TRY(p.seconds, expr::evaluate(seconds_, set));
    CHECK_OK(check_messages(set));
    if (!(p.seconds > 0)) return p;
    for (const char* part : {"computation", "memory", "communication", "system"})
      if (double s = value_at(model_.part(part), set); s > 0) p.parts[part] = s;
    double doublings = 0;
    Setting own = set;
    if (!profile_.run.parameters.contains("P")) own.erase("P");
    for (const auto& [name, value] : own)
      if (auto it = largest_.find(name); it != largest_.end() && value > it->second) doublings = std::max(doublings, std::log2(value / it->second));
    TRY(engine::SizedProfile sized, engine::profile_at(profile_, own));
    p.warnings = sized.warnings;
    const double unreached = warn_of_memory(set, p.warnings) * (p.parts.contains("memory") ? p.parts.at("memory") / p.seconds : 0);
    warn_of_negative(set, p.seconds, p.warnings);
    double spread = root_of_squares({spread_per_doubling * doublings, sized.spread, least_spread});
    // By how much short runs scatter is in the covariance already: the run asked for is longer, and has its own scatter in least_spread.
    spread = root_of_squares({spread, spread_at(model_, set), unreached_spread * unreached});
    double factor = std::exp(student_t(options_.confidence, 30) * spread);
    p.interval = {p.seconds / factor, p.seconds * factor};
    return p;
  }

 private:
  // Numbers of messages and bytes come from a plan that people write.
  Status check_messages(const Setting& set) const {
    for (const ModelTerm& term : model_.terms)
      if (term.kind == "communication" && value_at(expr::substitute(term.other, model_.costs), set) < 0)
        return unfit("its \"times\" or \"bytes\" are below zero at " + setting_text(set), "plan, " + term.name);
    return {};
  }
  // A form of a count that falls below zero is used beyond where it holds.
  void warn_of_negative(const Setting& set, double seconds, std::vector<std::string>& warnings) const {
    constexpr double matters = 0.01;
    for (const ModelTerm& term : model_.terms)
      if (double own = value_at(expr::substitute(term.seconds(), model_.costs), set); own < -matters * seconds)
        warnings.push_back(fmt::format("{} would take {:.3g} s, less than nothing: the form of its count does not hold here", term.name, own));
  }
  // How many levels of memory the data lies beyond those that any run has exercised.
  double warn_of_memory(const Setting& set, std::vector<std::string>& warnings) const {
    if (!machine_.memory || machine_.memory->levels.empty()) return 0;
    const MemoryModel& memory = *machine_.memory;
    const bool divided = set.contains("P") && !profile_.run.parameters.contains("P") && !(model_.plan && model_.plan->shared_memory);
    double processors = divided ? set.at("P") : 1;
    double bytes = footprint(profile_, machine_, set) / processors;
    const std::size_t here = level_of(memory, bytes), seen = level_of(memory, largest_footprint_);
    if (here <= seen) return 0;
    warnings.push_back(fmt::format("about {} of data come from {}; the largest run needed {} and came from {}: no run has exercised this", size_text(bytes), memory.levels[here].name, size_text(largest_footprint_), memory.levels[seen].name));
    return static_cast<double>(here - seen);
  }

  const Profile& profile_;
  const Machine& machine_;
  const ScaleOptions& options_;
  TimeModel& model_;
  expr::Expr seconds_;
  double largest_footprint_ = 0;
  std::map<std::string, double> largest_;
};

void describe_terms(const TimeModel& model, const Setting& at, Equation& equation) {
  double total = std::max(1e-300, value_at(model.seconds(), at));
  for (const ModelTerm& term : model.terms) {
    expr::Expr seconds = expr::substitute(term.seconds(), model.costs);
    double share = value_at(seconds, at) / total;
    if (share <= 0 && term.kind != "communication") continue;
    equation.terms.push_back({term.name, term.kind, expr::text(term.count, {10}), expr::text(expr::collect_like_terms(seconds), {10}), term.certainty, share, term.parallel});
  }
  std::ranges::sort(equation.terms, [](const auto& a, const auto& b) { return a.share != b.share ? a.share > b.share : a.name < b.name; });
}

}  // namespace

Result<Equation> scale(const Profile& profile, const Machine& machine, const ScaleOptions& options) {
  TRY(TimeModel model, time_model(profile, machine, options));
  Equation equation;
  equation.program = profile.program, equation.machine = machine.name, equation.made_by = made_here();
  equation.parameters = model.parameters, equation.recorded = model.recorded;
  std::optional<Calibration> calibration;
  if (!options.measured.empty()) calibration = calibrate(model, options.measured);
  equation.calibration = calibration;
  equation.calibration_runs = options.measured;
  Answer answer(profile, machine, options, model);
  const expr::Expr& seconds = answer.seconds();
  equation.seconds = expr::text(seconds, {10});
  equation.latex = expr::latex(seconds, {4});
  equation.c = expr::c_source(seconds, "seconds", model.parameters, profile.program + " on " + machine.name + ": seconds");
  const Scaling& scaling = *profile.scaling;
  auto blocks = [&](const char* word) { auto it = scaling.blocks.find(word); return it == scaling.blocks.end() ? 0.0 : static_cast<double>(it->second); };
  equation.blocks = {{"exact", blocks("proved")}, {"interpolated", blocks("interpolated")}, {"ratio", blocks("ratio")}, {"unknown", blocks("unknown")}};
  equation.shares = scaling.shares;
  for (const HiddenVariable& h : scaling.hidden) equation.hidden.push_back(fmt::format("{}: {}; {} (+- {:.0f} %)", h.name, h.about, h.law, 100 * h.spread));
  equation.remarks = model.remarks;
  equation.remarks.insert(equation.remarks.end(), scaling.remarks.begin(), scaling.remarks.end());
  say_what_is_left_out(profile, machine, calibration.has_value(), equation.remarks);
  if (model.memory_fit > 0.05) equation.remarks.push_back(fmt::format("the steps of memory miss the engine by up to {:.0f} % of the time", 100 * model.memory_fit));

  TRY(Setting recorded, complete(model, {}));
  describe_terms(model, recorded, equation);
  std::string refused;
  for (const Setting& set : options.at.empty() ? std::vector<Setting>{{}} : options.at) {
    TRY(EquationPoint point, answer.point(set));
    if (point.seconds > 0) {
      equation.at.push_back(std::move(point));
      continue;
    }
    refused = fmt::format("no time at {}: the equation gives {:.3g} s there, so the forms of its counts do not hold so far from the recorded size", setting_text(point.set), point.seconds);
    equation.remarks.push_back(refused);
  }
  if (equation.at.empty()) return unfit(refused, profile.program, "record a size nearer to it");
  const Setting& main = equation.at.back().set;
  if (!options.sensitivity.empty()) {
    TRY(equation.sensitivity, sensitivities(model, profile, machine, main, options.sensitivity, simulation_of(options)));
  }
  if (options.views) equation.views = scaling_views(model, main);
  if (options.surfaces) {
    const auto symbols = expr::symbols_of(model.symbolic());  // a part of the machine is none of them
    for (const auto& name : options.sensitivity)
      if (std::ranges::find(symbols, name) != symbols.end()) equation.surfaces.push_back(sensitivity_surface(model, name, main));
    equation.surfaces.push_back(time_surface(model, machine.name, main));
  }
  if (model.plan) equation.static_model = static_answers(model, *model.plan, machine.core ? 1e-9 / machine.core->clock_ghz.value : 1e-9, main);
  if (options.cost) {
    if (!options.cost->costs.empty()) {
      Setting known = main;
      known.insert(model.costs.begin(), model.costs.end());
      TRY(equation.optimum, optimum(model.symbolic(), *options.cost, known));
    }
    equation.offers = offers(model, machine.name, *options.cost, main);
  }
  return equation;
}

Result<std::vector<Equation>> scale(const Profile& profile, const std::vector<Machine>& machines, const ScaleOptions& options) {
  std::vector<Equation> all;
  std::vector<Offer> joined;
  for (const Machine& machine : machines) {
    ScaleOptions own = options;
    if (!all.empty()) own.measured.clear();  // the runs were on the first machine
    TRY(Equation equation, scale(profile, machine, own));
    joined.insert(joined.end(), equation.offers.begin(), equation.offers.end());
    all.push_back(std::move(equation));
  }
  std::ranges::sort(joined, cheaper);
  for (Equation& equation : all) equation.offers = joined;
  if (all.size() < 2) return all;
  // The first holds what all of them say, for one file to tell it.
  std::vector<ComparedMachine> compared;
  compared.reserve(all.size());
  for (const Equation& equation : all) compared.push_back({equation.machine, equation.seconds, equation.at});
  for (std::size_t k = 1; k < all.size(); k++)
    for (const Surface& surface : all[k].surfaces)
      if (surface.name.starts_with("seconds on ")) all.front().surfaces.push_back(surface);
  all.front().compared = std::move(compared);
  return all;
}

}  // namespace perfcast::scale

#include "engine/source_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics.h"
#include "base/text.h"

namespace perfcast::engine {

std::vector<const perfcast::OperationCosts*> cost_sets(const Machine& machine, const ProgramRun& run, std::vector<std::string>& remarks) {
  std::vector<const perfcast::OperationCosts*> sets;
  for (std::string language : split(run.language.empty() ? "c" : run.language, ',')) {
    language.erase(0, language.find_first_not_of(' '));
    auto* own = machine.costs_for(language, run.compiler, run.cflags);
    std::string kin = language == "c" ? "c++" : language == "c++" ? "c" : "";
    if (!own && !kin.empty()) {
      own = machine.costs_for(kin, run.compiler, run.cflags);
      if (own) remarks.push_back(fmt::format("there are no costs for {}; those for {} were used", language, kin));
    }
    if (own && std::find(sets.begin(), sets.end(), own) == sets.end()) sets.push_back(own);
  }
  return sets;
}

std::optional<Measurement> Costs::of(const std::string& operation) const {
  for (const auto* set : sets_)
    if (auto it = set->costs.find(operation); it != set->costs.end()) return it->second;
  if (machine_.system)
    if (auto it = machine_.system->routines.find(operation); it != machine_.system->routines.end()) return it->second;
  if (operation.size() == 4 && operation.starts_with("ARR") && operation[3] >= '4' && operation[3] <= '9')
    return more_dimensions(operation[3] - '0');
  return {};
}

std::optional<Measurement> Costs::more_dimensions(int n) const {
  auto two = of("ARR2"), three = of("ARR3");
  if (!two || !three) return {};
  double k = n - 3;
  Measurement cost;
  cost.value = std::max(three->value + k * (three->value - two->value), 0.0);
  cost.sd = root_of_squares({(1 + k) * three->sd.value_or(0), k * two->sd.value_or(0)});
  cost.how = How::derived;
  cost.note = "continues the line through ARR2 and ARR3";
  return cost;
}

bool is_design(const Profile& profile) {
  if (!profile.source || !profile.run.sources.empty() || !profile.run.binary.empty()) return false;
  bool any = false;
  for (const auto& function : profile.source->functions)
    for (const auto& block : function.blocks) {
      any = true;
      if (block.kind != "step") return false;
    }
  return any;
}

}  // namespace perfcast::engine

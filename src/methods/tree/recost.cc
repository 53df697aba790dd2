#include "methods/tree/recost.h"

#include <algorithm>
#include <map>
#include <memory>

#include "base/text.h"
#include "methods/tree/change.h"
#include "methods/tree/monotone.h"

namespace perfcast::tree {
namespace {

constexpr auto misprediction = static_cast<std::size_t>(engine::Cause::misprediction);
constexpr auto dependences = static_cast<std::size_t>(engine::Cause::dependences);

void move_cycles(std::array<double, engine::causes>& by_cause, double moved) {
  by_cause[misprediction] -= moved, by_cause[dependences] += moved;
}

// A quicker core does not take longer to find the right way. What the walk then counts there was hidden by other waiting,
// and is still such waiting: it goes on while lines are moved, which mispredictions are not taken to do.
void keep_mispredictions(engine::CoreTime& core, const engine::CoreTime& before) {
  std::map<std::pair<int, int>, double> known;
  for (const auto& block : before.blocks) known[{block.function, block.block}] = block.by_cause[misprediction];
  for (auto& block : core.blocks) {
    const double longest = known[{block.function, block.block}], cycles = block.by_cause[misprediction];
    if (cycles <= longest) continue;
    const double part = 1 - longest / cycles;
    move_cycles(block.by_cause, part * cycles), move_cycles(core.by_cause, part * cycles);
    for (auto& use : block.uses) move_cycles(use.by_cause, part * use.by_cause[misprediction]);
  }
}

class Recoster {
 public:
  explicit Recoster(const Costed& costed) : costed_(costed) {}

  std::optional<NewTree> cost(const std::vector<Step>& steps) {
    NewTree result;
    std::vector<Step> taken;
    for (const auto& step : steps) {
      Changed changed;
      changed.machine = costed_.machine;
      const bool done = !step.first.change.empty() && apply_change(step.first.change, step.second, costed_.profile, changed);
      if (!changed.assumption.empty()) result.assumption += (result.assumption.empty() ? "" : "; ") + changed.assumption;
      if (done) taken.emplace_back(step.first, whole_factor(step.first.change, step.second));
      else result.left.push_back(step);
    }
    auto time = time_of(taken);
    if (!time) return {};
    const UseNode* root = tree_at(taken, time->at);
    if (!root) return {};
    result.root = *root, result.seconds = time->seconds;
    return result;
  }

 private:
  // Of one step: the nearest factor that was costed. Of several: as they are, no worse than without one of them.
  std::optional<MonotoneTime> time_of(const std::vector<Step>& steps) {
    if (steps.empty()) return {};
    if (steps.size() == 1)
      return monotone_time(costed_.seconds, steps[0].second, [&](double factor) -> std::optional<double> {
        const UseNode* root = tree_at(steps, factor);
        return root ? std::optional(root->seconds) : std::nullopt;
      });
    const UseNode* root = tree_at(steps, 1);
    if (!root) return {};
    MonotoneTime time{root->seconds, 1};
    for (std::size_t i = 0; i < steps.size(); i++) {
      std::vector<Step> others = steps;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      auto without = time_of(others);
      if (!without) continue;
      if (steps[i].second >= 1) time.seconds = std::min(time.seconds, without->seconds);
      if (steps[i].second <= 1) time.seconds = std::max(time.seconds, without->seconds);
    }
    return time;
  }

  // The tree after the steps; a single one by `factor` instead of its own.
  const UseNode* tree_at(std::vector<Step> steps, double factor) {
    if (steps.size() == 1) steps[0].second = factor;
    std::string key;
    for (const auto& [what, by] : steps) key += what.change + "=" + number_text(by, 17) + " ";
    auto [known, is_new] = trees_.try_emplace(key);
    if (is_new) known->second = make(steps);
    return known->second ? &*known->second : nullptr;
  }

  std::optional<UseNode> make(const std::vector<Step>& steps) const {
    Changed changed;
    changed.machine = costed_.machine;
    for (const auto& [what, factor] : steps)
      if (!apply_change(what.change, factor, costed_.profile, changed)) return {};
    const Profile& program = changed.profile ? *changed.profile : costed_.profile;
    engine::CoreTime core = costed_.core;
    if (changed.core) {
      auto simulated = engine::simulate_program(program, changed.machine, costed_.simulation);
      if (!simulated) return {};
      core = std::move(*simulated);
      if (std::ranges::all_of(steps, [](const Step& step) { return step.second >= 1; })) keep_mispredictions(core, costed_.core);
    }
    const engine::CompiledCost cost = engine::compiled_cost(program, changed.machine, std::move(core));
    return decorate(costed_.skeleton, observe_compiled(cost, program, changed.machine, costed_.alone));
  }

  const Costed costed_;
  std::map<std::string, std::optional<UseNode>> trees_;
};

}  // namespace

Recost recost_compiled(const Costed& costed) {
  return [recoster = std::make_shared<Recoster>(costed)](const std::vector<Step>& steps) { return recoster->cost(steps); };
}

}  // namespace perfcast::tree

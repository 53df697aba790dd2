#include <fmt/format.h>

#include <cmath>
#include <map>

#include "base/text.h"
#include "methods/tree/observe.h"
#include "methods/tree/tree.h"

namespace perfcast::tree {
namespace {

constexpr double alike = 0.1;           // signatures closer than this are similar
constexpr double same_performance = 1.2;  // ... and should perform within this factor

struct Pair {
  double share[2] = {0, 0}, frequency[2] = {0, 0};
};

// Of programs whose demand is counted in one unit it can be said which is faster; of others only how long each takes.
std::string times_text(double factor, bool by_demand) {
  if (!by_demand) return "takes " + number_text(factor, 3) + " times as long";
  return factor >= 1 ? number_text(factor, 3) + " times slower" : number_text(1 / factor, 3) + " times faster";
}

}  // namespace

SignatureComparison compare(const UseTree& tree, const UseTree& other) {
  SignatureComparison c;
  c.program = other.program, c.machine = other.machine, c.seconds = other.root.seconds, c.signature = other.signature;
  if (tree.skeleton != other.skeleton) {
    c.distance = 1;
    c.finding = "another skeleton (" + other.skeleton + "): nothing to compare";
    return c;
  }
  std::map<std::string, Pair> leaves;
  for (const auto& e : tree.signature) leaves[e.leaf].share[0] = e.share, leaves[e.leaf].frequency[0] = e.frequency;
  for (const auto& e : other.signature) leaves[e.leaf].share[1] = e.share, leaves[e.leaf].frequency[1] = e.frequency;
  double demand_distance = 0, gain = 0, loss = 0;
  std::string grows, shrinks;
  for (const auto& [leaf, pair] : leaves) {
    c.distance += std::abs(pair.share[1] - pair.share[0]) / 2;
    demand_distance += std::abs(pair.frequency[1] - pair.frequency[0]) / 2;
    if (double d = pair.share[1] - pair.share[0]; d > gain) gain = d, grows = leaf;
    else if (-d > loss) loss = -d, shrinks = leaf;
  }
  auto knows_demand = [](const UseTree& t) { return t.clock == TreeClock::global && t.root.demand > 0; };
  auto has_unit = [](const UseTree& t) { return t.unit != whole_work && t.unit != whole_work_untimed; };
  const bool one_machine = tree.machine == other.machine, global = knows_demand(tree) && knows_demand(other);
  const bool by_demand = global && has_unit(tree) && has_unit(other);
  c.similar = (global ? demand_distance : c.distance) < alike;
  if (!by_demand) {
    if (tree.unit != other.unit) {
      c.finding = "counted in another unit (" + other.unit + "): only the signatures compare";
      return c;
    }
    c.relative_time = tree.root.seconds > 0 ? other.root.seconds / tree.root.seconds : 1;
  } else {
    double here = tree.root.seconds / tree.root.demand, there = other.root.seconds / other.root.demand;
    c.relative_time = there / here;
    // Time per unit of demand is the sum of the leaves' shares of it: the leaf that differs most explains most.
    double most = 0;
    for (const auto& [leaf, pair] : leaves)
      if (double d = std::abs(pair.share[1] * there - pair.share[0] * here); d > most) most = d, c.leaf = leaf;
  }
  const bool same = std::abs(std::log(std::max(1e-300, c.relative_time))) <= std::log(same_performance);
  c.lacks_detail = by_demand && one_machine && c.similar && !same;
  const std::string time = times_text(c.relative_time, by_demand);
  if (c.lacks_detail)
    c.finding = fmt::format("the tree lacks detail here: {} asks for the same services and is {}; the difference lies in {}", c.program, time, c.leaf);
  else if (c.distance < alike && same)
    c.finding = by_demand ? "similar signature, similar performance" : "similar signature, similar time";
  else if (c.distance >= alike && !grows.empty() && !shrinks.empty())
    c.finding = fmt::format("{}{}; its time lies more in {} ({} instead of {}) and less in {}", time, by_demand ? " per unit of demand" : "", grows,
                            percent_text(leaves[grows].share[1]), percent_text(leaves[grows].share[0]), shrinks);
  else
    c.finding = "similar signature, " + time;
  return c;
}

}  // namespace perfcast::tree

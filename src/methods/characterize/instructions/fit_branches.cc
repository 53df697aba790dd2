// What branches cost, and how far they are foreseen.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "methods/characterize/instructions/fitting.h"
#include "methods/characterize/instructions/windows.h"

namespace perfcast::instructions {
namespace {

class BranchFitter {
 public:
  explicit BranchFitter(Fitting& fitting) : fitting_(fitting), table_(fitting.table), result_(fitting.result) {}

  void fit() {
    auto& b = result_.core.branches;
    const auto random = special("branch/random/1"), control = special("branch/random.control/1");
    if (random && control) {
      // Half of the branches go wrong. A wrong one costs the penalty and the chain to the next branch (the control's
      // time) with rename and the branch itself before it, a right one the chain alone.
      b.misprediction = from("branch/random/1", std::round((2 * *random - 2 * *control - 2) * 10) / 10);
    }
    if (auto call = special("branch/call.return.many/32")) b.call_return = from("branch/call.return.many/32", *call);
    replayed(b);
    near_branches();
    if (auto jump = special("branch/indirect.jump/8")) b.indirect_jump = from("branch/indirect.jump/8", *jump);
    // With a jump behind it to the end of the loop, and that of the loop.
    const double taken = value_or(result_.core.front_end.taken_branches_per_cycle, 1);
    if (auto jump = special("branch/changing.jump/8"); jump && taken > 0) b.changing_jump = from("branch/changing.jump/8", *jump - 2 / taken);
    if (auto period = learned("pattern")) b.learned_period = period;
    if (auto period = learned("targets")) b.learned_targets = period;
    if (auto period = learned("pattern.branches", 0)) b.learned_branches = period;
    learned_loop(b);
  }

 private:
  std::optional<double> special(const std::string& name) const { return fitting_.timings.cycles(name); }
  Measurement from(const std::string& name, double value) const { return fitting_.from(name, value); }

  // A loop of n jumps ahead, and its own back: of few, each takes less than one that is fetched.
  void replayed(BranchCosts& b) {
    const std::vector<WindowPoint> points = branch_points("jumps.ahead");
    if (points.size() < 4) return;
    auto& front_end = result_.core.front_end;
    front_end.replayed_taken_branches.reset(), front_end.replayed_taken_per_cycle.reset();
    const auto each = [](const WindowPoint& p) { return p.cycles / (p.n + 1); };
    const double fetched = each(points.back()), least = each(*std::ranges::min_element(points, {}, each));
    constexpr double clearly_less = 0.8;
    if (least > clearly_less * fetched) return;
    const auto more = std::ranges::find_if(points, [&](const WindowPoint& p) { return p.n > points.front().n && each(p) > (least + fetched) / 2; });
    const WindowPoint &first = points.front(), &last = *(more - 1);
    if (last.n <= first.n) return;
    const double spacing = (last.cycles - first.cycles) / (last.n - first.n);
    front_end.replayed_taken_branches = measured(last.n + 1, 1, 16, fmt::format("of {} jumps each takes {:.3g} cycles, of {} {:.3g}", last.n, each(last), more->n, each(*more)));
    front_end.replayed_taken_per_cycle = measured(std::clamp(std::round(1 / spacing), 1.0, 4.0), 0, 16, front_end.replayed_taken_branches->note);
    result_.changes.push_back("loops are replayed: " + front_end.replayed_taken_branches->note);
    if (spacing < clearly_less) taken_where_any_are(b);
  }
  // Jumps from line to line of 64 bytes: of how many each takes as little as of few, and what the others take. Then how close they may lie.
  void near_branches() {
    const std::vector<WindowPoint> points = branch_points("taken.lines");
    if (points.size() < 3) return;
    auto& front_end = result_.core.front_end;
    front_end.near_branches.reset(), front_end.near_branch_bytes.reset(), front_end.far_branch.reset();
    // A loop of few that is replayed takes less than any branch that is fetched.
    const double fetched = 1 / value_or(front_end.taken_branches_per_cycle, 1);
    const auto each = [&](const WindowPoint& p) { return std::max(fetched, p.cycles / (p.n + 1)); };
    const double far = each(points.back()), near = each(*std::ranges::min_element(points, {}, each));
    constexpr double clearly_more = 1.4, hardly_more = 0.25;
    if (far < clearly_more * near) return;
    const double limit = near + hardly_more * (far - near);
    const auto more = std::ranges::find_if(points, [&](const WindowPoint& p) { return p.n > points.front().n && each(p) > limit; });
    const WindowPoint& last = *(more - 1);
    int bytes = 64;
    for (int closer : {32, 16}) {
      const auto cycles = special(fmt::format("branch/taken.jmp.{}/16", closer));
      if (!cycles || *cycles > limit) break;
      bytes = closer;
    }
    front_end.near_branches = measured(last.n * 64.0 / bytes, 0, 16, fmt::format("of {} jumps, a line each, each takes {:.3g} cycles, of {} {:.3g}", last.n, each(last), more->n, each(*more)));
    front_end.near_branch_bytes = measured(bytes, 0, 16, "jumps so close take as little");
    front_end.far_branch = measured(std::round(far * 100) / 100, 0, 16, front_end.near_branches->note);
    result_.changes.push_back("branches foreseen at once: " + front_end.near_branches->note);
  }
  // More than one taken branch in a cycle: they go where those go that are not taken.
  void taken_where_any_are(BranchCosts& b) {
    for (const auto& rule : result_.core.instructions)
      if (rule.match.opcode.find("JCC") != std::string::npos && rule.ports && rule.ports->size() == 1) {
        b.taken_ports = rule.ports->front().ports;
        return;
      }
  }
  // Loops one behind the other, each of n iterations: where their ends begin to cost more than half of what the longest cost.
  void learned_loop(BranchCosts& b) const {
    std::vector<WindowPoint> points = branch_points("ends");
    if (points.size() < 4) return;
    b.learned_loop.reset();
    const auto &last = points.back(), &before = points[points.size() - 2];
    const double each = (last.cycles - before.cycles) / (last.n - before.n);
    for (auto& p : points) p.cycles -= each * p.n;  // what is left is the end's
    const double shortest = points.front().cycles, half = (last.cycles - shortest) / 2;
    if (half <= value_or(b.misprediction, 0) / 4) return;  // the longest are predicted too
    const auto missed = std::ranges::find_if(points, [&](const WindowPoint& p) { return p.cycles > shortest + half; });
    const auto learned = missed - 1;  // the first is the shortest
    b.learned_loop = measured((learned->n + missed->n) / 2.0, (missed->n - learned->n) / 2.0, 16,
                              fmt::format("ends of {} iterations cost {:.3g} cycles, of {} {:.3g}", learned->n, learned->cycles, missed->n, missed->cycles));
  }
  std::vector<WindowPoint> branch_points(const std::string& name) const {
    std::vector<WindowPoint> points;
    for (auto& c : table_.cases)
      if (c.kind == "branch" && c.name == name)
        for (int n : c.parameters)
          if (auto cycles = special(fmt::format("branch/{}/{}", name, n))) points.push_back({n, *cycles});
    return points;
  }
  // The longest of these random patterns that is predicted; the one at place `sure` is.
  std::optional<Measurement> learned(const std::string& patterns, std::size_t sure = 2) const {
    const std::vector<WindowPoint> points = branch_points(patterns);
    if (points.size() < 4) return {};
    double most = 0;
    for (auto& p : points) most = std::max(most, p.cycles);
    const double level = points[sure].cycles + 0.15 * (most - points[sure].cycles);
    for (std::size_t i = sure + 1; i < points.size(); i++)
      if (points[i].cycles > level && most > 1.5 * points[sure].cycles) {
        const double share = (level - points[i - 1].cycles) / (points[i].cycles - points[i - 1].cycles);
        const double period = points[i - 1].n + std::clamp(share, 0.0, 1.0) * (points[i].n - points[i - 1].n);
        return measured(std::round(period / 100) * 100, 500, 16, "a seventh of the branches missed");
      }
    return measured(points.back().n, 0, 16, "longer ones were not tried");
  }

  Fitting& fitting_;
  const FormTable& table_;
  FittedCore& result_;
};

}  // namespace

void fit_branches(Fitting& fitting) { BranchFitter(fitting).fit(); }

}  // namespace perfcast::instructions

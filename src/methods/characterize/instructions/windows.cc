#include "methods/characterize/instructions/windows.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/simulate.h"

namespace perfcast::instructions {

std::optional<double> step_position(const std::vector<WindowPoint>& points) {
  // Over some intervals, as a step is seldom sharp; what the fillers themselves cost is taken off.
  constexpr std::size_t reach = 3;
  constexpr double filler_cycles = 0.3, last_step = 0.6;
  auto rise = [&](std::size_t i) {
    const auto& high = points[std::min(i + reach, points.size() - 1)];
    return high.cycles - points[i].cycles - filler_cycles * (high.n - points[i].n);
  };
  double best = 0;
  for (std::size_t i = 0; i + 1 < points.size(); i++) best = std::max(best, rise(i));
  if (points.empty() || best < 0.1 * points.back().cycles) return {};
  // From three chains to two is a step as well: the last of the high ones is from two to one.
  std::size_t at = points.size() - 1;
  while (at > 0 && rise(at) < last_step * best) at--;
  while (at > 0 && rise(at - 1) >= rise(at)) at--;
  const std::size_t end = std::min(at + reach, points.size() - 1);
  const double middle = (points[at].cycles + points[end].cycles) / 2;
  for (std::size_t k = at; k < end; k++)
    if (points[k].cycles <= middle && points[k + 1].cycles > middle)
      return points[k].n + (middle - points[k].cycles) / (points[k + 1].cycles - points[k].cycles) * (points[k + 1].n - points[k].n);
  return points[at].n;
}

namespace {

// As the benchmark `window/held` has them: a move that begins the chain and the end of the loop are fillers here.
std::vector<Instruction> chain_with_fillers(int products, const DescribedForm& product, const DescribedForm& filler) {
  std::vector<Instruction> body;
  Instruction first = product.instruction, next = first, pause = filler.instruction;
  first.form = next.form = 0, pause.form = 1;
  first.uses.front().unit = first.uses.back().unit, next.uses.front().unit = next.defs.front().unit;
  for (int n = 0; n < products; n++) body.push_back(n ? next : first), body.insert(body.end(), 3, pause);
  body.insert(body.end(), 2, pause);
  return body;
}

}  // namespace

std::optional<HeldSlots> held_slots(const std::vector<WindowPoint>& loops, const DescribedForm& product, const DescribedForm& filler, CoreModel core) {
  constexpr std::size_t enough = 5;
  constexpr int longest = 24, apart = 4, iterations = 80;
  constexpr double clearly_better = 0.6, given_back = 0.05;
  if (loops.size() < enough || product.instruction.uses.size() < 2 || product.instruction.defs.empty()) return {};
  const std::vector<InstructionForm> forms{product.form, filler.form};
  std::vector<std::vector<Instruction>> bodies;
  for (const WindowPoint& loop : loops) bodies.push_back(chain_with_fillers(loop.n, product, filler));
  auto error = [&](double longer, double retired) {
    core.window.release_cycles.emplace().value = longer, core.window.retire_width.emplace().value = retired;
    double sum = 0;
    for (std::size_t i = 0; i < loops.size(); i++) {
      const auto time = engine::simulate_loop(bodies[i], forms, core, iterations);
      sum += time ? std::abs(time->cycles_per_iteration / loops[i].cycles - 1) : 1;
    }
    return sum;
  };
  const double known = core.window.retire_width ? core.window.retire_width->value : 0;
  const double without = error(0, known);
  double least = without;
  HeldSlots best{0, known};
  auto consider = [&](double longer, double retired) {
    if (const double found = error(longer, retired); found < least) least = found, best = {longer, retired};
  };
  for (double retired : std::set{known, std::round(core.front_end.rename_width.value)})
    for (int longer = 0; longer <= longest; longer += apart) consider(longer, retired);
  const HeldSlots around = best;
  for (int step : {-3, -2, -1, 1, 2, 3})
    if (around.longer + step >= 0) consider(around.longer + step, around.retired);
  if (least > given_back * static_cast<double>(loops.size())) return {};
  return least > clearly_better * without ? HeldSlots{0, known} : best;
}

constexpr double told = 0.03;  // of its value a point may spread; more and it was disturbed

std::vector<WindowPoint> window_points(const FormTable& table, const Timings& timings, const std::string& name) {
  std::vector<WindowPoint> points;
  for (auto& c : table.cases)
    if (c.kind == "window" && c.name == name)
      for (int n : c.parameters)
        if (const Timing* timing = timings.find("window/" + name + "/" + std::to_string(n)); timing && timing->kept && timing->spread <= told * timing->cycles)
          points.push_back({n, timing->cycles});
  std::ranges::sort(points, {}, &WindowPoint::n);
  return points;
}

}  // namespace perfcast::instructions

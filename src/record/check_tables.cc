// Tables inside records have as many rows and columns as their heads say.
#include "record/check.h"

namespace perfcast {
namespace {

void check_table(const std::vector<std::vector<double>>& rows, std::size_t height, std::size_t width, const std::string& place) {
  need(rows.size() == height, place, "not as many rows as their head says");
  for (const auto& row : rows) need(row.size() == width, place, "not as many columns as their head says");
}

}  // namespace

void check_record(const Equation& equation) {
  need(equation.sensitivity.empty() || !equation.at.empty(), "/sensitivity", "there is no point it belongs to");
  for (const Surface& surface : equation.surfaces) check_table(surface.values, surface.y_values.size(), surface.x_values.size(), "/surfaces");
  for (const ScalingView& view : equation.views) {
    const std::size_t settings = view.settings.size();
    need(view.seconds.size() == settings && view.metric.size() == settings, "/views", "not as many numbers as settings");
    for (const auto& [term, shares] : view.shares) need(shares.size() == settings, "/views/shares", "not as many numbers as settings");
  }
}

void check_record(const UseTree& tree) {
  if (tree.crossed) check_table(tree.crossed->speedup, tree.crossed->changes.size(), tree.crossed->changes.size(), "/crossed/speedup");
  if (!tree.processors) return;
  const ProcessorTable& table = *tree.processors;
  check_table(table.improvement, table.fast.size(), table.speed.size(), "/processors/improvement");
  check_table(table.tolerance, table.fast.size(), table.speed.size(), "/processors/tolerance");
}

}  // namespace perfcast

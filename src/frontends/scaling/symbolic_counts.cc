#include "frontends/scaling/symbolic_counts.h"

#include <algorithm>

#include "base/assert.h"
#include "expr/algebra.h"
#include "expr/parse.h"
#include "expr/print.h"

namespace perfcast::scaling {
namespace {

double operations_of(const Block& block) {
  if (!block.code.empty()) return static_cast<double>(block.code.size());
  double sum = 0;
  for (const auto& [name, times] : block.usage)
    if (name != "flops" && !name.starts_with("bytes") && !name.starts_with("phi")) sum += times;
  return sum;
}

}  // namespace

std::vector<CountPlace> counts_of(Graph& graph) {
  std::vector<CountPlace> places;
  for (std::size_t f = 0; f < graph.functions.size(); f++) {
    Function& function = graph.functions[f];
    const int at = static_cast<int>(f);
    places.push_back({&function.calls, at, -1, 0});
    for (std::size_t b = 0; b < function.blocks.size(); b++) {
      Block& block = function.blocks[b];
      places.push_back({&block.count, at, static_cast<int>(b), operations_of(block)});
      for (Edge& edge : block.next) places.push_back({&edge.count, at, static_cast<int>(b), 0});
    }
    for (Loop& loop : function.loops) places.push_back({&loop.entries, at, -1, 0}), places.push_back({&loop.iterations, at, -1, 0});
  }
  return places;
}

CountForms::CountForms(std::vector<std::string> names, std::vector<std::vector<double>> points)
    : names_(names), points_(points), reconstructor_(std::move(names), std::move(points)) {}

void CountForms::add(const std::vector<double>& values, double weight, const std::string& about, bool may_hide) {
  Entry& entry = entries_[values];
  entry.weight += weight, entry.may_hide = entry.may_hide || may_hide;
  if (entry.about.empty()) entry.about = about;
}

void CountForms::solve() {
  find_exact();
  find_hidden();
  find_laws();
}

void CountForms::find_exact() {
  for (auto& [values, entry] : entries_) {
    auto form = reconstructor_.exact(values);
    if (!form) continue;
    entry.form = {expr::text(form->expression), Certainty::interpolated, 0, form->checks, form->from};
    entry.solved = true;
  }
}

// The count that explains most of what is left becomes a hidden variable; a few times at most. What needs several of them
// is looked at with all that are known.
void CountForms::find_hidden() {
  constexpr int most_hidden = 3;
  constexpr std::size_t most_candidates = 24;
  constexpr double matters = 1e-3;  // of the executed instructions
  constexpr double explains = 0.2;  // of what is left: less is a coincidence of a few blocks, no common cause
  std::vector<expr::Reconstructor::Hidden> known;
  const std::vector<expr::Scale> scales = exact_scales();
  for (int round = 1; round <= most_hidden; round++) {
    std::vector<const std::vector<double>*> open;
    double left = 0, total = 0;
    for (auto& [values, entry] : entries_) {
      total += entry.weight * values.back();
      if (entry.solved) continue;
      left += entry.weight * values.back();
      if (entry.may_hide) open.push_back(&values);
    }
    if (open.size() < 2 || left < matters * total) return;
    // Small counts first: iterations rather than what happens in them.
    std::ranges::sort(open, {}, [](const auto* v) { return v->back(); });
    if (open.size() > most_candidates) open.resize(most_candidates);
    const std::string name = "H" + std::to_string(round);
    double most = 0;
    const std::vector<double>* chosen = nullptr;
    std::map<std::vector<double>, Form> explained;
    for (const auto* hidden : open) {
      std::vector<expr::Reconstructor::Hidden> alone{{name, *hidden}}, all = known;
      all.push_back(alone.front());
      std::map<std::vector<double>, Form> forms;
      // Its own work too: of a count and what is left of something exact beside it, the smaller one is given a law.
      double weight = entries_.at(*hidden).weight * hidden->back();
      for (auto& [values, entry] : entries_) {
        if (entry.solved || &values == hidden) continue;
        auto form = reconstructor_.exact_with(values, alone);
        if (!form && !known.empty()) form = reconstructor_.exact_with(values, all);
        if (!form) continue;
        forms[values] = {expr::text(expr::simplify(form->expression)), Certainty::ratio, 0, form->checks, 0};
        weight += entry.weight * values.back() + 1e-9;
      }
      if (!forms.empty() && weight > most * 1.0001) most = weight, chosen = hidden, explained = std::move(forms);
      if (most > 0.999 * left) break;
    }
    if (!chosen || most < std::max(matters * total, explains * left)) return;
    Entry& entry = entries_.at(*chosen);
    expr::Law law = expr::law_of(names_, points_, *chosen, scales);
    known.push_back({name, *chosen});
    hidden_.push_back({name, entry.about, expr::text(law.expression, {8}), law.spread});
    entry.form = {name, Certainty::ratio, law.spread, 0, 0}, entry.solved = true;
    for (auto& [values, form] : explained) form.spread = law.spread, entries_.at(values).form = form, entries_.at(values).solved = true;
  }
}

// The heaviest exact counts are what others may be a share of.
std::vector<expr::Scale> CountForms::exact_scales() const {
  constexpr std::size_t most = 12;
  std::vector<expr::Scale> scales;
  for (const auto& [values, entry] : entries_)
    if (entry.solved && entry.form.certainty == Certainty::interpolated && values.back() > values.front())
      scales.push_back({expr::parse_trusted(entry.form.expression), values});
  std::ranges::sort(scales, [](const auto& a, const auto& b) { return a.values.back() > b.values.back(); });
  if (scales.size() > most) scales.resize(most);
  return scales;
}

void CountForms::find_laws() {
  const std::vector<expr::Scale> scales = exact_scales();
  constexpr double trusted = 0.3;  // a law that missed by more, where it could be checked, is no law
  for (auto& [values, entry] : entries_) {
    if (entry.solved) continue;
    expr::Law law = expr::law_of(names_, points_, values, scales);
    entry.form = {expr::text(law.expression, {8}), law.spread < trusted ? Certainty::ratio : Certainty::unknown, law.spread, 0, 0};
    entry.solved = true;
  }
}

const CountForms::Form& CountForms::of(const std::vector<double>& values) const {
  auto it = entries_.find(values);
  ensure(it != entries_.end(), "a count that was not added");
  return it->second.form;
}

}  // namespace perfcast::scaling

#include "methods/scale/static_model.h"

#include <algorithm>
#include <cmath>

#include "expr/program.h"
#include "methods/scale/model.h"

namespace perfcast::scale {
namespace {

double sigma(const StaticCounts& c, double p) {
  if (p <= 1) return 0;
  return c.messages * c.startup * (c.broadcast ? 1 + std::log2(p) : 1);
}
double alone(const StaticCounts& c) { return c.operation * (c.sequential + c.parallel) + c.miss * c.misses; }

double value_at(const expr::Expr& e, const Setting& set) { return expr::evaluate(e, set).value_or(0); }

}  // namespace

double static_speedup(const StaticCounts& c, double p) {
  double together = c.operation * c.sequential + (c.operation * c.parallel + c.miss * c.misses) / p + sigma(c, p) + (p > 1 ? c.operation * c.loops : 0);
  return together > 0 ? alone(c) / together : 1;
}
double static_utilisation(const StaticCounts& c, double p) { return static_speedup(c, p) / p; }

std::optional<double> startup_limit(const StaticCounts& c, double p) {
  double sends = c.messages * (c.broadcast ? 1 + std::log2(p) : 1);
  double room = alone(c) - (p - 1) * c.operation * c.sequential - p * c.operation * c.loops;
  if (sends <= 0 || room <= 0) return {};
  return room / (p * sends);
}

double sorting_speedup(const SortingMachine& m, double n, double p) {
  // One processor: read, sort, write; the sort of a run overlaps with the disk.
  double compare = n * std::log2(std::max(2.0, n)), disk = 2 * n * m.disk;
  double one = m.overlapped ? std::max(compare, disk) : compare + disk;
  double own = n / p;
  double sort = own * std::log2(std::max(2.0, own)), merge = m.skew * own * std::log2(std::max(2.0, p));
  double sent = m.network * own * (p - 1) / p * (m.shared_network ? p : 1) * m.skew, starts = p * m.startup;
  double io = 2 * own * m.disk * m.skew;
  double together = m.overlapped ? std::max({sort + merge, sent, io}) + starts : sort + merge + sent + io + starts;
  return one / together;
}

std::vector<StaticAnswer> static_answers(const TimeModel& model, const ParallelPlan& plan, double operation_seconds, const Setting& at) {
  StaticCounts c;
  Setting one = at;
  one["P"] = 1;
  for (const ModelTerm& term : model.terms) {
    if (term.kind == "computation") (term.parallel ? c.parallel : c.sequential) += value_at(term.count, one);
    if (term.kind == "communication") {
      c.messages += value_at(term.count, one);
      c.broadcast = c.broadcast || term.name.find("broadcast") != term.name.npos || term.name.find("redu") != term.name.npos;
    }
  }
  (void)plan;
  double core = value_at(model.part("computation"), one), all = c.parallel + c.sequential;
  c.operation = all > 0 ? core / (all * operation_seconds) : 1;  // cycles per instruction: the compiler and the core
  c.misses = value_at(model.part("memory"), one) / operation_seconds;
  auto startup = model.costs.find("startup");
  c.startup = startup == model.costs.end() ? 0 : startup->second / operation_seconds;
  std::vector<StaticAnswer> answers;
  for (int k = 1; k <= 8; k++) {
    double p = std::exp2(k);
    StaticAnswer answer{p, static_speedup(c, p), static_utilisation(c, p), c.sequential, c.parallel, c.misses, c.loops, c.messages, {}};
    if (auto limit = startup_limit(c, p)) answer.startup_limit_seconds = *limit * operation_seconds;
    answers.push_back(answer);
  }
  return answers;
}

}  // namespace perfcast::scale

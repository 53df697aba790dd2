#include "methods/dilate/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace perfcast::dilate {

namespace {
constexpr double computes_little = 0.02;  // of the time: then it hardly matters how
}

void judge_point(DilatedRun& run, const Circumstances& circumstances, const ValidityLimits& limits) {
  DilationPoint& p = run.point;
  const std::string& who = circumstances.who;
  std::string those_at_work = run.threaded ? "threads" : who;
  auto doubt = [&](std::string text) { p.doubts.push_back(std::move(text)), p.valid = false; };
  double computing = p.elapsed > 0 ? p.d * run.compute / p.elapsed : 0;
  if (p.short_share > limits.short_share && computing > computes_little)
    doubt(fmt::format("{} of the computation lies in segments shorter than {:.0f} clock readings ({})", percent_text(p.short_share),
                      limits.clock_readings, time_text(limits.clock_readings * run.clock_seconds)));
  double free = circumstances.cores - circumstances.busy_elsewhere;
  if (run.most_on_one_host > circumstances.cores)
    doubt(fmt::format("{:.0f} {} on {} cores: what is stretched takes the core of another", run.most_on_one_host, those_at_work, circumstances.cores));
  else if (run.most_on_one_host > free + 0.25)
    doubt(fmt::format("{:.0f} {}, and others keep {:.1f} of {} cores busy", run.most_on_one_host, those_at_work, circumstances.busy_elsewhere, circumstances.cores));
  if (is_disturbed(p))
    doubt(fmt::format("{:.0f} involuntary context switches per second in each of the {}, which did not run for {} of the time", p.switches,
                      who, percent_text(p.lost_share)));
  if (p.drift > limits.drift) doubt(fmt::format("the repeats differ by {} (interquartile range)", percent_text(p.drift)));
  if (computing > computes_little && std::abs(run.slowed - 1) > limits.computation)
    doubt(fmt::format("the computation itself took {} compared to the other factors: cores are disturbed or not independent", percent_text(run.slowed - 1, true)));
  if (run.calls > 0 && run.polls > limits.polls * run.calls)
    doubt(fmt::format("{} of the MPI calls only poll: the waiting between them is taken for computation", percent_text(run.polls / run.calls)));
}

TransportLaw fit_law(const std::vector<DilationPoint>& points) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const auto& p : points) {
    if (!p.valid) continue;
    double x = 1 / p.d, y = p.normalized;
    n++, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  TransportLaw law;
  if (n < 1) return law;
  double denominator = n * sxx - sx * sx;
  law.transport = denominator > 1e-12 ? std::max(0.0, (n * sxy - sx * sy) / denominator) : 0;
  law.fixed = (sy - law.transport * sx) / n;
  if (law.fixed < 0) law.fixed = 0, law.transport = sxx > 0 ? sxy / sxx : 0;
  return law;
}

namespace {

constexpr double computing_enough = 0.9;  // computation beyond this share: nothing else matters much
constexpr double a_gain = 1.05;           // a speed-up that counts
constexpr double not_worth = 0.02;        // gain left that no longer counts

std::string explain_transport(const TransportLaw& law, double first, double largest, double gained, std::optional<double> until) {
  std::string text = fmt::format("a communication path twice as fast makes the program {:.2f} times as fast, one {:g} times as fast {:.2f} times",
                                 first / law.at(2), largest, gained);
  if (law.fixed > 0) text += fmt::format("; the limit is {:.2f}", first / law.fixed);
  if (until) text += *until <= largest ? fmt::format("; beyond {:.1f} times less than 2 % is gained", *until)
                                       : fmt::format("; by the law E/D = a + b/D it pays until {:.0f} times, further than was measured", *until);
  return text;
}

}  // namespace

void conclude(Dilation& dilation, const std::vector<DilatedRun>& runs) {
  ensure(!runs.empty(), "there is at least one point");
  const DilationPoint& first = runs.front().point;
  for (const auto& run : runs) {
    dilation.points.push_back(run.point);
    DilationPoint& p = dilation.points.back();
    p.speedup = p.normalized > 0 ? first.elapsed / p.normalized : 1;
    dilation.ranks = std::max(dilation.ranks, run.ranks);
    dilation.clock_seconds = std::max(dilation.clock_seconds, run.clock_seconds);
  }
  double whole = first.elapsed;
  if (whole <= 0) return;
  dilation.compute_share = std::min(1.0, runs.front().compute / whole);
  double largest = 1, gained = 1;
  int valid = 0;
  for (const auto& p : dilation.points)
    if (p.valid) {
      valid++;
      if (p.d > largest) largest = p.d, gained = p.speedup;
    }
  double last = dilation.points.back().d;
  // No network makes a program faster than its slowest rank computes.
  double busiest = std::min(1.0, runs.front().slowest / whole);
  dilation.ideal = 1 / (busiest + (1 - busiest) / last);
  if (valid < 2 || !dilation.points.front().valid || largest <= 1) {
    dilation.verdict = DilationVerdict::unclear;
    dilation.explanation = "too few points can be trusted: see what is said of each";
    return;
  }
  TransportLaw law = fit_law(dilation.points);
  dilation.transport_share = std::clamp(law.transport / whole, 0.0, 1 - dilation.compute_share);
  dilation.logic_share = std::max(0.0, 1 - dilation.compute_share - *dilation.transport_share);
  if (law.fixed > 0) dilation.useful_until = std::max(1.0, law.transport / (not_worth * law.fixed));
  if (dilation.compute_share >= computing_enough && gained < a_gain) {
    dilation.verdict = DilationVerdict::compute_bound;
    dilation.explanation = fmt::format("{} of the time is computation; a communication path {:g} times as fast gains {:.2f} times",
                                       percent_text(dilation.compute_share), largest, gained);
  } else if (gained < a_gain || *dilation.transport_share < *dilation.logic_share) {
    dilation.verdict = DilationVerdict::logic_bound;
    dilation.explanation = fmt::format(
        "{} of the time is waiting that a faster communication path does not shorten ({:g} times as fast gains {:.2f} times): messages are sent late; "
        "the program needs another algorithm or a better balance",
        percent_text(*dilation.logic_share), largest, gained);
  } else {
    dilation.verdict = DilationVerdict::transport_bound;
    dilation.explanation = explain_transport(law, whole, largest, gained, dilation.useful_until);
  }
}

}  // namespace perfcast::dilate

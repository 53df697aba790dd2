// Timed runs of programs with what they execute, and what an operation costs by them (Clement 1994, chapter 5).
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "record/made_by.h"
#include "record/record_file.h"

namespace perfcast {

// One run: X and t of the regression.
struct Observation {
  std::string program;
  std::map<std::string, double> set;     // parameters of the run
  std::map<std::string, double> counts;  // operations, lines from beyond a cache, message startups, bytes
  double seconds = 0;
  bool operator==(const Observation&) const = default;
};
template <class Fields>
void describe(Fields& f, Observation& o) {
  f.need("program", o.program), f("set", o.set), f("counts", o.counts), f.need("seconds", o.seconds);
}

struct TimedRuns {
  static constexpr const char* format = "perfcast.runs";
  static constexpr int version = 1;
  std::string machine, about;
  MadeBy made_by;
  std::vector<Observation> runs;
  bool operator==(const TimedRuns&) const = default;
};
template <class Fields>
void describe(Fields& f, TimedRuns& r) { f("machine", r.machine), f("about", r.about), f("made_by", r.made_by), f.need("runs", r.runs); }

struct CostEstimate {
  std::string name;
  double seconds = 0, standard_error = 0, t = 0, p = 1, sequential_f_p = 1;
  int programs = 0;                      // that carry it
  bool supported = true;                 // false: left out for want of programs
  bool operator==(const CostEstimate&) const = default;
};
template <class Fields>
void describe(Fields& f, CostEstimate& c) {
  f.need("name", c.name), f.need("seconds", c.seconds), f("standard_error", c.standard_error), f("t", c.t), f("p", c.p);
  f("sequential_f_p", c.sequential_f_p), f("programs", c.programs), f("supported", c.supported);
}

struct Regression {
  static constexpr const char* format = "perfcast.regression";
  static constexpr int version = 1;
  std::string machine;
  MadeBy made_by;
  std::vector<CostEstimate> costs;
  double r_squared = 0, f = 0, f_p = 1, residual_sd = 0;  // relative
  int runs = 0, freedom = 0, programs = 0;
  std::vector<std::array<double, 2>> quantiles;           // of a normal, of the standardised residuals
  double left_out_spread = 0;                             // sd of log(measured/predicted) for programs left out
  double calibrated_spread = 0;                           // the same after one run of the program has corrected it
  bool operator==(const Regression&) const = default;

  double predict(const std::map<std::string, double>& counts) const;
  // For a program that was not in the fit; `calibrated`: its prediction was corrected by one run of it.
  std::array<double, 2> interval(double predicted, double confidence, bool calibrated) const;
};
template <class Fields>
void describe(Fields& f, Regression& r) {
  f("machine", r.machine), f("made_by", r.made_by), f.need("costs", r.costs), f("r_squared", r.r_squared), f("f", r.f), f("f_p", r.f_p);
  f("residual_sd", r.residual_sd), f("runs", r.runs), f("freedom", r.freedom), f("programs", r.programs), f("quantiles", r.quantiles);
  f("left_out_spread", r.left_out_spread), f("calibrated_spread", r.calibrated_spread);
}

PERFCAST_RECORD_FILE(extern, TimedRuns)
PERFCAST_RECORD_FILE(extern, Regression)

}  // namespace perfcast

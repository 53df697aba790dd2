// How wrong the models are on a suite of programs, on one machine, today (Saavedra tables 6.1, 6.2 and 7.2).
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/made_by.h"
#include "record/record_file.h"

namespace perfcast {

struct ModelOutcome {
  double seconds = 0;
  double error = 0;  // (predicted - measured) / measured
  std::array<double, 2> interval{0, 0};
  bool covered = false;
  std::optional<double> error_at_clock;  // of what is predicted for the clock of the runs, where that is known
  bool operator==(const ModelOutcome&) const = default;
};
template <class Fields>
void describe(Fields& f, ModelOutcome& o) {
  f.need("seconds", o.seconds), f.need("error", o.error), f.need("interval", o.interval), f.need("covered", o.covered);
  f("error_at_clock", o.error_at_clock);
}

struct ProgramOutcome {
  std::string name;
  std::optional<double> measured;              // absent when the program could not be run
  std::optional<std::array<double, 2>> measured_interval;
  int runs = 0, disturbed = 0;
  std::optional<double> clock_ghz;             // of the core while it ran
  std::map<std::string, ModelOutcome> models;  // by model name
  std::string failed;                          // why, when something did
  bool operator==(const ProgramOutcome&) const = default;
};
template <class Fields>
void describe(Fields& f, ProgramOutcome& o) {
  f.need("name", o.name), f("measured", o.measured), f("measured_interval", o.measured_interval), f("runs", o.runs);
  f("disturbed", o.disturbed), f("clock_ghz", o.clock_ghz), f.need("models", o.models), f("failed", o.failed);
}

struct ModelSummary {
  double mape = 0, median = 0, bias = 0;
  std::map<std::string, double> within;  // "5", "10", "15", "20": share of programs within that many percent
  double tau = 0, coverage = 0;
  int programs = 0;
  std::optional<double> mape_at_clock, median_at_clock;  // of the errors at the clock of the runs
  bool operator==(const ModelSummary&) const = default;
};
template <class Fields>
void describe(Fields& f, ModelSummary& s) {
  f.need("mape", s.mape), f.need("median", s.median), f("bias", s.bias), f.need("within", s.within);
  f.need("tau", s.tau), f.need("coverage", s.coverage), f("programs", s.programs);
  f("mape_at_clock", s.mape_at_clock), f("median_at_clock", s.median_at_clock);
}

struct Validation {
  static constexpr const char* format = "perfcast.validation";
  static constexpr int version = 1;
  std::string machine, suite;
  MadeBy made_by;
  std::optional<double> machine_ghz;  // the clock the machine's costs are told for
  std::vector<ProgramOutcome> programs;
  std::map<std::string, ModelSummary> models;
  bool operator==(const Validation&) const = default;
};
template <class Fields>
void describe(Fields& f, Validation& v) {
  f.need("machine", v.machine), f("suite", v.suite), f("made_by", v.made_by), f("machine_ghz", v.machine_ghz);
  f.need("programs", v.programs);
  f.need("models", v.models);
}

PERFCAST_RECORD_FILE(extern, Validation)

}  // namespace perfcast

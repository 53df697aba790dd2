// The time of a program as an equation in its parameters, its processors and its machine (Clement 1994): what it gives
// at chosen sizes, what it is sensitive to, where it is cheapest.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/made_by.h"
#include "record/record_file.h"

namespace perfcast {

// The time at one setting of the parameters.
struct EquationPoint {
  std::map<std::string, double> set;
  double seconds = 0;
  std::array<double, 2> interval{0, 0};
  std::map<std::string, double> parts;   // computation, memory, communication, system: they add up to `seconds`
  std::vector<std::string> warnings;
  std::optional<double> measured;
  bool operator==(const EquationPoint&) const = default;
};
template <class Fields>
void describe(Fields& f, EquationPoint& p) {
  f.need("set", p.set), f.need("seconds", p.seconds), f.need("interval", p.interval), f("parts", p.parts);
  f.need("warnings", p.warnings), f("measured", p.measured);
}

// A line of the source, a pattern of communication, the system: a term of the equation.
struct EquationTerm {
  std::string name, kind;                // kind: "computation", "communication", "system"
  std::string count;                     // how often: instructions, messages
  std::string seconds;
  std::string certainty;                 // of the count
  double share = 0;                      // of the time at the recorded size
  bool parallel = false;                 // divided among the processors
  bool operator==(const EquationTerm&) const = default;
};
template <class Fields>
void describe(Fields& f, EquationTerm& t) {
  f.need("name", t.name), f("kind", t.kind), f("count", t.count), f.need("seconds", t.seconds), f("certainty", t.certainty), f("share", t.share);
  if (Fields::reading || t.parallel) f("parallel", t.parallel);
}

// dT/dx and (x/T) dT/dx at a setting.
struct Sensitivity {
  std::string parameter, unit;
  double value = 0, derivative = 0, elasticity = 0;
  std::string expression;                // of the derivative, where it is symbolic
  bool operator==(const Sensitivity&) const = default;
};
template <class Fields>
void describe(Fields& f, Sensitivity& s) {
  f.need("parameter", s.parameter), f("unit", s.unit), f.need("value", s.value), f.need("derivative", s.derivative);
  f.need("elasticity", s.elasticity), f("expression", s.expression);
}

// A quantity over a grid of sizes and processors: sensitivity (figure 6.12), time of machines (6.13), shares of blocks.
struct Surface {
  std::string name, x, y;                // what is shown, over which parameters
  std::vector<double> x_values, y_values;
  std::vector<std::vector<double>> values;  // [y][x]
  bool operator==(const Surface&) const = default;
};
template <class Fields>
void describe(Fields& f, Surface& s) {
  f.need("name", s.name), f("x", s.x), f("y", s.y), f("x_values", s.x_values), f("y_values", s.y_values), f("values", s.values);
}

// A machine and number of processors for a job, with its price.
struct Offer {
  std::string machine;
  double processors = 1, seconds = 0;
  std::optional<double> price;           // of the job
  bool operator==(const Offer&) const = default;
};
template <class Fields>
void describe(Fields& f, Offer& o) {
  f.need("machine", o.machine), f("processors", o.processors), f.need("seconds", o.seconds), f("price", o.price);
}

struct OptimumRecord {
  std::string objective;                 // the expression that was maximised
  std::map<std::string, double> at;
  double value = 0;
  std::string how;                       // "hill climbing", "exhaustive search"
  bool unimodal = false;
  std::map<std::string, std::string> gradient;
  bool operator==(const OptimumRecord&) const = default;
};
template <class Fields>
void describe(Fields& f, OptimumRecord& o) {
  f("objective", o.objective), f("at", o.at), f("value", o.value), f("how", o.how), f("unimodal", o.unimodal), f("gradient", o.gradient);
}

// The views of figures 6.9 to 6.11: each term's share as sizes and processors grow.
struct ScalingView {
  std::string name;                      // "speedup", "scaleup", "scaled speedup"
  std::vector<std::map<std::string, double>> settings;
  std::vector<double> seconds, metric;   // metric: S, T ratio or SS
  std::map<std::string, std::vector<double>> shares;  // by term
  bool operator==(const ScalingView&) const = default;
};
template <class Fields>
void describe(Fields& f, ScalingView& v) {
  f.need("name", v.name), f("settings", v.settings), f("seconds", v.seconds), f("metric", v.metric), f("shares", v.shares);
}

// How the costs were adjusted to runs here.
struct Calibration {
  double core = 1, memory = 1, far = 1, system = 1;  // factors: of the core, of caches, of memory beyond them, of page faults and start
  double spread = 0;                                 // of the runs around the equation
  int runs = 0;
  bool operator==(const Calibration&) const = default;
};
template <class Fields>
void describe(Fields& f, Calibration& c) {
  f("core", c.core), f("memory", c.memory), f("far", c.far), f("system", c.system), f("spread", c.spread), f("runs", c.runs);
}

// Speedup and utilisation from counts alone (Clement, chapter 3), in units of one operation.
struct StaticAnswer {
  double processors = 1, speedup = 1, utilisation = 1;
  double sequential = 0, parallel = 0, misses = 0, loops = 0, messages = 0;  // X_s, X_p, C_m X_m, X_lambda, X_c
  std::optional<double> startup_limit_seconds;  // Theorem 3.1: below this, half of the processors' time is used
  std::optional<double> startup_limit;          // the same in operations, where their time is not known
  bool operator==(const StaticAnswer&) const = default;
};
template <class Fields>
void describe(Fields& f, StaticAnswer& a) {
  f.need("processors", a.processors), f.need("speedup", a.speedup), f.need("utilisation", a.utilisation), f("sequential", a.sequential);
  f("parallel", a.parallel), f("misses", a.misses), f("loops", a.loops), f("messages", a.messages);
  f("startup_limit_seconds", a.startup_limit_seconds), f("startup_limit", a.startup_limit);
}

// The same program on one of several machines (figure 6.13).
struct ComparedMachine {
  std::string machine, seconds;
  std::vector<EquationPoint> at;
  bool operator==(const ComparedMachine&) const = default;
};
template <class Fields>
void describe(Fields& f, ComparedMachine& c) { f.need("machine", c.machine), f.need("seconds", c.seconds), f("at", c.at); }

struct Equation {
  static constexpr const char* format = "perfcast.equation";
  static constexpr int version = 1;
  std::string program, machine;
  MadeBy made_by;
  std::vector<std::string> parameters;
  std::map<std::string, double> recorded;   // parameters of the recorded run
  std::string seconds;                      // in the parameters
  std::string latex, c;
  std::map<std::string, double> blocks;     // exact, interpolated, ratio, unknown: numbers of blocks
  std::map<std::string, double> shares;     // the same as shares of the executed instructions; "exact given hidden", "library"
  std::vector<std::string> hidden;          // counts that depend on the data, and their laws
  std::vector<EquationTerm> terms;
  std::vector<EquationPoint> at;
  std::vector<Sensitivity> sensitivity;
  std::vector<Surface> surfaces;
  std::vector<ScalingView> views;
  std::optional<OptimumRecord> optimum;
  std::vector<Offer> offers;                // cheapest first
  std::optional<Calibration> calibration;
  std::vector<EquationPoint> calibration_runs;  // what was timed for it
  std::vector<StaticAnswer> static_model;   // by number of processors, with a plan
  std::vector<ComparedMachine> compared;    // several machines side by side, this one first
  std::vector<std::string> remarks;
  bool operator==(const Equation&) const = default;
};
template <class Fields>
void describe(Fields& f, Equation& e) {
  f.need("program", e.program), f("machine", e.machine), f("made_by", e.made_by), f.need("parameters", e.parameters), f("recorded", e.recorded);
  f.need("seconds", e.seconds), f("latex", e.latex), f("c", e.c), f.need("blocks", e.blocks), f("shares", e.shares), f("hidden", e.hidden);
  f("terms", e.terms), f.need("at", e.at), f("sensitivity", e.sensitivity), f("surfaces", e.surfaces), f("views", e.views);
  f("optimum", e.optimum), f("offers", e.offers), f("calibration", e.calibration), f("calibration_runs", e.calibration_runs), f("static_model", e.static_model), f("compared", e.compared), f("remarks", e.remarks);
}

// How a program is divided among processors and what it sends, as a file: the paper's compiler knew it from the source.
struct PlannedCommunication {
  std::string pattern, times = "1", bytes = "0";  // expressions in the parameters and P
  std::string seconds;                            // of one, where it is known better than by the network's pattern
  bool operator==(const PlannedCommunication&) const = default;
};
template <class Fields>
void describe(Fields& f, PlannedCommunication& c) { f.need("pattern", c.pattern), f("times", c.times), f("bytes", c.bytes), f("seconds", c.seconds); }

struct ParallelPlan {
  static constexpr const char* format = "perfcast.plan";
  static constexpr int version = 1;
  std::string network = "switched-ethernet";
  std::map<std::string, double> costs;           // startup, per_byte, per_hop in seconds; else the machine's, else the network's
  std::vector<std::string> parallel;             // functions or file:line whose work is divided; "*": everything
  std::vector<PlannedCommunication> communications;
  double recorded_processors = 1;                // among how many the work of the profile's counts was divided already
  std::string uneven = "1";                      // the busiest processor's work over the mean, an expression in P; 1 at P = 1
  bool shared_memory = false;                    // threads: all data lies in one memory
  double bandwidth_gain = 0;                     // of shared memory: all processors together over one; 0: no limit known
  double processors = 0;                         // that the machine has; 0: as many as asked for
  std::vector<std::string> remarks;
  bool operator==(const ParallelPlan&) const = default;
};
template <class Fields>
void describe(Fields& f, ParallelPlan& p) {
  f("network", p.network), f("costs", p.costs), f("parallel", p.parallel), f("communications", p.communications);
  f("recorded_processors", p.recorded_processors), f("shared_memory", p.shared_memory), f("bandwidth_gain", p.bandwidth_gain);
  f("processors", p.processors), f("remarks", p.remarks);
  if (Fields::reading || p.uneven != "1") f("uneven", p.uneven);
}

// Cost functions as expressions, for price against performance (Clement 6.2.1).
struct CostFile {
  static constexpr const char* format = "perfcast.cost";
  static constexpr int version = 1;
  std::string name, about, source;
  std::map<std::string, std::string> costs;      // name and expression in the variables: added up
  std::map<std::string, std::array<double, 2>> variables;  // what may be chosen, within which range
  std::map<std::string, double> values;          // fixed
  std::string time;                              // seconds as an expression; empty: the equation's
  std::string work;                              // what is done: performance is work / time; empty: 1
  std::map<std::string, double> prices_per_hour; // by machine: of one processor
  std::vector<double> processors;                // to choose from
  bool operator==(const CostFile&) const = default;
};
template <class Fields>
void describe(Fields& f, CostFile& c) {
  f("name", c.name), f("about", c.about), f("source", c.source), f("costs", c.costs), f("variables", c.variables), f("values", c.values);
  f("time", c.time), f("work", c.work), f("prices_per_hour", c.prices_per_hour), f("processors", c.processors);
}

PERFCAST_RECORD_FILE(extern, Equation)
PERFCAST_RECORD_FILE(extern, ParallelPlan)
PERFCAST_RECORD_FILE(extern, CostFile)

}  // namespace perfcast

// The equation while it is being built: terms as expressions, in the parameters, P and the costs of messages.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/program_time.h"
#include "expr/expr.h"
#include "methods/scale/scale.h"

namespace perfcast::scale {

// 0 where the expression has no value there.
double value_at(const expr::Expr& e, const Setting& set);

// Terms of the system.
inline constexpr const char* start_term = "start of the process";
inline constexpr const char* faults_term = "page faults";
inline constexpr const char* calls_term = "system calls";
inline constexpr const char* routines_term = "library routines";

struct ModelTerm {
  std::string name, kind, function, certainty;
  bool parallel = false;
  expr::Expr count, core, memory, far, other;  // seconds: computation, what caches add, what memory beyond them adds, the rest
  expr::Expr seconds() const { return core + memory + far + other; }
};

struct TimeModel {
  std::vector<std::string> parameters;     // N, M, and P where there is a plan
  Setting recorded;
  std::vector<ModelTerm> terms;
  std::map<std::string, double> costs;     // startup, per_byte, per_hop, in seconds
  std::vector<double> step_sizes;          // where memory steps lie, in the first parameter
  double memory_fit = 0;                   // how far the steps miss the engine, relative to the time
  std::vector<std::string> remarks;
  std::optional<ParallelPlan> plan;        // given, or as recorded
  std::vector<expr::Expr> groups;          // parts of the time whose level is not known exactly, and the
  std::vector<std::vector<double>> covariance;  // covariance of their logarithms (calibrate.cc)

  expr::Expr symbolic() const;             // with the costs of messages as symbols
  expr::Expr seconds() const;              // with their values
  expr::Expr part(const std::string& which) const;  // "computation", "memory", "communication", "system"
};

// Degree with which memory grows: P processors hold P times less of it, which is like a size P^(1/degree) smaller.
double growth_degree(const Profile& profile);

// Page faults of one of P processors, each with a memory of its own: what every process touches, and its part of the data.
expr::Expr divided_faults(const expr::Expr& faults, const ParallelPlan& plan, const Setting& recorded);

// What was recorded of a parallel program, as a plan; none when nothing was.
Result<std::optional<ParallelPlan>> recorded_plan(const Profile& profile, const Machine& machine);

// How long the core is simulated.
inline engine::SimulationOptions simulation_of(const ScaleOptions& options) {
  engine::SimulationOptions simulation;
  if (options.instructions) simulation.instructions = *options.instructions;
  return simulation;
}

Result<TimeModel> time_model(const Profile& profile, const Machine& machine, const ScaleOptions& options);

// What is known of the costs without runs; costs adjusted to measured runs; relative sd of the time that is left.
void assume_priors(TimeModel& model);
double spread_at(const TimeModel& model, const Setting& set);
Calibration calibrate(TimeModel& model, const std::vector<EquationPoint>& measured);

// Parts of the answer, each in its own file.
// An error when nothing has one of the wanted names.
Result<std::vector<Sensitivity>> sensitivities(const TimeModel& model, const Profile& profile, const Machine& machine, const Setting& at, const std::vector<std::string>& wanted,
                                               const engine::SimulationOptions& simulation = {});
std::vector<ScalingView> scaling_views(const TimeModel& model, const Setting& at);
Surface sensitivity_surface(const TimeModel& model, const std::string& parameter, const Setting& at);
Surface time_surface(const TimeModel& model, const std::string& machine, const Setting& at);
Result<OptimumRecord> optimum(const expr::Expr& seconds, const CostFile& cost, const Setting& at);
bool cheaper(const Offer& a, const Offer& b);
std::vector<Offer> offers(const TimeModel& model, const std::string& machine, const CostFile& cost, const Setting& at);
std::vector<StaticAnswer> static_answers(const TimeModel& model, const ParallelPlan& plan, double operation_seconds, const Setting& at);

}  // namespace perfcast::scale

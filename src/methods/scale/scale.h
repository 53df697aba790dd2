// What is T(N, P) as an equation, with intervals? The counts of a profile are expressions in its parameters; the engine
// costs its blocks on a machine; together they are an equation (Clement 1994, chapter 4):
//
//   T = sum over lines of instructions(N) * (core + memory(N)) / P + sum over messages + system
//
// where memory(N) rises in steps as the data outgrows the levels. See README.md.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/equation.h"
#include "record/machine.h"
#include "record/profile.h"

namespace perfcast::scale {

using Setting = std::map<std::string, double>;

struct ScaleOptions {
  std::vector<Setting> at;                   // where the equation is evaluated
  double confidence = 0.9;
  std::optional<ParallelPlan> plan;          // divides the work among P processors and says what they send
  std::vector<std::string> sensitivity;      // parameters, or "all"
  std::optional<CostFile> cost;
  bool views = false, surfaces = false;
  std::optional<double> instructions;        // to simulate for the core's time; none: as many as predict does
  std::vector<EquationPoint> measured;       // runs of this program on this machine: calibrates the costs
};

// An error that says why when the profile has no counts as expressions.
Status has_expressions(const Profile& profile);

// The equation on one machine. An error when the profile has no counts as expressions or the machine no core.
Result<Equation> scale(const Profile& profile, const Machine& machine, const ScaleOptions& options = {});

// Several machines: offers are compared across them (figure 6.13).
Result<std::vector<Equation>> scale(const Profile& profile, const std::vector<Machine>& machines, const ScaleOptions& options = {});

}  // namespace perfcast::scale

// Costs of source operations for one program on one machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/machine.h"
#include "record/profile.h"

namespace perfcast::engine {

// The cost sets for a program, one per language it is written in ("c, fortran"). C and C++ share most operations: each
// may stand in for the other, and a remark says so.
std::vector<const perfcast::OperationCosts*> cost_sets(const Machine& machine, const ProgramRun& run, std::vector<std::string>& remarks);

// Costs by name, with the two rules for what is not measured directly: arrays of more than three dimensions continue
// the line through two and three (Saavedra, table 4.5), library routines may stand among the system's routines.
class Costs {
 public:
  Costs(std::vector<const perfcast::OperationCosts*> sets, const Machine& machine) : sets_(std::move(sets)), machine_(machine) {}
  std::optional<Measurement> of(const std::string& operation) const;  // nanoseconds

 private:
  std::optional<Measurement> more_dimensions(int n) const;

  std::vector<const perfcast::OperationCosts*> sets_;
  const Machine& machine_;
};

// Neither measured nor published: derived, assumed, from a vendor or a compiler.
inline bool is_estimated(const Measurement& cost) { return cost.how != How::measured && cost.how != How::published; }

// A design is a profile without code: its blocks are steps with estimated usage.
bool is_design(const Profile& profile);

}  // namespace perfcast::engine

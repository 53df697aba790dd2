// A compiled program costed again after upgrades of its machine.
#pragma once

#include "engine/compiled_cost.h"
#include "methods/tree/upgrade.h"
#include "record/machine.h"
#include "record/profile.h"

namespace perfcast::tree {

// What is costed, and how. All of it must outlive the function that is made of it.
struct Costed {
  const Profile& profile;
  const Machine& machine;
  const engine::CoreTime& core;        // on the machine as it is
  double seconds = 0;                  // ... of the whole
  const Skeleton& skeleton;            // expanded
  const engine::SimulationOptions& simulation;
  bool alone = false;                  // as TreeOptions
};

// Upgrades of single things obey monotone.h; two at a time are no worse than either. What was costed is remembered.
Recost recost_compiled(const Costed& costed);

}  // namespace perfcast::tree

// What is observed of a program: seconds and demand by observable. A use-tree only arranges these; nothing is lost.
#pragma once

#include <string>
#include <vector>

#include "engine/compiled_cost.h"
#include "record/demand.h"
#include "record/dilation.h"
#include "record/machine.h"
#include "record/profile.h"

namespace perfcast::tree {

struct Observable {
  std::string key;
  double seconds = 0;
  double demand = 0;
};

struct Observed {
  std::string program, machine, unit;
  std::vector<Observable> all;
  double seconds = 0;     // of the whole; what the observables do not add up to is residue
  double peak_rate = 0;   // demand per second when everything is at its best
  std::vector<std::string> remarks;
};

// Compiled code on a machine, from the breakdown that predict's icc sums up. Every executed instruction is one unit of
// demand; it belongs to one class, flowed or waited for one cause, and an operand comes from one level of memory. Keys:
//   MODE/CLASS:CAUSE   MODE scalar, vector-short or vector-long: the loop it lies in; CLASS as engine::name_of;
//                      CAUSE "flowing" (not held up), "front end", "window", "ports", "dependences", "memory", "mispredictions"
//   MODE/level:NAME    operands from a level beyond the first: what the moving of lines takes
//   MODE/dependent:NAME  single loads from it that are waited for;   MODE/walks: ... for the translation of their addresses
//   library, page faults, system:calls, start, neighbours (what others on the core take, unless it is `alone`)
Observed observe_compiled(const engine::CompiledCost& cost, const Profile& profile, const Machine& machine, bool alone);

// Source operations on a machine that knows their costs (Saavedra's linear model): keys GROUP/NAME, "arithmetic/ARSL", and
// "start". An error when the machine has no costs for most of them.
Result<Observed> observe_source(const Profile& profile, const Machine& machine);

// Units of demand that say nothing about how much work there is: two programs cannot be measured by them.
inline constexpr const char* whole_work = "the whole work";
inline constexpr const char* whole_work_untimed = "the whole work, not timed";

// Levels of parallelism: keys mode:1, mode:2, ... Seconds are in units of one processor's time for the whole work where
// no time was measured.
Observed observe_demand(const DemandProfile& profile);

// A dilated program at D = 1: user, system, send, wait_receive, collective, other; and where dilation could tell them
// apart, wait:transport and wait:logical instead of wait_receive and collective.
Observed observe_dilation(const Dilation& dilation);
// Of all its parts but the residue.
double accounted_seconds(const DilatedTimes& times);

// Effective capacity of p processors, in units of one: c(p) = p (1 - loss)^(p - 1), up to the ceiling.
double capacity_of(double processors, double loss, std::optional<double> ceiling = {});

}  // namespace perfcast::tree

// An upgrade as a change of the machine record (and, where the compiler or the predictor would change what is executed,
// of the profile): the program is then costed again, and its demand may move to other leaves.
//
//   clock               faster clock; the first two levels of memory run with it, the others keep their nanoseconds
//   front-end           wider fetch, rename and retirement
//   window              larger reorder buffer, queues and register files
//   ports               as many copies of every port
//   latency             shorter latencies of all computing instructions
//   load-latency        ... of loads that hit the first cache
//   misprediction       quicker recovery;   predictor: fewer mispredictions
//   vector-width        loops with packed arithmetic take fewer iterations
//   level:X             latency and bandwidth of a level of memory;   latency:X, bandwidth:X one of them
//   size:X              larger cache
//   page-faults, start  quicker system;   neighbours: less time for others on the core
//
// Not changes of a machine record: "rate", a node served faster by the tree's arithmetic; "transport", a faster network by the
// law of a dilation; "processors", "loss" and "ceiling" of levels of parallelism (processors.h).
#pragma once

#include <optional>
#include <string>

#include "record/machine.h"
#include "record/profile.h"

namespace perfcast::tree {

struct Changed {
  Machine machine;
  std::optional<Profile> profile;  // where it changes
  bool core = false;               // the core's time must be simulated again
  std::string assumption;          // in words
};

// Whether a skeleton may ask for it; "level:*" and its like with any level.
bool is_change(const std::string& change);

// The factor by which it can be made: ports come whole.
double whole_factor(const std::string& change, double factor);

// Applies on top of what is changed already; false when the change is not known or acts on nothing here.
bool apply_change(const std::string& change, double factor, const Profile& original, Changed& changed);

}  // namespace perfcast::tree

// The predicted time of a program as a tree of calls: a function's own time from a prediction, the calls from the
// counts of the profile. Where a function has several callers its time is divided among them by how often each calls
// it, as gprof does; calls through pointers go to the functions nobody names. Recursion is shown once.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "record/prediction.h"
#include "record/profile.h"

namespace perfcast::report {

struct Frame {
  std::string name;
  double seconds = 0, self = 0;  // with and without what it calls
  std::vector<Frame> children;   // most time first
};
template <class Fields>
void describe(Fields& f, Frame& frame) {
  f.need("name", frame.name), f.need("seconds", frame.seconds), f.need("self", frame.self), f("children", frame.children);
}

// The root is the whole program. Frames below `least_share` of it are counted to their caller.
Frame call_tree(const Profile& profile, const ModelPrediction& prediction, double least_share = 2e-4);

// One line per stack, "main;relax 185123": frames outermost first, its own time in whole nanoseconds. The input of
// flame-graph tools.
std::string collapsed_stacks(const Frame& root);

}  // namespace perfcast::report

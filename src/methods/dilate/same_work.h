// All runs do the same work, but not in the same time: others share a core's pipeline, a cache or a clock, more in one run than in
// the next, though nobody is preempted. How long the work itself took is known of each run, undilated, and so runs can be compared
// as if it had taken the same in all of them.
#pragma once

#include <vector>

#include "methods/dilate/ranks.h"
#include "methods/dilate/threads.h"

namespace perfcast::dilate {

// The time of run r, by the computation u of its slowest rank: E_r / D_r = k u_r + b / D_r (least squares of relative errors over all
// runs). k >= 1 says how much of the computation of other ranks comes on top, one after the other, at most that of each: k <= ranks.
struct WorkLaw {
  double per_work = 1;   // k
  double transport = 0;  // b
};
WorkLaw fit_work(const std::vector<DilatedRun>& runs);

struct SameWork {
  WorkLaw law;
  double shortest = 0, middle = 0, longest = 0;  // computation of the slowest rank, over the runs
};
// Replaces the times of every run by those it would have had if its computation had taken the middle time.
SameWork bring_to_same_work(std::vector<std::vector<DilatedRun>>& of_factors);

// The same for threads, whose work is known by region: the time of each region changes as its work does.
void bring_to_same_work(const std::vector<ThreadsRecord*>& runs);

}  // namespace perfcast::dilate

// Which points can be trusted, and what they say.
#pragma once

#include <vector>

#include "methods/dilate/ranks.h"

namespace perfcast::dilate {

// What the machine offered while the runs were made.
struct Circumstances {
  int cores = 1;               // that we may use
  double busy_elsewhere = 0;   // cores that others kept busy just before
  std::string who = "ranks";   // or threads
};

struct ValidityLimits {
  double clock_readings = 20;     // a segment shorter than so many is short (fixed in the library)
  double short_share = 0.1;       // of the computation in short segments
  double drift = 0.05;            // interquartile range of the repeats, relative
  double computation = 0.25;      // by which the computation itself may differ from the common one: what was brought to it is no longer measured
  double polls = 0.5;             // share of MPI calls that only poll
};

// Marks the point and says why.
void judge_point(DilatedRun& run, const Circumstances& circumstances, const ValidityLimits& limits = {});

// Fills speedups, shares, verdict and explanation from the judged points, smallest factor (1) first.
void conclude(Dilation& dilation, const std::vector<DilatedRun>& runs);

// The law E/D = a + b/D through the points (least squares, a and b not negative).
struct TransportLaw {
  double fixed = 0, transport = 0;
  double at(double d) const { return fixed + transport / d; }
};
TransportLaw fit_law(const std::vector<DilationPoint>& points);

}  // namespace perfcast::dilate

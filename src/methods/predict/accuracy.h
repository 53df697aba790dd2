// How far a model is known to be off, beyond the noise of the costs it was given: log(measured / predicted) is taken
// as normal with this mean and standard deviation. An interval that knew only the noise of the measurements would be
// far too narrow (Saavedra's own standard deviation for figure 6.1 is 5 %, his errors go to 20 %).
#pragma once

#include <array>

namespace perfcast::predict {

struct ModelError {
  double bias = 0;    // of log(measured / predicted); positive: the model predicts too little
  double spread = 0;
};

// Saavedra 1988, table 7.2: 61.5 % of 91 pairs within 10 %, 85.7 % within 15 %, 96.7 % within 20 %: a normal of 0.105.
inline constexpr ModelError hllc_in_order{0, 0.105};
// Cores that overlap operations: residuals of 38 kernels of data/calibration that stay near the core, on a Sapphire
// Rapids. Compiled as the costs were: isolated costs miss both the overlap and the chains through memory.
inline constexpr ModelError hllc_overlapping{-0.16, 0.52};
// ... and compiled with more optimisation than the costs were: much of the source does not survive.
inline constexpr ModelError hllc_optimised{-1.2, 1.05};
// ... and both optimised alike.
inline constexpr ModelError hllc_both_optimised{-0.26, 1.08};
// Flops alone fall short by 5 to 80 %, 46 % on average, where everything costs time (Papaefstathiou et al. 1994,
// table 6); the same kernels, plain and optimised, for cores that overlap operations.
inline constexpr ModelError poc_in_order{0.6, 0.6}, poc_overlapping{-0.12, 0.82}, poc_optimised{-1.0, 1.3};

// Estimates of a design: taken to be right within a factor of three, nine times in ten.
inline constexpr ModelError dbc_estimates{0, 0.67};
// Residuals of the kernels of data/calibration, and of nothing else: 21 that stay in the first cache (icc: 10.5 % mean,
// 7.9 % median error), and 21 that do not (35 % and 20 %), from where the share of memory in a prediction widens it.
inline constexpr ModelError intcc_compiled{0, 0.45};
inline constexpr ModelError icc_compiled{0.04, 0.16};
inline constexpr double icc_memory_spread = 0.45;  // for a program that only waits for memory

// ... and where nobody watched how it uses memory, so that every load is taken to hit the first cache: from a few percent too
// little to a fraction of the time; an assumption, not a fit.
inline constexpr ModelError icc_memory_unknown{0.25, 0.4};

// Interval of this confidence around `seconds`, whose costs have the standard deviation `sd` (seconds).
std::array<double, 2> interval_of(double seconds, double sd, const ModelError& error, double confidence);

}  // namespace perfcast::predict

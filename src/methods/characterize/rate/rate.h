// The section `rate`: million weighted floating-point operations per second, the one number of the poc model.
#pragma once

#include "methods/characterize/work.h"

namespace perfcast::characterize {

// Compiles data/experiments/rate.c at -O2 and fills machine.mflops.
Status measure_rate(Work& work, Machine& machine);

// The rate from what rate.c prints: all loops get the same number of operations (a harmonic mean of their rates), each
// timed by the middle of its faster half of passes, without those marked by ~ while five others are left. Exposed for
// tests.
Result<Measurement> rate_of(const std::string& printed);

}  // namespace perfcast::characterize

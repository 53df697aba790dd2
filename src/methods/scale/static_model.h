// Speedup and utilisation without a run (Clement 1994, chapter 3). Counts X and costs C in units of one operation:
//
//   T_s = C_phi (X_s + X_p) + C_m X_m
//   T_p = C_phi X_s + (C_phi X_p + C_m X_m)/p + sigma(p) + C_phi X_lambda
//
// sigma(p) = X_c C_c for neighbours, X_c C_c (1 + log2 p) for broadcasts on a hypercube; S = T_s/T_p, U = S/p. Theorem 3.1:
// U >= 1/2 needs C_c < (C_phi (X_s + X_p) + C_m X_m - (p-1) C_phi X_s - p C_phi X_lambda) / (p X_c). What a pattern sends on
// another topology comes from the network's file: its startups at p are X_c, its bytes are in sigma beside them.
#pragma once

#include <optional>

#include "record/profile.h"
#include "record/static_model.h"

namespace perfcast::scale {

struct StaticCounts {
  double sequential = 0, parallel = 0, misses = 0, loops = 0, messages = 0;  // X_s, X_p, X_m, X_lambda, X_c
  double operation = 1, miss = 1, startup = 0;                               // C_phi, C_m, C_c
  bool broadcast = false;                                                    // sigma with 1 + log2 p
  double transfer = 0;                                                       // of all bytes, in operations
};

double static_speedup(const StaticCounts& counts, double processors);
double static_utilisation(const StaticCounts& counts, double processors);
// The largest startup C_c for a utilisation of one half; none when no startup is small enough, or nothing is sent.
std::optional<double> startup_limit(const StaticCounts& counts, double processors);

// External sorting by regular sampling (section 3.4.3), the balance of processors, disks and network. The paper gives
// Table 3.1 but not its formula; ours: n items on p processors, in comparison times, what overlaps runs at the pace of the
// slowest, `skew` of the data meets on the busiest processor, and each processor starts p messages.
struct SortingMachine {
  double disk = 0, network = 0;   // comparison times to read or write an item, to send one
  double startup = 0;             // comparison times to start a message
  double skew = 1.5;
  bool shared_network = false;    // one medium for all: what is sent adds up
  bool overlapped = true;
};
double sorting_speedup(const SortingMachine& machine, double items, double processors);

// The answers of a problem at its processors, or at P of `at`. Counts that the file leaves empty come from the source level
// of `profile`: the operations of its statements, divided where the file says so.
Result<StaticProblem> solve_static(StaticProblem problem, const std::map<std::string, double>& at, const Profile* profile = nullptr);

// Speedup, what limits it, and how it goes on with more processors.
Result<SortingStudy> solve_sorting(SortingStudy study);

}  // namespace perfcast::scale

// The execution time of Gaussian elimination as Clement derives it (section 4.2.3), with the errata of his printing
// corrected: the sample equation of the tests and of the benchmark.
#pragma once

namespace perfcast::expr {

inline constexpr const char* clement_gauss =
    "0.000000001*((12*N + (121.84*N^2 + 16*N^3)/P)*beta_ops + 6*N^2*beta_vp"
    " + N*(step(8*N^2/(P*L1) - 1)*8*N^2/(P*L1) + 5*step((8*N + 12)*N/(P*L1) - 1)*(8*N + 12)*N/(P*L1))*beta_l1"
    " + N*(step(8*N^2/(P*L2) - 1)*8*N^2/(P*L2) + 5*step((8*N + 12)*N/(P*L2) - 1)*(8*N + 12)*N/(P*L2))*beta_l2"
    " + 4*N*log2(P)*beta_st + (8*N^2*log2(P) + 36*N*log2(P))*beta_bw)";

}  // namespace perfcast::expr

// Laws fitted to message times: lines over one or a few ranges of sizes, and the packet law. Residuals are weighed
// relatively (a plain fit cares for the largest messages only) and coefficients are not negative (a negative cost per
// packet fits sometimes, and means nothing).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "record/messages.h"

namespace perfcast::characterize {

struct SizeTime {
  double bytes = 0, ns = 0;
};

struct LineFit {
  double startup = 0, per_byte = 0, squares = 0;  // squares: sum of squared relative residuals
};
LineFit fit_line(std::span<const SizeTime> points);

// Up to `most` ranges; one more must take off a third of the root mean square. Points are sorted by size.
struct RegimeFit {
  std::vector<MessageRegime> regimes;
  double error = 0, worst = 0;  // relative residuals
};
RegimeFit fit_regimes(std::span<const SizeTime> points, int most = 4);

// Equation 5 with one hop, where preparing and starting up cannot be told apart: all is preparing. None when no packet
// size gives positive coefficients, or the fit is no better than a tenth worse than `than`.
std::optional<PacketLaw> fit_packets(std::span<const SizeTime> points);

}  // namespace perfcast::characterize

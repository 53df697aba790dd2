#include "methods/characterize/messages/message_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/assert.h"

namespace perfcast::characterize {
namespace {

// Relative residuals of a + b x: minimises sum (1 - (a + b x)/y)^2.
LineFit weighted(std::span<const SizeTime> points) {
  double s = 0, sx = 0, sxx = 0, sy = 0, sxy = 0;
  for (const auto& p : points) {
    double w = 1 / (p.ns * p.ns);
    s += w, sx += w * p.bytes, sxx += w * p.bytes * p.bytes, sy += w * p.ns, sxy += w * p.bytes * p.ns;
  }
  LineFit fit;
  double determinant = s * sxx - sx * sx;
  if (determinant > 1e-12 * s * sxx) {
    fit.startup = (sxx * sy - sx * sxy) / determinant, fit.per_byte = (s * sxy - sx * sy) / determinant;
  } else {
    fit.startup = sy / s;
  }
  if (fit.per_byte < 0) fit.per_byte = 0, fit.startup = sy / s;
  if (fit.startup < 0) fit.startup = 0, fit.per_byte = sxx > 0 ? sxy / sxx : 0;
  return fit;
}

constexpr double better = 0.67;          // root mean square of one more range over that without
constexpr std::size_t least_points = 3;  // in a range

}  // namespace

LineFit fit_line(std::span<const SizeTime> points) {
  ensure(!points.empty(), "a line is fitted to points");
  LineFit fit = weighted(points);
  for (const auto& p : points) fit.squares += std::pow((fit.startup + fit.per_byte * p.bytes) / p.ns - 1, 2);
  return fit;
}

RegimeFit fit_regimes(std::span<const SizeTime> points, int most) {
  const std::size_t n = points.size();
  ensure(n > 0, "laws are fitted to points");
  // best[k][i]: the first i points in k + 1 ranges.
  struct Best {
    double squares = std::numeric_limits<double>::infinity();
    std::size_t start = 0;
  };
  std::vector<std::vector<Best>> best(static_cast<std::size_t>(most), std::vector<Best>(n + 1));
  auto cost = [&](std::size_t from, std::size_t to) { return fit_line(points.subspan(from, to - from)).squares; };
  for (std::size_t i = 1; i <= n; i++) best[0][i] = {cost(0, i), 0};
  for (std::size_t k = 1; k < best.size(); k++)
    for (std::size_t i = 2 * least_points; i <= n; i++)
      for (std::size_t j = least_points; j + least_points <= i; j++)
        if (double s = best[k - 1][j].squares + cost(j, i); s < best[k][i].squares) best[k][i] = {s, j};
  std::size_t ranges = 0;
  for (std::size_t k = 1; k < best.size(); k++)
    if (std::sqrt(best[k][n].squares) < std::pow(better, static_cast<double>(k - ranges)) * std::sqrt(best[ranges][n].squares)) ranges = k;
  std::vector<std::size_t> starts;
  for (std::size_t k = ranges, end = n;; k--) {
    std::size_t start = k == 0 ? 0 : best[k][end].start;
    starts.insert(starts.begin(), start);
    if (k == 0) break;
    end = start;
  }
  RegimeFit result;
  double squares = 0;
  for (std::size_t r = 0; r < starts.size(); r++) {
    std::size_t end = r + 1 < starts.size() ? starts[r + 1] : n;
    auto part = points.subspan(starts[r], end - starts[r]);
    LineFit line = fit_line(part);
    const char* name = starts.size() == 1 ? "all" : r == 0 ? "eager" : r + 1 == starts.size() ? "rendezvous" : "middle";
    result.regimes.push_back({name, r == 0 ? 0 : part.front().bytes, line.startup, line.per_byte});
    squares += line.squares;
    for (const auto& p : part) result.worst = std::max(result.worst, std::abs((line.startup + line.per_byte * p.bytes) / p.ns - 1));
  }
  result.error = std::sqrt(squares / static_cast<double>(n));
  return result;
}

std::optional<PacketLaw> fit_packets(std::span<const SizeTime> points) {
  std::optional<PacketLaw> best;
  for (double packet = 256; packet <= 65536; packet *= 2) {
    // Within a packet a line; beyond, another line through its end, of slope B per packet.
    std::vector<SizeTime> within, beyond;
    for (const auto& p : points) (p.bytes <= packet ? within : beyond).push_back(p);
    if (within.size() < least_points || beyond.size() < least_points) continue;
    LineFit first = weighted(within);
    const double end = first.startup + first.per_byte * packet;
    double top = 0, bottom = 0;  // of the slope, relative weights
    for (const auto& p : beyond) {
      double x = p.bytes / packet - 1, w = 1 / (p.ns * p.ns);
      top += w * x * (p.ns - end), bottom += w * x * x;
    }
    const double per_packet = bottom > 0 ? top / bottom : -1, prepare = per_packet - first.per_byte * packet;
    if (first.startup <= 0 || first.per_byte <= 0 || prepare <= 0) continue;
    PacketLaw law{packet, 0, first.startup, 0, first.per_byte, prepare, 0};
    double squares = 0;
    for (const auto& p : points) {
      double ns = p.bytes <= packet ? first.startup + first.per_byte * p.bytes : end + (p.bytes / packet - 1) * per_packet;
      squares += std::pow(ns / p.ns - 1, 2);
    }
    law.error = std::sqrt(squares / static_cast<double>(points.size()));
    if (!best || law.error < best->error) best = law;
  }
  constexpr double poor = 0.3;  // a law this far off is none
  return best && best->error < poor ? best : std::nullopt;
}

}  // namespace perfcast::characterize

#include "methods/tree/monotone.h"

#include <algorithm>
#include <cmath>

#include "base/powers.h"

namespace perfcast::tree {
namespace {

constexpr int eighths = 8;  // of an octave: the finest steps at which a time is looked for

// A factor as 2 to the power of `step` eighths, and what it takes.
struct Place {
  int step = 0;
  double seconds = 0;
  double factor() const { return two_to_the(static_cast<double>(step) / eighths); }
};

MonotoneTime found(const Place& place) { return {place.seconds, place.factor()}; }

}  // namespace

std::optional<MonotoneTime> monotone_time(double now, double factor, const TimeAt& time_at) {
  const int way = factor < 1 ? -1 : 1;
  const double wanted = eighths * std::log2(factor);
  auto reached = [&](int step) { return way * step >= way * wanted - 1e-9; };
  // Between the times of two other places.
  auto look = [&](int step, double one, double other) -> std::optional<Place> {
    Place place{step, 0};
    auto seconds = time_at(place.factor());
    if (!seconds) return {};
    place.seconds = std::clamp(*seconds, std::min(one, other), std::max(one, other));
    return place;
  };
  const double endless = way > 0 ? 0 : HUGE_VAL;
  Place near{0, now}, far = near;
  while (!reached(far.step)) {
    auto next = look(far.step + way * eighths, far.seconds, endless);
    if (!next && far.step == 0) return {};
    if (!next) return found(far);  // as far as can be told
    near = far, far = *next;
  }
  while (std::abs(far.step - near.step) > 1 && std::abs(far.step - wanted) > 1e-9) {
    auto middle = look((near.step + far.step) / 2, near.seconds, far.seconds);
    if (!middle) break;
    (reached(middle->step) ? far : near) = *middle;
  }
  if (std::abs(far.step - wanted) <= 1e-9 || far.step == near.step) return found(far);
  const double part = (1 / factor - 1 / near.factor()) / (1 / far.factor() - 1 / near.factor());
  MonotoneTime result = found(part < 0.5 ? near : far);
  result.seconds = near.seconds + part * (far.seconds - near.seconds);
  return result;
}

}  // namespace perfcast::tree

// How the reuse distances of one access grow with a parameter. Distances are powers of the size: what lies between two touches
// is a constant, a row, a plane. Each bin of the histogram at the recorded size gets its power from the histograms of the same
// access at smaller sizes:
//
//   where the distances at the same quantile give the same power at all of them, that is it;
//   else (the shares of near and far touches differ between sizes, as edges and alignment have it) the whole power for which most
//   touches of the smaller runs lie where the bin would have been there;
//   else the slope to the smallest size.
#pragma once

#include <optional>
#include <vector>

#include "record/access.h"

namespace perfcast::engine {

// The same histogram at a smaller size.
struct SmallerReuse {
  double ratio = 1;  // recorded size over this one
  const std::vector<DistanceBin>* bins = nullptr;
};

// The power with which something grows between two sizes; 0 where it hardly changes, never negative, at most 3. A few lines or
// pages more (`few`) are no growth: that is how many arrays a loop walks, and how their edges fall.
double growth_power(double now, double then, double size_ratio, double few = 0);

// A power for each bin; `most`: no distance outgrows the memory that is touched.
std::vector<double> growth_powers(const std::vector<DistanceBin>& bins, const std::vector<SmallerReuse>& smaller, double most = 3);

// The bins with the parameter `factor` times as large. Short ones that become long are streams as often as the long ones are;
// `otherwise` where there are none. Scattered touches that looked like streams among little data are so ever less.
void grow_lines(std::vector<DistanceBin>& bins, const std::vector<SmallerReuse>& smaller, double factor, double most, double otherwise = 0);

// Of pages: a walk whose steps grow by `step_growth` meets a new page more often, until every step does; and there are no more
// pages between two touches than lines (`lines`: of the same access, grown).
void grow_pages(std::vector<DistanceBin>& bins, const std::vector<SmallerReuse>& smaller, double factor, double most, double step_growth,
                const std::vector<DistanceBin>& lines);

}  // namespace perfcast::engine

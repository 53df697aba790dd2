// The files of `perfcast scale` besides the equation: runs, regressions, static problems, sorting.
#include <algorithm>
#include <cmath>

#include "base/statistics.h"
#include "record/regression.h"
#include "record/static_model.h"

namespace perfcast {

PERFCAST_RECORD_FILE(, TimedRuns)
PERFCAST_RECORD_FILE(, Regression)
PERFCAST_RECORD_FILE(, StaticProblem)
PERFCAST_RECORD_FILE(, SortingStudy)

double Regression::predict(const std::map<std::string, double>& counts) const {
  double seconds = 0;
  for (const CostEstimate& cost : costs)
    if (auto it = counts.find(cost.name); it != counts.end()) seconds += cost.seconds * it->second;
  return seconds;
}

std::array<double, 2> Regression::interval(double predicted, double confidence, bool calibrated) const {
  // As many degrees of freedom as there are programs: runs of one program are alike.
  double factor = std::exp(student_t(confidence, std::max(2, programs - 1)) * (calibrated ? calibrated_spread : left_out_spread));
  return {predicted / factor, predicted * factor};
}

}  // namespace perfcast

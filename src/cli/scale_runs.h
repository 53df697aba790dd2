// Timed runs for `perfcast scale`: small sizes that calibrate, asked-for sizes that check, and files of runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/process.h"
#include "methods/scale/scale.h"
#include "record/regression.h"

namespace perfcast::cli {

// Times the program at settings of its parameters (and P, for programs with threads or ranks). Built once.
class SizedTimer {
 public:
  SizedTimer(const Profile& profile, const RunLimits& limits) : profile_(profile), limits_(limits) {}
  // None: this size could not be timed; a remark has said why.
  std::optional<double> operator()(const scale::Setting& set);

 private:
  struct Built;
  const Profile& profile_;
  RunLimits limits_;
  std::shared_ptr<Built> built_;
};

// A few sizes up to the recorded one, spaced evenly in their logarithms; those that the program refused are passed over.
Result<std::vector<EquationPoint>> time_small_sizes(const Profile& profile, SizedTimer& timer);

// Runs of this program in a file, as points; an error when it has none.
Result<std::vector<EquationPoint>> runs_of(const std::string& file, const Profile& profile);
// Adds the points, with what the program executes there, to the file; runs of the same program at the same size are replaced.
Status save_runs(const std::string& file, const Profile& profile, const std::string& machine, const std::vector<EquationPoint>& points);

}  // namespace perfcast::cli

// The one sum of every model: count x cost over the blocks of a program, kept apart by resource, function, line and
// region.
//
// Errors of a resource's cost are the same error wherever it is used, so within a resource standard deviations add;
// between resources variances add. For the linear model this is equation (6.1) of Saavedra 1988:
// var T = sum of n_i^2 var P_i, with n_i the executions of operation i in the whole program.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "record/prediction.h"
#include "record/profile.h"

namespace perfcast::predict {

// What one execution of a block takes of one resource.
struct Share {
  std::string resource;
  double units = 0;    // how many operations
  double seconds = 0;  // for all of them
  double sd = 0;       // standard deviation of `seconds`
};

class BlockSum {
 public:
  explicit BlockSum(const std::vector<Region>& regions) : regions_(regions) {}

  void add(const Function& function, const Block& block, std::span<const Share> shares);
  // Something outside all blocks: starting the process, library calls without a place.
  void add_outside(const Share& share);
  // Where a part of what was added outside takes its time.
  void show_at(const Function& function, const Block& block, double seconds);

  double seconds() const;
  double variance() const;
  // Fills seconds, sd, parts and views (largest first).
  void store(ModelPrediction& prediction) const;

 private:
  struct Amount {
    double units = 0, seconds = 0, sd = 0;
  };
  using Amounts = std::map<std::string, Amount>;
  void view(const Function& function, const Block& block, double executions, double seconds);
  static std::vector<Part> parts_of(const Amounts& amounts, bool with_deviation);

  const std::vector<Region>& regions_;
  Amounts resources_;
  std::map<std::string, Amounts> views_;
};

}  // namespace perfcast::predict

// How long will it take there? Six ways to cost the blocks of a program, side by side, each with an interval.
//
// A prediction is always the sum over blocks of count x cost(block | machine, model) (Papaefstathiou et al. 1994,
// section 3): one sum, several ways to cost a block. See README.md for the ladder of models.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record/machine.h"
#include "record/prediction.h"
#include "record/profile.h"

namespace perfcast::predict {

struct PredictOptions {
  std::vector<Model> models;           // empty: the most detailed one that this profile and machine allow
  double confidence = 0.9;             // of the intervals
  std::map<std::string, double> set;   // parameters other than those of the recorded run (counts as expressions)
  bool alone = false;                  // on a core nobody else uses, whatever the machine file says of neighbours
  std::optional<MeasuredTime> timed;   // the program timed here: the answer of `ct`, and kept in the record
};

// Every model on every machine. A model that cannot answer is listed in `refused` with its reason; only when none can
// is this an error.
Result<Prediction> predict(const Profile& profile, std::span<const Machine> machines, const PredictOptions& options = {});

}  // namespace perfcast::predict

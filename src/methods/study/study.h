// How much of a prediction's error is the resource model's own? (Papaefstathiou et al. 1994, section 5.2)
//
// A prediction errs by its resource model, by the approximations of the execution graph, by the parallel template and the
// communication model. Component timing has no resource model, so its error holds all the others; subtracting it leaves
// the error of the model alone.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "record/prediction.h"
#include "record/study.h"

namespace perfcast::study {

// One program at one size, with all that is known of it.
struct StudyInput {
  std::string name;
  Prediction prediction;              // every model that can answer, with views "region" or "function"
  double measured = 0;                // seconds of the whole program
  std::map<std::string, double> components;  // component timing by node, seconds; empty: not timed
  std::string view = "region";        // what a node is: "region" or "function"
};

struct StudyOptions {
  double least_share = 0.01;  // nodes that take less of the time are not listed
};

StudyCase study_case(const StudyInput& input, const StudyOptions& options = {});
Study study(std::span<const StudyInput> inputs, const std::string& machine, const StudyOptions& options = {});

// Mean, sample standard deviation, bounds, and the 90 % interval of the mean with the normal quantile, as table 7 has it.
ErrorStatistics error_statistics(std::span<const double> errors);

}  // namespace perfcast::study

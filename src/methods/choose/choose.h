// Which machine should run these programs? Predictions of all programs on all machines, with prices and a deadline,
// become one table and three answers: the fastest, the cheapest, and the best performance for the money.
//
// Performance per cost is Clement's phi (1994, section 5.4): with a price by the hour, cost is time x price, so
// phi = 1 / (time^2 x price) up to a constant.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "record/choice.h"
#include "record/prediction.h"

namespace perfcast::choose {

struct ChooseOptions {
  std::map<std::string, double> price_per_hour;  // by machine
  std::optional<double> deadline_seconds;        // for all programs, one after the other
};

// `machines` in the order in which they were asked for: gains are relative to the first. Of several models of a
// prediction the most detailed one that answered for the machine counts.
Choice choose(std::span<const Prediction> programs, std::span<const std::string> machines, const ChooseOptions& options = {});

// The most detailed answer for a machine; null when every model refused.
const ModelPrediction* answer_for(const Prediction& program, const std::string& machine);

}  // namespace perfcast::choose

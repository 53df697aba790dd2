// A prediction as people read it: every model and machine with its interval, then where the time goes.
#pragma once

#include <set>
#include <string>

#include "record/prediction.h"

namespace perfcast::report {

struct PredictionView {
  std::string breakdown = "operation";   // or "function", "line", "region", "none"
  bool distribution = false;             // shares of the time side by side for all machines (Saavedra table 7.3)
  std::size_t rows = 20;                 // of a breakdown; the rest is one line
  std::set<std::string> elsewhere;       // machines that the measured time says nothing about
};

std::string prediction_text(const Prediction& prediction, const PredictionView& view = {});

}  // namespace perfcast::report

// The models behind the door: each turns a profile and a machine into a time, or says why it cannot.
#pragma once

#include <expected>
#include <string>

#include "methods/predict/predict.h"

namespace perfcast::predict {

// The prediction, or the reason why this model has no answer for this profile on this machine.
using Answer = std::expected<ModelPrediction, std::string>;
using AnswerFunction = Answer(const Profile&, const Machine&, const PredictOptions&);

AnswerFunction answer_dbc, answer_poc, answer_hllc, answer_intcc, answer_icc, answer_ct;

}  // namespace perfcast::predict

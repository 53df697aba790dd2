// Has this change made the program slower? Two profiles, costed by one model on one machine; no clock is read, so the
// same two versions give the same answer on every run and every host.
//
// What is counted exactly (blocks, instructions, calls) is compared; what a profile only samples (reuse distances,
// mispredictions, page faults) differs a little between two runs of one program and is taken out first, unless asked
// for.
#pragma once

#include "record/gate.h"
#include "record/prediction.h"
#include "record/profile.h"

namespace perfcast::gate {

struct GateOptions {
  double limit = 0.03;        // the whole may grow by this fraction
  bool sampled = false;       // the predictions hold sampled parts too
  double least_share = 1e-4;  // functions that changed by less than this share of the whole are left out
};

// The profile without what was sampled.
Profile counted_part(Profile profile);

// Without the start of the process: the same whatever the program does, and of a short benchmark nearly all of the time.
ModelPrediction without_start(ModelPrediction prediction);

// Both predictions are of one model on one machine.
Result<Gate> compare(const ModelPrediction& base, const ModelPrediction& candidate, const GateOptions& options = {});

}  // namespace perfcast::gate

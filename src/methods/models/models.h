// Which resource model should I use? The classification of Papaefstathiou et al. 1994 (section 3, table 2) as data, and
// the choice it is meant for: the most accurate model among those that what the user has allows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/machine.h"
#include "record/model_overview.h"
#include "record/profile.h"
#include "record/validation.h"

namespace perfcast::models {

// What the user has: a program in some form, a compiler, a machine file, the machine itself.
struct Available {
  bool any_program = false;  // without one nothing is judged
  bool design = false, source = false, binary = false;
  bool compiler = false;     // LLVM's, for the IR and machine levels
  bool runs_here = false;    // the machine asked about is this one
  const Profile* profile = nullptr;
  const Machine* machine = nullptr;
  bool code_of_steps = false;  // the profile is of code that stands for steps of the design
};

struct ModelsOptions {
  Available have;
  std::optional<Validation> seen;  // errors of the models on the user's own machine
};

// The six models from the least to the most detailed.
const std::vector<ModelFacts>& classification();

ModelOverview overview(const ModelsOptions& options = {});

}  // namespace perfcast::models

// From timings to a core: what the instruction benchmarks say is written into the model of a core of the same family,
// and where they contradict it, it is changed. Pure: works on kept timings as well as on fresh ones.
#pragma once

#include <string>
#include <vector>

#include "methods/characterize/instructions/described_forms.h"
#include "methods/characterize/instructions/run_benchmarks.h"
#include "record/core.h"
#include "record/gap.h"

namespace perfcast::instructions {

// What the benchmarks say of a form, in cycles. A latency has its helpers still in it.
struct FormTiming {
  std::optional<Measurement> latency, accumulate, throughput;
};
FormTiming timing_of(const Timings& timings, const Form& form);

struct FittedCore {
  CoreModel core;
  std::vector<Gap> gaps;                 // what could not be measured
  std::vector<std::string> changes;      // where the measurement contradicted the family's model
};
// How much the core one starts from says of the one measured. Of the same family its sizes are about right, and what is far
// from them is a disturbance; a usual core's are nothing but an order of magnitude.
enum class Frame { family, usual };
FittedCore fit_core(const CoreModel& start, Frame frame, const FormTable& table, const DescribedForms& described,
                    const Timings& timings);

}  // namespace perfcast::instructions

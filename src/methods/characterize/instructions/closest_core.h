// A processor of no known family still resembles one: which bundled core's ports explain its streams best?
#pragma once

#include "methods/characterize/instructions/families.h"
#include "methods/characterize/instructions/fit_core.h"

namespace perfcast::instructions {

// Root mean square of ln(told by the core / measured) over the streams of single forms; infinity when none was measured.
double distance_of(const CoreModel& core, const FormTable& table, const DescribedForms& described, const Timings& timings);

struct ClosestCore {
  std::string name;  // "zen4"
  CoreModel core;
};
// Of the bundled cores of these names; the first where nothing decides.
Result<ClosestCore> closest_core(const std::vector<std::string>& names, const std::string& isa, const FormTable& table, const DescribedForms& described,
                                 const Timings& timings);
// What a processor's measurements are written into: the core of its family; where there is none, the closest of all bundled.
Result<ClosestCore> starting_core(const Family& family, const std::string& isa, const FormTable& table, const DescribedForms& described, const Timings& timings);

}  // namespace perfcast::instructions

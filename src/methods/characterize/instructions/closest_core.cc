#include "methods/characterize/instructions/closest_core.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "methods/characterize/instructions/fitting.h"

namespace perfcast::instructions {
namespace {

// Cycles between two copies of an instruction that wait for nothing but slots and ports.
double stream_cycles(const engine::StaticInstruction& one, double rename_width) {
  double cycles = one.slots / rename_width;
  for (const auto& widest : one.micro_ops) {
    double inside = 0;
    for (const auto& op : one.micro_ops)
      if (!(op.ports & ~widest.ports)) inside += op.occupancy;
    cycles = std::max(cycles, inside / std::max(1, std::popcount(widest.ports)));
  }
  return cycles;
}

}  // namespace

double distance_of(const CoreModel& core, const FormTable& table, const DescribedForms& described, const Timings& timings) {
  constexpr double most = 1;  // of a single form: divisions and microcode say nothing of the ports
  const Fitting frame(core, table, described, timings);
  double squares = 0, forms = 0;
  for (const Form& form : table.forms) {
    const auto resolved = frame.resolved.find(form.name);
    const auto cycles = timings.cycles("stream/" + form.name);
    if (form.dependent || resolved == frame.resolved.end() || !cycles || *cycles <= 0) continue;
    const double told = stream_cycles(resolved->second, core.front_end.rename_width.value);
    if (told <= 0) continue;
    squares += std::pow(std::clamp(std::log(told / *cycles), -most, most), 2), forms++;
  }
  return forms > 0 ? std::sqrt(squares / forms) : std::numeric_limits<double>::infinity();
}

Result<ClosestCore> closest_core(const std::vector<std::string>& names, const std::string& isa, const FormTable& table, const DescribedForms& described,
                                 const Timings& timings) {
  ClosestCore closest;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& name : names) {
    TRY(auto core, frame_of({name, ""}, isa));
    const double distance = distance_of(core, table, described, timings);
    if (closest.name.empty() || distance < least) closest = {name, std::move(core)}, least = distance;
  }
  return closest;
}

Result<ClosestCore> starting_core(const Family& family, const std::string& isa, const FormTable& table, const DescribedForms& described, const Timings& timings) {
  if (family.core.empty()) {
    TRY(const auto names, cores_of(isa));
    return closest_core(names, isa, table, described, timings);
  }
  TRY(auto core, frame_of(family, isa));
  return ClosestCore{family.core, std::move(core)};
}

}  // namespace perfcast::instructions

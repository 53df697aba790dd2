// What the core does on the way that it wrongly believed a branch to take: until the branch is known, it asks memory for
// the lines of that way. If the right way needs them too, as behind an `if` that both ways lead past, they are already coming.
// If not, as behind the end of a search, waiting begins anew.
#include <algorithm>

#include "engine/pipeline.h"

namespace perfcast::engine {
namespace {
constexpr double never = 1e18;
}

int Pipeline::begin_wrong_way() {
  right_registers_ = registers_, right_values_ = values_;
  wrong_renamed_ = 0;
  return static_cast<int>(std::min((wrong_until_ - wrong_from_) * rename_width_, static_cast<double>(reorder_.size())));
}

void Pipeline::go_wrong(const StaticInstruction& instruction, double extra_load_cycles) {
  const double renamed = wrong_from_ + static_cast<double>(++wrong_renamed_) / rename_width_;
  address_known_ = instruction.address.known;
  if (address_known_) address_ = values_.address_of(instruction);
  read_sources(instruction);
  double ready = std::max(renamed, operands_ready_) + 1;
  if (instruction.load) {
    const double start = std::max(renamed, address_ready_) + 1;
    loaded_ = start < wrong_until_ ? start + instruction.load_latency : never;
    if (loaded_ < never && address_known_) ask_for_line(extra_load_cycles);
    ready = std::max(ready, loaded_);
  }
  for (const Destination& result : instruction.results)
    registers_[static_cast<std::size_t>(result.unit)] = {result.address_update ? std::max(renamed, address_ready_) + 1 : ready, instruction.kind, false};
  track_values(instruction);
}

// As wait_for_line, but who comes here the right way does not ask again, also where the line was in the first cache.
void Pipeline::ask_for_line(double extra_cycles) {
  Fill& fill = fill_of(address_);
  const std::uint64_t line = line_of(address_);
  if (fill.line == line && (fill.asked_wrongly || fill.arrives > loaded_)) {
    loaded_ = std::max(loaded_, fill.arrives);
    return;
  }
  loaded_ += extra_cycles;
  fill = {line, loaded_, true};
}

void Pipeline::end_wrong_way() { std::swap(registers_, right_registers_), std::swap(values_, right_values_); }

}  // namespace perfcast::engine

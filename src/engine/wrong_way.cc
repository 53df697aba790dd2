// What the core does on the way that it wrongly believed a branch to take: until the branch is known, it asks memory for
// the lines of that way. If the right way needs them too, as behind an `if` that both ways lead past, they are already coming.
// If not, as behind the end of a search, waiting begins anew.
#include <algorithm>

#include "engine/pipeline.h"

namespace perfcast::engine {
namespace {
constexpr double never = 1e18;
}

void Pipeline::begin_wrong_way() {
  right_registers_ = registers_, right_values_ = values_;
  wrong_room_ = reorder_.size();
}

bool Pipeline::go_wrong(const StaticInstruction& instruction, double extra_load_cycles) {
  wrong_now_ += 1.0 / rename_width_, wrong_room_--;
  address_known_ = instruction.address.known;
  if (address_known_) address_ = values_.address_of(instruction);
  read_sources(instruction);
  const double address_ready = std::max(wrong_now_, address_ready_) + 1;
  wrong_done_ = std::max(wrong_now_, operands_ready_) + 1;
  if (instruction.load) {
    loaded_ = address_ready < wrong_until_ ? address_ready + instruction.load_latency : never;
    if (loaded_ < never && address_known_) ask_for_line(instruction, extra_load_cycles);
    wrong_done_ = std::max(wrong_done_, loaded_);
  }
  for (const Destination& result : instruction.results)
    registers_[static_cast<std::size_t>(result.unit)] = {result.address_update ? address_ready : wrong_done_, instruction.kind, false};
  track_values(instruction);
  return wrong_done_ < wrong_until_;
}

// As wait_for_line, but who comes here the right way does not ask again, also where the line was in the first cache.
void Pipeline::ask_for_line(const StaticInstruction& instruction, double extra_cycles) {
  const std::uint64_t line = line_of(address_);
  Fill& fill = fill_of(line);
  const bool known = at_hand(fill, line), coming = fill.line == line && fill.arrives > loaded_;
  if (coming) loaded_ = fill.arrives;
  extra_cycles = due_at(instruction.place, known || coming, extra_cycles, owed_wrongly_);
  if (known || coming) return;
  if (extra_cycles > 0) loaded_ += extra_cycles;
  else wait_for_neighbour();
  fill = {line, loaded_, true, true, ++touched_};
}

void Pipeline::end_wrong_way() { std::swap(registers_, right_registers_), std::swap(values_, right_values_); }

}  // namespace perfcast::engine

#include "engine/pipeline.h"

#include <cmath>

namespace perfcast::engine {
namespace {

int whole(const std::optional<Measurement>& number) { return number ? static_cast<int>(std::lround(number->value)) : 0; }

// How far the front end may run ahead of rename, in cycles: the depth of the queue between them.
constexpr std::int64_t front_end_lead = 24;

}  // namespace

const char* name_of(Cause cause) {
  static constexpr std::array<const char*, causes> names = {"front end",   "window", "ports",
                                                            "dependences", "memory", "mispredictions"};
  return names[static_cast<std::size_t>(cause)];
}

// Bytes that are decoded in a cycle where nobody tells.
constexpr double usual_decoding = 16;

Pipeline::Pipeline(const CoreTables& tables, int register_units)
    : tables_(tables), ports_(tables), order_(whole(tables.core().memory.cautious_loads)), values_(register_units), registers_(static_cast<std::size_t>(register_units)),
      rename_width_(std::max(1, static_cast<int>(std::lround(tables.core().front_end.rename_width.value)))),
      fetch_width_(whole(tables.core().front_end.uops_per_cycle)),
      retire_width_(whole(tables.core().window.retire_width)), line_bytes_(tables.core().memory.line_bytes),
      decoded_again_(whole(tables.core().front_end.boundary_bytes)),
      decoded_bytes_(static_cast<std::uint64_t>(std::max(1.0, value_or(tables.core().front_end.decode_bytes, usual_decoding)))),
      replay_(whole(tables.core().front_end.replayed_taken_branches)),
      near_branches_(whole(tables.core().front_end.near_branches), whole(tables.core().front_end.near_branch_bytes)),
      store_cycles_(value_or(tables.core().memory.store_cycles, 0)),
      crossing_store_cycles_(value_or(tables.core().memory.crossing_store_cycles, store_cycles_)),
      crossing_load_later_(value_or(tables.core().memory.crossing_load_later, 1)), release_cycles_(value_or(tables.core().window.release_cycles, 0)),
      failed_forwarding_(value_or(tables.core().memory.failed_forwarding, 15)),
      narrow_forwarding_(value_or(tables.core().memory.narrow_forwarding, failed_forwarding_)),
      load_repeats_(whole(tables.core().memory.load_repeats)), alias_repeats_(whole(tables.core().memory.alias_repeats)),
      alias_cycles_(value_or(tables.core().memory.alias_cycles, 0)), waiting_load_(value_or(tables.core().memory.waiting_load, 0)),
      misprediction_(value_or(tables.core().branches.misprediction, assumed_misprediction)),
      wide_division_(value_or(tables.core().wide_division, 0)),
      reorder_(std::max(1, static_cast<int>(std::lround(tables.core().window.reorder_buffer.value)))),
      load_queue_(whole(tables.core().window.load_queue)), store_buffer_(whole(tables.core().window.store_buffer)),
      integer_registers_(whole(tables.core().window.integer_registers)),
      vector_registers_(whole(tables.core().window.vector_registers)), load_cycles_(load_ring) {
  const auto& core = tables.core();
  stack_sync_ = whole(core.rename.stack_sync);
  extra_within_ = whole(core.rename.extra_within);
  moves_kept_ = 1 - value_or(core.rename.eliminated_share, 1);
  double taken = value_or(core.front_end.taken_branches_per_cycle, 0);
  taken_spacing_ = taken > 0 ? 1 / taken : 0;
  far_spacing_ = std::max(taken_spacing_, value_or(core.front_end.far_branch, 0));
  replayed_spacing_ = std::min(taken_spacing_, 1 / std::max(1.0, value_or(core.front_end.replayed_taken_per_cycle, 1)));
  call_spacing_ = std::max(taken_spacing_, value_or(core.branches.call_return, 0) / 2);
  indirect_spacing_ = std::max(taken_spacing_, value_or(core.branches.indirect_jump, 0));
  changing_spacing_ = std::max(indirect_spacing_, value_or(core.branches.changing_jump, 0));
  // A load that crosses lines costs so many cycles when they stand alone: as micro-operations on the load ports.
  int load_ports = std::max(1, std::popcount(tables.load_ports));
  double crossing = value_or(core.memory.crossing_load_cycles, 0);
  crossing_load_ops_ = std::max(0, static_cast<int>(std::lround(crossing * load_ports)) - 1);
}

Share Pipeline::step(const StaticInstruction& instruction, const Happening& happening,
                     const StaticInstruction* next) {
  if (jumped_) *jumped_ = {&instruction, jumped_->to && jumped_->to != &instruction}, jumped_ = nullptr;
  bool second_of_pair = fused_with_previous_;
  bool fuses = !second_of_pair && next && fuse(instruction, *next);
  brings_ = fuses && !next->branch;
  fused_with_previous_ = fuses;
  int slots = second_of_pair ? 0 : instruction.slots;
  if (decoded_again_.any() && !second_of_pair) decode(instruction, fuses && !brings_ ? *next : instruction);
  if (stack_sync_) know_stack(instruction);
  deliver(second_of_pair ? 0 : fuses ? 1 : instruction.fetch_slots);
  if (instruction.comes_apart && slots && extra_within_ && renamed_ >= extra_within_) renamed_ = rename_width_;  // waits for the next group
  rename(slots);
  wait_for_window(instruction);
  done_ = static_cast<double>(rename_cycle_) + 1, done_cause_ = rename_cause_;
  address_known_ = instruction.address.known || happening.address;
  if (address_known_) address_ = happening.address ? *happening.address : values_.address_of(instruction);
  read_sources(instruction);
  if (instruction.eliminated || instruction.zero_idiom || (instruction.folded && !fuses)) {
    finish_at_rename(instruction);
  } else {
    loaded_ = 0, loaded_memory_ = false;
    if (instruction.load) do_load(instruction, happening);
    do_compute(instruction, happening, fuses && !brings_);
    write_results(instruction, fuses && !brings_);
    if (instruction.store) do_store(instruction);
    if (instruction.leaves_return || instruction.takes_return) use_return_address(instruction);
  }
  track_values(instruction);
  if (instruction.branch) do_branch(instruction, happening);
  return retire(instruction, slots);
}

void Pipeline::pass(const StaticInstruction& instruction, bool begins) {
  anywhere_ = !begins;
  address_known_ = instruction.address.known;
  if (address_known_) address_ = values_.address_of(instruction);
  if (instruction.store && address_known_) remember(instruction, {});
  track_values(instruction);
  anywhere_ = false;
}

// ------------------------------------------------------------------------------------ front end and rename

void Pipeline::wait_until(double time, Cause cause) {
  if (time <= static_cast<double>(rename_cycle_)) return;
  rename_cycle_ = static_cast<std::int64_t>(std::ceil(time)), renamed_ = 0, rename_cause_ = cause;
}

// Groups of at most fetch_width_ micro-operations per cycle; a taken branch ends a group.
void Pipeline::deliver(int slots) {
  if (!fetch_width_ || !slots) return;
  for (int k = 0; k < slots; k++) {
    if (fetched_ >= fetch_width_) fetch_cycle_++, fetched_ = 0;
    fetched_++;
  }
  if (fetch_cycle_ < rename_cycle_ - front_end_lead)
    fetch_cycle_ = rename_cycle_ - front_end_lead, fetched_ = std::min(fetched_, slots);
  wait_until(static_cast<double>(fetch_cycle_), Cause::front_end);
}

// Code that is decoded each time is renamed no sooner than its last byte has come. What was kept decoded and what was not are not renamed
// together. `last`: what the instruction is fused to, or itself.
void Pipeline::decode(const StaticInstruction& instruction, const StaticInstruction& last) {
  const std::uint64_t end = last.place + static_cast<std::uint64_t>(last.size);
  if (last.branch) decoded_again_.jump(instruction.place, end);
  const bool again = decoded_again_.holds(instruction.place), goes_on = again && decoding_from_ && instruction.place == decoded_to_;
  const bool changes = (again || decoding_from_) && !goes_on;
  if (changes && renamed_ > 0) wait_until(static_cast<double>(rename_cycle_) + 1, Cause::front_end);
  if (!again) return decoding_from_.reset();
  if (!goes_on) decoding_from_ = rename_cycle_, decoded_before_ = instruction.place / decoded_bytes_;
  decoded_to_ = end;
  const std::uint64_t cycles = (end - 1) / decoded_bytes_ - decoded_before_;
  wait_until(static_cast<double>(*decoding_from_ + static_cast<std::int64_t>(cycles)), Cause::front_end);
}

// Pushes, pops, calls and returns move the stack pointer where nothing waits for it; who names it next has it told first.
void Pipeline::know_stack(const StaticInstruction& instruction) {
  if (instruction.moves_stack) {
    stack_moved_ = true;
  } else if (instruction.names_stack && stack_moved_) {
    for (int k = 0; k < stack_sync_; k++) take_slot();
    stack_moved_ = false;
  }
}

void Pipeline::take_slot() {
  if (renamed_ >= rename_width_) rename_cycle_++, renamed_ = 0, rename_cause_ = Cause::front_end;
  renamed_++;
}

void Pipeline::rename(int slots) {
  for (int k = 0; k < slots; k++) {
    if (reorder_.oldest() < 1e17) wait_until(reorder_.oldest(), Cause::window);  // else: its own entry
    take_slot();
    reorder_.push(1e18);
  }
}

void Pipeline::wait_for_window(const StaticInstruction& instruction) {
  auto wait = [&](const Ring& ring) { if (ring.limited()) wait_until(ring.oldest(), Cause::window); };
  if (instruction.load || instruction.takes_return) wait(load_queue_);
  if (instruction.store || instruction.leaves_return) wait(store_buffer_);
  if (instruction.writes_integer) wait(integer_registers_);
  if (instruction.writes_vector) wait(vector_registers_);
}

// ------------------------------------------------------------------------------------ operands and issue

void Pipeline::read_sources(const StaticInstruction& instruction) {
  address_ready_ = operands_ready_ = 0, restricted_ = 0, late_ = 0, address_memory_ = operands_memory_ = false;
  loaded_since_ = Since::other;
  for (const Source& source : instruction.sources) {
    const Value& value = registers_[static_cast<std::size_t>(source.unit)];
    double time = value.time - source.later;
    if (value.kind) {
      const Bypass& bypass = tables_.bypass(value.kind, instruction.kind);
      if (bypass.present && (source.accumulator || !bypass.accumulator_only)) {
        if (bypass.delays_result) late_ = std::max(late_, bypass.cycles);
        else time += bypass.cycles;
        if (bypass.ports && value.time > static_cast<double>(rename_cycle_) + 1) restricted_ |= bypass.ports;
      }
    }
    if (!source.address) loaded_since_ = std::max(loaded_since_, value.since);
    if (source.address) {
      if (time > address_ready_) address_ready_ = time, address_memory_ = value.memory;
    } else if (time > operands_ready_) {
      operands_ready_ = time, operands_memory_ = value.memory;
    }
  }
}

// The cycle in which an operation starts. A latency need not be whole: when only its operands delay an operation,
// the fraction is kept, so that a chain advances by the measured average.
Pipeline::Issue Pipeline::issue(const MicroOp& op, double ready, bool memory, std::uint32_t restricted,
                                const std::uint64_t* address) {
  std::uint32_t mask = op.ports;
  if (restricted & mask) mask &= restricted;
  int queue = ports_.choose_queue(mask, rename_cycle_);
  if (queue >= 0) wait_until(static_cast<double>(ports_.room(queue, rename_cycle_)), Cause::window);
  std::uint32_t bound = 0;
  if (tables_.core().bind_ports_at_rename && queue >= 0 && op.part == Part::compute)
    mask = bound = ports_.bind(mask, rename_cycle_, renamed_);
  double earliest = static_cast<double>(rename_cycle_) + 1;
  Cause cause = rename_cause_;
  if (ready > earliest) earliest = ready, cause = memory ? Cause::memory : Cause::dependences;
  auto from = static_cast<std::int64_t>(std::ceil(earliest));
  std::int64_t at = address ? ports_.take(mask, op.occupancy, 0, from, [&](std::int64_t t) { return bank_free(t, *address); })
                            : ports_.take(mask, op.occupancy, op.result_after, from);
  if (address) note_load(at, *address);
  ports_.entered(queue, bound, at);
  if (at > from) return {static_cast<double>(at), Cause::ports};
  return {earliest, cause};
}

void Pipeline::done_at(double time, Cause cause) {
  if (time > done_) done_ = time, done_cause_ = cause;
}

// Zero idioms, eliminated moves and folded additions never reach a port.
void Pipeline::finish_at_rename(const StaticInstruction& instruction) {
  double now = static_cast<double>(rename_cycle_);
  Value passed{operands_ready_, 0, operands_memory_, loaded_since_};
  if (instruction.eliminated)
    for (const Source& source : instruction.sources)
      if (const Value& value = registers_[static_cast<std::size_t>(source.unit)]; value.kind) passed.kind = value.kind;
  if (instruction.eliminated && !brings_) moves_due_ += moves_kept_;
  if (instruction.eliminated && moves_due_ >= 1) moves_due_ -= 1, passed.time = std::max(passed.time, now + 1) + 1;
  if (instruction.zero_idiom) passed = {};
  if (instruction.folded) passed.kind = tables_.folded_result;
  for (const Destination& result : instruction.results) {
    Value& value = registers_[static_cast<std::size_t>(result.unit)];
    value = passed;
    if (result.flags && instruction.folded) value.kind = 0, value.time = std::max(passed.time, now) + 1;
  }
  done_at(passed.time, passed.memory ? Cause::memory : Cause::dependences);
}

// ------------------------------------------------------------------------------------ the parts

void Pipeline::do_compute(const StaticInstruction& instruction, const Happening& happening, bool fused) {
  double ready = operands_ready_;
  bool memory = operands_memory_;
  if (instruction.load && loaded_ > ready) ready = loaded_, memory = loaded_memory_;
  computed_ = ready;
  operands_memory_ = memory;
  if (instruction.updates_address)  // waits for the old address, not for the data
    for (const MicroOp& op : instruction.micro_ops)
      if (op.part == Part::address_update) issue(op, address_ready_, address_memory_, 0, nullptr);
  if (fused || !instruction.computes) return;  // of a fused pair the second does the work
  computed_ = 0;
  const bool wide = wide_division_ > 0 && instruction.upper_half >= 0 && values_.at(instruction.upper_half) != 0;
  if (wide && !instruction.results.empty()) late_ = std::max(late_, wide_division_ - instruction.results.front().latency);
  std::uint32_t before = ~0u;  // of several operations on the same ports the first counts: latency covers the others
  for (const MicroOp& op : instruction.micro_ops) {
    if (op.part != Part::compute) continue;
    MicroOp there = op;
    if (instruction.branch && happening.taken && tables_.taken_ports) there.ports = tables_.taken_ports;
    if (wide && op.occupancy > 1) there.occupancy = std::max(op.occupancy, static_cast<int>(wide_division_));
    Issue one = issue(there, ready, memory, restricted_, nullptr);
    if (op.ports != before && one.time >= computed_) computed_ = one.time;
    before = op.ports;
    done_at(one.time + 1, one.cause);
  }
}

void Pipeline::write_results(const StaticInstruction& instruction, bool fused) {
  double now = static_cast<double>(rename_cycle_) + 1;
  Cause cause = done_cause_;
  for (const Destination& result : instruction.results) {
    Value value{0, instruction.kind, operands_memory_};
    // Of a call through memory the stack pointer does not wait for the target.
    if (result.address_update) value = {std::max(instruction.branch ? operands_ready_ : address_ready_, now) + result.latency, 0, address_memory_};
    else if (fused && result.flags) value.time = std::max(computed_, now) - 1;  // the branch needs the sources only
    else if (fused) value.time = instruction.folded ? computed_ : std::max(computed_, now) + 1;
    else if (instruction.computes) value.time = computed_ + result.latency + late_, value.since = changed(instruction, result);
    else if (instruction.load) value = {std::max(loaded_, operands_ready_ + 1), 0, loaded_memory_, Since::loaded};  // what is loaded into a part joins the rest
    else value.time = std::max(computed_, now) + result.latency;
    registers_[static_cast<std::size_t>(result.unit)] = value;
    if (!result.address_update) done_at(value.time, cause);
  }
}

// Loaded, by the instruction itself or the one before, and changed in a cycle.
Pipeline::Since Pipeline::changed(const StaticInstruction& instruction, const Destination& result) const {
  return result.latency <= 1 && (instruction.load || loaded_since_ == Since::loaded) ? Since::changed_at_once : Since::other;
}

void Pipeline::do_branch(const StaticInstruction& instruction, const Happening& happening) {
  if (happening.chosen) replay_.forget();
  if (happening.mispredicted) {
    wrong_now_ = static_cast<double>(rename_cycle_), wrong_until_ = std::max(computed_, wrong_now_ + 1);
    double back = wrong_until_ + misprediction_ + (instruction.takes_return ? return_load : 0);
    wait_until(back, Cause::misprediction);
    decoding_from_.reset();
    mispredictions_++, restarted_ = rename_cycle_;
    fetch_cycle_ = rename_cycle_, fetched_ = 0;
    next_taken_ = std::max(next_taken_, static_cast<double>(rename_cycle_));
    return;
  }
  if (!happening.taken) return;
  decoding_from_.reset();
  const Replay::Place place = replay_.after(&instruction);
  replayed_ = place != Replay::Place::outside;
  if (fetch_width_ && place != Replay::Place::inside) fetch_cycle_++, fetched_ = 0;
  const bool near = !near_branches_.limited() || near_branches_.know(instruction.place);
  double spacing = near ? taken_spacing_ : far_spacing_;
  if (instruction.indirect && !instruction.call && !instruction.ret) spacing = jump_spacing(instruction);
  else if (place == Replay::Place::inside) spacing = replayed_spacing_;
  else if (place == Replay::Place::outside && (instruction.call || instruction.ret)) spacing = call_spacing_;
  if (spacing <= 0) return;
  // The branch at hand was renamed; what follows it comes at least `spacing` after what followed the last one.
  next_taken_ = std::max(next_taken_ + spacing, static_cast<double>(rename_cycle_));
  wait_until(std::floor(next_taken_), Cause::front_end);
}

// Cycles to what follows a jump through a register: more where the place is another than the last time.
double Pipeline::jump_spacing(const StaticInstruction& instruction) {
  if (changing_spacing_ <= indirect_spacing_) return indirect_spacing_;
  jumped_ = &jumps_[&instruction];
  return jumped_->changes ? changing_spacing_ : indirect_spacing_;
}

// ------------------------------------------------------------------------------------ retirement

Share Pipeline::retire(const StaticInstruction& instruction, int slots) {
  double before = last_retired_;
  double at = std::max(done_, last_retired_);
  if (retire_width_ && slots) {
    auto cycle = static_cast<std::int64_t>(at);
    if (cycle > retire_cycle_) retire_cycle_ = cycle, retired_ = 0;
    retired_ += slots;  // those of one instruction need not go together
    if (const int later = (retired_ - 1) / retire_width_; later > 0) {
      retire_cycle_ += later, retired_ -= later * retire_width_;
      at = std::max(at, static_cast<double>(retire_cycle_));
    }
  }
  last_retired_ = at;
  const double free = at + release_cycles_;
  for (int k = 0; k < slots; k++) reorder_.set_back(k, free);
  if ((instruction.load || instruction.takes_return) && load_queue_.limited()) load_queue_.push(free);
  if (instruction.writes_integer && integer_registers_.limited()) integer_registers_.push(free);
  if (instruction.writes_vector && vector_registers_.limited()) vector_registers_.push(free);
  return {at - before, done_cause_};
}

}  // namespace perfcast::engine

// The part of the pipeline that reaches memory: loads and stores, what is forwarded between them, and the values that
// addresses are computed from (values.h).
#include <cmath>
#include <utility>

#include "engine/pipeline.h"

namespace perfcast::engine {
namespace {

// A stored value can still be forwarded for a while after it began to leave for the cache.
constexpr double commit_delay = 5;
// Addresses further apart than this are taken to be unrelated: nothing is known about their banks.
constexpr std::uint64_t related_bytes = 1 << 20;

}  // namespace

// ------------------------------------------------------------------------------------ loads and stores

void Pipeline::do_load(const StaticInstruction& instruction, const Happening& happening) {
  Issue start{static_cast<double>(rename_cycle_) + 1, rename_cause_};
  const bool banks = address_known_ && !tables_.core().memory.banks.empty() && !happening.stores_back && !stored_lately(address_);
  const double allowed = order_.allowed_from(instruction.place);
  for (const MicroOp& op : instruction.micro_ops)
    if (op.part == Part::load) {
      Issue one = issue(op, std::max(address_ready_, allowed), address_memory_, 0, banks ? &address_ : nullptr);
      if (one.time >= start.time) start = one;
    }
  auto bytes = static_cast<std::uint64_t>(std::max(1, instruction.memory_bytes));
  auto line = static_cast<std::uint64_t>(line_bytes_);
  if (address_known_ && crossing_load_ops_ && address_ / line != (address_ + bytes - 1) / line) {
    MicroOp again{tables_.load_ports, 1, Part::load};
    for (int k = 0; k < crossing_load_ops_; k++) issue(again, start.time, address_memory_, 0, nullptr);
    start.time += crossing_load_later_;
  }
  if (alias_cycles_ > 0 && (happening.aliases || happening.address)) start.time = behind_aliases(happening, bytes, start.time);
  loaded_ = start.time + instruction.load_latency;
  loaded_memory_ = start.cause == Cause::memory;
  const bool told = happening.stores_back || (address_known_ && stored_lately(address_));
  const StoreOrder::Store* met = order_.back(static_cast<std::uint64_t>((told ? happening.stores_back : happening.seen_back).value_or(0)));
  order_.loaded(instruction.place, met, std::max(address_ready_, static_cast<double>(rename_cycle_) + 1));
  const auto address = met ? met->address : happening.stores_back || !address_known_ ? std::nullopt : std::optional(address_);
  if (address) {
    bool renamed = false;
    double from_store = forwarded(instruction, *address, start.time, renamed);
    if (renamed) loaded_ = std::max(from_store, static_cast<double>(rename_cycle_) + 1), start.cause = Cause::dependences;
    else if (from_store > loaded_) loaded_ = from_store, start.cause = Cause::dependences;
  }
  if (wait_for_line(instruction, happening.extra_load_cycles)) loaded_memory_ = true, start.cause = Cause::memory;
  done_at(loaded_, start.cause);
}

// Which share of its executions a load waits for memory is known, not which ones: a search that looks at two neighbours in
// every other line waits at the first. A line that was just touched is at hand, so the wait is for the next one that was not.
// Where hardly any line is new, addresses only look alike, and the load waits where it was told to.
double Pipeline::due_at(std::uint64_t place, bool at_hand, double extra_cycles, Owed& all_owed) {
  constexpr std::size_t most_owed = 8;
  if (at_hand && extra_cycles > 0) {
    auto& owed = all_owed[place];
    if (owed.size() < most_owed) return owed.push_back(extra_cycles), 0;
  } else if (!at_hand && extra_cycles <= 0) {
    if (auto owed = all_owed.find(place); owed != all_owed.end() && !owed->second.empty()) {
      extra_cycles = owed->second.back();
      owed->second.pop_back();
    }
  }
  return extra_cycles;
}

// A line is fetched once: who asks for it while it is on its way waits for the rest of the way.
bool Pipeline::wait_for_line(const StaticInstruction& instruction, double extra_cycles) {
  if (extra_cycles <= 0 && fills_.empty()) return false;
  if (!address_known_) return loaded_ += extra_cycles, extra_cycles > 0;
  const std::uint64_t line = line_of(address_);
  Fill& fill = fill_of(line);
  const bool asked = fill.line == line && std::exchange(fill.asked_wrongly, false), known = asked || at_hand(fill, line);
  if (known && fill.waited_for) {  // one wait is over already, be it told now or owed from before
    if (asked) extra_cycles = due_at(instruction.place, false, extra_cycles, owed_);
    if (extra_cycles > 0) extra_cycles = 0, fill.waited_for = false;
  }
  extra_cycles = due_at(instruction.place, known, extra_cycles, owed_);
  if (fill.line == line && fill.arrives > loaded_) return loaded_ = fill.arrives, true;
  bool waits = extra_cycles > 0;
  if (waits) loaded_ += extra_cycles, fill = {line, loaded_, false, false, ++touched_};
  else if (!known) waits = wait_for_neighbour(), fill = {line, waits ? loaded_ : 0, false, false, ++touched_};
  return waits;
}

// What lies next to a line that is on its way is seldom there already: it comes with it, as such pairs are fetched.
bool Pipeline::wait_for_neighbour() {
  const std::uint64_t line = line_of(address_);
  for (std::uint64_t neighbour : {line - 1, line + 1})
    if (const Fill& fill = fill_of(neighbour); fill.line == neighbour && fill.arrives > loaded_)
      return loaded_ = fill.arrives, true;
  return false;
}

void Pipeline::do_store(const StaticInstruction& instruction) {
  double data_ready = instruction.load ? (instruction.computes ? computed_ + 1 : loaded_) : operands_ready_;
  bool computed_here = !instruction.load && instruction.computes;
  if (computed_here) data_ready = std::max(data_ready, computed_ + 1);
  double data = std::max(data_ready, static_cast<double>(rename_cycle_) + 1), address_known = 0;
  for (const MicroOp& op : instruction.micro_ops) {
    if (op.part != Part::store_address && op.part != Part::store_data) continue;
    bool is_address = op.part == Part::store_address;
    Issue one = issue(op, is_address ? address_ready_ : data_ready, is_address ? address_memory_ : operands_memory_, 0, nullptr);
    done_at(one.time + 1, one.cause);
    if (is_address) address_known = std::max(address_known, one.time + 1);
    else data = std::max(data, one.time);
  }
  const auto bytes = static_cast<std::uint64_t>(std::max(1, instruction.memory_bytes));
  const double retired = std::max(done_, last_retired_);
  leave_store_buffer(address_known_ ? std::optional(address_) : std::nullopt, bytes, retired);
  order_.store({address_known_ ? std::optional(address_) : std::nullopt, address_known, last_commit_ + commit_delay, bytes}, instruction.variable());
  if (!address_known_) return;
  const bool at_once = instruction.load ? instruction.computes : loaded_since_ == Since::changed_at_once;
  remember(instruction, {.data = data, .commit = last_commit_ + commit_delay, .leaves = retired, .mispredictions = mispredictions_, .changed_at_once = at_once, .not_renamed = ends_renaming(instruction)});
}

// Leaving the store buffer: in order, some at a time when they go to one line.
void Pipeline::leave_store_buffer(std::optional<std::uint64_t> address, std::uint64_t bytes, double retired) {
  const auto line_size = static_cast<std::uint64_t>(line_bytes_);
  const std::uint64_t line = address.value_or(0) / line_size, end = (address.value_or(0) + bytes - 1) / line_size;
  const bool crosses = address && line != end;
  const bool joins = address && !crosses && line == last_line_ && retired <= last_commit_ && together_ < tables_.core().memory.stores_per_line;
  together_ = joins ? together_ + 1 : 1;
  last_commit_ = std::max(last_commit_ + (joins ? 0 : crosses ? crossing_store_cycles_ : store_cycles_), retired);
  last_line_ = address ? end : ~std::uint64_t{0};
  if (store_buffer_.limited()) store_buffer_.push(last_commit_);
}

// Where to return to is stored by the call and loaded by the return. Nobody waits for it, but ports and buffers are taken.
void Pipeline::use_return_address(const StaticInstruction& instruction) {
  for (const MicroOp& op : instruction.micro_ops) {
    const bool taken = op.part == Part::load && instruction.takes_return;
    if (!taken && op.part != Part::store_address && op.part != Part::store_data) continue;
    const Issue one = issue(op, address_ready_, address_memory_, 0, nullptr);
    done_at(one.time + (taken ? return_load : 1), one.cause);
  }
  if (instruction.leaves_return) leave_store_buffer({}, 8, std::max(done_, last_retired_));
}

// Whether loads of what a store leaves are not renamed to it: it is a constant, or what the code made of one.
bool Pipeline::ends_renaming(const StaticInstruction& instruction) const {
  constexpr std::int64_t soon = 20;  // cycles after a misprediction: a constant is harmless then
  if (!tables_.core().memory.constants_end_renaming) return false;
  const bool constant = !instruction.load && !instruction.branch && !instruction.values.empty() && instruction.values.front().kind == ValueForm::Kind::number;
  if (constant) return !replayed_ && rename_cycle_ - restarted_ > soon;
  const StoreEntry* before = stores_.find(StoreMemory::word_of(address_));
  return before && before->address == address_ && before->not_renamed && before->mispredictions == mispredictions_;
}

// What a store leaves in memory; when, says `made`.
void Pipeline::remember(const StaticInstruction& instruction, StoreEntry made) {
  auto bytes = static_cast<std::uint64_t>(std::max(1, instruction.memory_bytes));
  made.address = address_, made.rules = instruction.forwards_store, made.bytes = static_cast<int>(bytes);
  const std::size_t registers = instruction.values.size();
  const std::uint64_t loaded = instruction.load ? remembered(address_, instruction.memory_bytes) : 0;
  for (made.word = StoreMemory::word_of(address_); made.word <= StoreMemory::word_of(address_ + bytes - 1); made.word++) {
    // Of what a vector holds nothing is known: words of it are not the same. A pair of registers lies one behind the other.
    const std::uint64_t offset = std::max(address_, made.word * StoreMemory::word_bytes) - address_;
    const std::size_t k = instruction.load ? registers - 1 : offset * registers / bytes;
    made.value = registers > 0 ? value_of(instruction, k, loaded) : arbitrary(~made.word);
    stores_.put(made);
  }
}

// ------------------------------------------------------------------------------------ forwarding and banks

double Pipeline::forwarded(const StaticInstruction& instruction, std::uint64_t address, double issued, bool& renamed) {
  auto bytes = static_cast<std::uint64_t>(std::max(1, instruction.memory_bytes));
  double latest = 0;
  std::uint64_t first_store = 0;
  bool several = false;
  for (std::uint64_t word = StoreMemory::word_of(address); word <= StoreMemory::word_of(address + bytes - 1); word++) {
    const StoreEntry* store = stores_.find(word);
    if (!store || store->address + static_cast<std::uint64_t>(store->bytes) <= address || store->address >= address + bytes)
      continue;
    if (store->commit <= issued || (latest > 0 && store->address == first_store)) continue;  // gone, or another word of it
    bool contains = store->address <= address && store->address + static_cast<std::uint64_t>(store->bytes) >= address + bytes;
    several = several || (latest > 0 && store->address != first_store);
    first_store = store->address;
    bool hidden = store->address > address || several;  // an older store supplies the rest
    // What cannot be forwarded comes from the cache, after the store has left for it. The penalty was measured where it
    // may leave in the cycle after its data is known.
    double time = std::max(store->data, store->leaves - 1) + (hidden ? failed_forwarding_ : narrow_forwarding_);
    if (contains) {
      std::uint32_t fitting = instruction.forwards_load & store->rules;
      const auto& rules = tables_.core().memory.forwarding;
      // A load is renamed to a register stored, but not to one from before a misprediction: that knowledge is gone with it.
      const bool may_be_renamed = !brings_ && store->mispredictions == mispredictions_ && !store->not_renamed;
      while (fitting) {
        const auto which = static_cast<std::size_t>(std::countr_zero(fitting));
        const auto& rule = rules[which];
        const double cycles = tables_.forwarding_cycles[which];
        if ((!rule.same_address || store->address == address) && (!rule.renamed || may_be_renamed) && (!rule.changed_at_once || store->changed_at_once)) {
          time = store->data + cycles, renamed = rule.renamed;
          if (!renamed && time > issued + instruction.load_latency)
            time = load_repeats_ ? sent_again(store->data) + cycles : time + waiting_load_ * store->waiting++;
          break;
        }
        fitting &= fitting - 1;
      }
    }
    latest = std::max(latest, time);
  }
  return latest;
}

// A load that came before the data of its store goes through a load port again when it is there: when, from then on, one is free.
double Pipeline::sent_again(double data) {
  const auto from = static_cast<std::int64_t>(std::ceil(data));
  std::int64_t at = from;
  for (int k = 0; k < load_repeats_; k++) at = ports_.take(tables_.load_ports, 1, 0, at);
  return at > from ? static_cast<double>(at) : data;
}

// When a load starts that may come behind stores to the same place of other pages: each that is still under way, and whose address
// was known, sends it back once, the youngest first.
double Pipeline::behind_aliases(const Happening& happening, std::uint64_t bytes, double time) {
  const double begun = time;
  for (std::uint64_t back = 1; const StoreOrder::Store* store = order_.back(back); back++) {
    if (store->gone <= time) break;  // they leave in order
    if (happening.address && store->address && *store->address < address_ + bytes && address_ < *store->address + store->bytes) break;  // this very place
    if (store->known > begun || !is_alias(happening, bytes, back, *store)) continue;
    MicroOp again{tables_.load_ports, 1, Part::load};
    for (int k = 0; k < alias_repeats_; k++) issue(again, time, address_memory_, 0, nullptr);
    time += alias_cycles_;
  }
  return time;
}

// Deduced addresses do not tell: where two pieces of memory lie to each other within their pages is the program's secret, so it is
// drawn from what was seen, or recorded.
bool Pipeline::is_alias(const Happening& happening, std::uint64_t bytes, std::uint64_t back, const StoreOrder::Store& store) const {
  constexpr std::uint64_t page_bytes = 4096;
  if (!happening.address) return happening.aliases >> (back - 1) & 1;
  if (!store.address) return false;
  const std::uint64_t apart = (address_ - *store.address) % page_bytes;
  return apart < store.bytes || page_bytes - apart < bytes;
}

// A load of what the store buffer holds gets it there and keeps no bank from others.
bool Pipeline::stored_lately(std::uint64_t address) const {
  const StoreEntry* store = stores_.find(StoreMemory::word_of(address));
  return store && store->commit > std::max(address_ready_, static_cast<double>(rename_cycle_) + 1);
}

bool Pipeline::bank_free(std::int64_t cycle, std::uint64_t address) const {
  const LoadCycle& loads = load_cycles_[static_cast<std::size_t>(cycle) & (load_ring - 1)];
  if (loads.time != cycle) return true;
  auto line = static_cast<std::uint64_t>(line_bytes_);
  for (const BankRule& rule : tables_.core().memory.banks) {
    auto period = static_cast<std::uint64_t>(rule.period_bytes);
    int same = 1;
    for (int k = 0; k < loads.count; k++) {
      std::uint64_t apart = loads.address[k] > address ? loads.address[k] - address : address - loads.address[k];
      if ((apart >= line || rule.same_place) && apart < related_bytes && apart % period == 0) same++;
    }
    if (same > rule.per_cycle) return false;
  }
  return true;
}

void Pipeline::note_load(std::int64_t cycle, std::uint64_t address) {
  LoadCycle& loads = load_cycles_[static_cast<std::size_t>(cycle) & (load_ring - 1)];
  if (loads.time != cycle) loads.time = cycle, loads.count = 0;
  if (loads.count < 4) loads.address[loads.count++] = address;
}

// ------------------------------------------------------------------------------------ values

// What memory holds at an address, in the sense of values.h.
std::uint64_t Pipeline::remembered(std::uint64_t address, int bytes) const {
  const StoreEntry* store = stores_.find(StoreMemory::word_of(address));
  return store ? store->value : arbitrary_word(address, bytes);
}

void Pipeline::track_values(const StaticInstruction& instruction) {
  if (instruction.value_units.empty() && instruction.address.update < 0) return;
  std::uint64_t results[4];
  std::size_t count = std::min<std::size_t>(instruction.value_units.size(), 4);
  for (std::size_t k = 0; k < count; k++) {
    std::uint64_t loaded = 0;
    if (instruction.load && address_known_) {  // the second register of a pair comes from half way on
      std::uint64_t offset = k ? static_cast<std::uint64_t>(instruction.memory_bytes) / 2 : 0;
      loaded = remembered(address_ + offset, instruction.memory_bytes);
    }
    results[k] = value_of(instruction, k, loaded);
  }
  for (std::size_t k = 0; k < count; k++) values_.set(instruction.value_units[k], results[k]);
  values_.update_address(instruction);
}

// A small number in code that is passed mostly begins an index; by the time the walk is at, that may be anywhere. Not so where a function
// begins: pointers and indices of its outermost loop set out together and stay in step.
std::uint64_t Pipeline::value_of(const StaticInstruction& instruction, std::size_t k, std::uint64_t loaded) {
  constexpr int index_bytes = 4;
  constexpr std::int64_t small = 1 << 16;
  const ValueForm& form = instruction.values[k];
  if (anywhere_ && form.kind == ValueForm::Kind::number && std::abs(form.constant) < small) return arbitrary_word(~++renewed_, index_bytes);
  return values_.value_of(instruction, k, loaded);
}

}  // namespace perfcast::engine

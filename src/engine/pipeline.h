// The out-of-order core, one instruction at a time in program order. Each instruction is renamed when the front end
// has delivered it and the window has room, its micro-operations are issued when operands and ports are there, and
// it retires in order. The time by which retirement advances is the instruction's share of the run, with the cause
// that held it up. One pass, no clock ticking: every event's time follows from earlier instructions alone.
//
// Method: the trials' window simulators; port binding, fusion, folding, forwarding and the front end as the machine
// file says. Not modelled: code placement (but for jumps at boundaries), replays, memory-dependence mispredictions,
// partial-register stalls.
#pragma once

#include <array>
#include <optional>
#include <unordered_map>

#include "engine/decoded_again.h"
#include "engine/near_branches.h"
#include "engine/port_schedule.h"
#include "engine/replay.h"
#include "engine/static_instruction.h"
#include "engine/store_memory.h"
#include "engine/store_order.h"
#include "engine/values.h"

namespace perfcast::engine {

enum class Cause : std::uint8_t { front_end, window, ports, dependences, memory, misprediction };
inline constexpr std::size_t causes = 6;
const char* name_of(Cause cause);

// Cycles of a misprediction where the machine file does not tell.
inline constexpr double assumed_misprediction = 15;
// Until a return address is loaded, where it lies in memory.
inline constexpr double return_load = 5;

// What happens to an instruction this time.
struct Happening {
  bool taken = false, mispredicted = false;
  bool chosen = false;                    // what follows is not always the same, and nobody knows in which order
  double extra_load_cycles = 0;           // beyond the first-level cache
  std::optional<std::uint64_t> address;   // recorded; otherwise deduced (values.h)
  std::uint64_t aliases = 0;              // a load comes behind stores to the same place of other pages: bit 0 the last store, bit 1 the one before
  std::optional<int> stores_back;         // a load reads what so many stores ago was stored (1: the last), 0: nothing recent
  std::optional<int> seen_back;           // the same, where the address that the code implies was not stored to lately
};

struct Share {
  double cycles = 0;  // by which retirement advanced
  Cause cause = Cause::front_end;
};

class Pipeline {
 public:
  Pipeline(const CoreTables& tables, int register_units);
  // `next` is the instruction that follows in memory, if it also follows in time: it may fuse with this one.
  Share step(const StaticInstruction& instruction, const Happening& happening, const StaticInstruction* next);
  double cycles() const { return last_retired_; }  // so far
  // What follows comes from elsewhere in the program: neither its frame on the stack nor its data meet what was left.
  void leave() { values_.renew(++left_); }
  // A register holds something nobody has seen before.
  void renew(int unit) { values_.set(unit, arbitrary(~++renewed_)); }
  // Does what it does to registers and memory, long ago: takes no time, and nobody waits for it. `begins`: where a function does.
  void pass(const StaticInstruction& instruction, bool begins);
  // After a mispredicted branch: the way it was believed to take, one instruction after the other while on_wrong_way; only
  // the lines it asks for remain of it. go_wrong says whether the instruction is done before the branch is known: if it is a
  // branch that was mispredicted as well, the core turns back there.
  void begin_wrong_way();
  bool on_wrong_way() const { return wrong_now_ < wrong_until_ && wrong_room_ > 0; }
  bool go_wrong(const StaticInstruction& instruction, double extra_load_cycles);
  void turn_back() { wrong_now_ = std::max(wrong_now_, wrong_done_ + misprediction_); }
  void end_wrong_way();

 private:
  enum class Since : std::uint8_t { other, changed_at_once, loaded };  // what happened to a value since it was loaded
  struct Value {
    double time = 0;
    int kind = 0;
    bool memory = false;  // late because of a cache miss
    Since since = Since::other;
  };
  struct Issue {
    double time = 0;
    Cause cause = Cause::front_end;
  };
  // Times at which the last n entries of a structure are free again.
  class Ring {
   public:
    explicit Ring(int size) : times_(static_cast<std::size_t>(size > 0 ? size : 0), 0.0) {}
    bool limited() const { return !times_.empty(); }
    std::size_t size() const { return times_.size(); }
    double oldest() const { return times_[at_]; }
    void push(double time) {
      times_[at_] = time;
      if (++at_ == times_.size()) at_ = 0;
    }
    // Corrects the entry pushed `k` before the last one.
    void set_back(int k, double time) {
      std::size_t size = times_.size();
      times_[(at_ + size - 1 - static_cast<std::size_t>(k) % size) % size] = time;
    }

   private:
    std::vector<double> times_;
    std::size_t at_ = 0;
  };

  void deliver(int slots);
  void decode(const StaticInstruction& instruction, const StaticInstruction& last);
  void take_slot();
  void know_stack(const StaticInstruction& instruction);
  void rename(int slots);
  void wait_until(double time, Cause cause);
  void wait_for_window(const StaticInstruction& instruction);
  Issue issue(const MicroOp& op, double ready, bool memory, std::uint32_t restricted, const std::uint64_t* address);
  void read_sources(const StaticInstruction& instruction);
  void finish_at_rename(const StaticInstruction& instruction);
  void do_load(const StaticInstruction& instruction, const Happening& happening);
  bool wait_for_line(const StaticInstruction& instruction, double extra_cycles);
  bool wait_for_neighbour();
  void ask_for_line(const StaticInstruction& instruction, double extra_cycles);
  void do_compute(const StaticInstruction& instruction, const Happening& happening, bool fused);
  void write_results(const StaticInstruction& instruction, bool fused);
  std::uint64_t value_of(const StaticInstruction& instruction, std::size_t k, std::uint64_t loaded);
  void remember(const StaticInstruction& instruction, StoreEntry made);
  void do_store(const StaticInstruction& instruction);
  void use_return_address(const StaticInstruction& instruction);
  void leave_store_buffer(std::optional<std::uint64_t> address, std::uint64_t bytes, double retired);
  Since changed(const StaticInstruction& instruction, const Destination& result) const;
  void do_branch(const StaticInstruction& instruction, const Happening& happening);
  double jump_spacing(const StaticInstruction& instruction);
  double forwarded(const StaticInstruction& instruction, std::uint64_t address, double issued, bool& renamed);
  void track_values(const StaticInstruction& instruction);
  std::uint64_t remembered(std::uint64_t address, int bytes) const;
  double sent_again(double data);
  double behind_aliases(const Happening& happening, std::uint64_t bytes, double time);
  bool is_alias(const Happening& happening, std::uint64_t bytes, std::uint64_t back, const StoreOrder::Store& store) const;
  bool ends_renaming(const StaticInstruction& instruction) const;
  bool stored_lately(std::uint64_t address) const;
  bool bank_free(std::int64_t cycle, std::uint64_t address) const;
  void note_load(std::int64_t cycle, std::uint64_t address);
  void done_at(double time, Cause cause);
  Share retire(const StaticInstruction& instruction, int slots);

  const CoreTables& tables_;
  PortSchedule ports_;
  StoreMemory stores_;
  StoreOrder order_;
  RegisterValues values_;
  std::vector<Value> registers_;

  // Where a jump through a register went last, and whether that was elsewhere than before.
  struct Jump {
    const StaticInstruction* to = nullptr;
    bool changes = false;
  };
  std::unordered_map<const StaticInstruction*, Jump> jumps_;
  Jump* jumped_ = nullptr;  // by the last instruction

  int extra_within_ = 0;  // 0: anywhere in a group
  int stack_sync_ = 0;    // slots
  bool stack_moved_ = false;  // since its pointer was last named
  int rename_width_, fetch_width_, retire_width_, crossing_load_ops_, line_bytes_;
  double moves_kept_ = 0, moves_due_ = 0;  // the share of moves that are not eliminated, and moves to come: less than one
  DecodedAgain decoded_again_;
  std::optional<std::int64_t> decoding_from_;  // the cycle of rename in which code began that is decoded each time
  std::uint64_t decoded_to_ = 0;               // its end so far
  std::uint64_t decoded_bytes_;                // in a cycle
  std::uint64_t decoded_before_ = 0;           // so many times these
  Replay replay_;
  NearBranches near_branches_;
  double taken_spacing_, far_spacing_, replayed_spacing_, call_spacing_, indirect_spacing_, changing_spacing_, store_cycles_, crossing_store_cycles_, crossing_load_later_, release_cycles_, failed_forwarding_, narrow_forwarding_;
  int load_repeats_, alias_repeats_;
  double alias_cycles_;
  double waiting_load_, misprediction_, wide_division_;
  Ring reorder_, load_queue_, store_buffer_, integer_registers_, vector_registers_;

  std::uint64_t left_ = 0;
  std::uint64_t renewed_ = 0;
  bool anywhere_ = false;  // whatever small number is passed has become another one since

  // The front end and rename.
  std::int64_t fetch_cycle_ = 0, rename_cycle_ = 0;
  int fetched_ = 0, renamed_ = 0;
  std::uint32_t mispredictions_ = 0;
  std::int64_t restarted_ = 0;          // the cycle of rename after the last of them
  bool replayed_ = false;               // the branch taken last
  double next_taken_ = 0;
  Cause rename_cause_ = Cause::front_end;
  bool fused_with_previous_ = false;
  Since loaded_since_ = Since::other;  // of the operands
  bool brings_ = false;  // the instruction is a move or load fused with the operation on what it brings
  // Retirement.
  double last_retired_ = 0;
  std::int64_t retire_cycle_ = 0;
  int retired_ = 0;
  // The store buffer's way out.
  double last_commit_ = 0;
  std::uint64_t last_line_ = 0;
  int together_ = 0;
  // Loads by cycle, for bank conflicts.
  struct LoadCycle {
    std::int64_t time = -1;
    int count = 0;
    std::uint64_t address[4] = {};
  };
  static constexpr std::size_t load_ring = 1 << 13;
  std::vector<LoadCycle> load_cycles_;

  // Lines on their way from beyond the first cache; empty until there is one.
  struct Fill {
    std::uint64_t line = ~std::uint64_t{0};
    double arrives = 0;
    bool asked_wrongly = false;  // on a wrong way, until the right way comes here
    bool waited_for = false;     // on a wrong way, in place of one wait of the right way
    std::uint64_t number = 0;  // of the lines that were touched
  };
  static constexpr std::size_t fills = 4096;
  std::vector<Fill> fills_;
  std::uint64_t line_of(std::uint64_t address) const { return address / static_cast<std::uint64_t>(line_bytes_); }
  // A line so few others ago is still in the first cache.
  static constexpr std::uint64_t few_lines = 256;
  std::uint64_t touched_ = 0;
  bool at_hand(const Fill& fill, std::uint64_t line) const { return fill.line == line && touched_ - fill.number < few_lines; }
  // Waits of loads that fell on lines at hand, by their place in the code; on wrong ways apart, where most are for nothing.
  using Owed = std::unordered_map<std::uint64_t, std::vector<double>>;
  Owed owed_, owed_wrongly_;
  static double due_at(std::uint64_t place, bool at_hand, double extra_cycles, Owed& all_owed);
  Fill& fill_of(std::uint64_t line) {
    if (fills_.empty()) fills_.resize(fills);
    return fills_[(line * 0x9e3779b97f4a7c15u) >> 52];
  }

  // The last mispredicted branch: where rename is on the wrong way, when it was known, and the state before.
  double wrong_now_ = 0, wrong_until_ = 0, wrong_done_ = 0;
  std::size_t wrong_room_ = 0;  // in the window
  std::vector<Value> right_registers_;
  RegisterValues right_values_{0};

  // The instruction at hand.
  double address_ready_ = 0, operands_ready_ = 0, loaded_ = 0, computed_ = 0, done_ = 0;
  bool address_memory_ = false, operands_memory_ = false, loaded_memory_ = false, address_known_ = false;
  std::uint32_t restricted_ = 0;
  double late_ = 0;  // cycles that the result takes longer because of where an operand came from
  std::uint64_t address_ = 0;
  Cause done_cause_ = Cause::front_end;
};

}  // namespace perfcast::engine

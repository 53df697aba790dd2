// The steps of the ladder for one loop, in cycles per source iteration, before anything is clamped.
#pragma once

#include <functional>

#include "engine/compiled_cost.h"
#include "engine/core_tables.h"
#include "engine/ideal_code.h"
#include "engine/resolve.h"
#include "methods/bounds/loops.h"

namespace perfcast::bounds {

inline constexpr auto misprediction = static_cast<std::size_t>(engine::Cause::misprediction);

struct Ladder {
  double m = 0, mac = 0, macs = 0, window = 0;
  std::optional<double> ma;  // not known without sources
  std::optional<double> m_practical, t_d, t_d_reassociated;
  std::map<std::string, std::string> limited_by;
};

// What all loops of a program share: the machine's tables, and the program walked twice.
class Steps {
 public:
  // Both must outlive it. An error when the program cannot be walked on the machine.
  static Result<std::unique_ptr<Steps>> make(const Profile& profile, const Machine& machine, double instructions);

  Ladder of(const LoopGroup& group);
  // Cycles in the run, with all queues unlimited and every branch foreseen.
  double macs_cycles(int function, int block) const { return cycles_of(macs_, function, block); }
  double window_cycles(int function, int block) const { return cycles_of(window_, function, block); }
  // What held up retirement in the walk without queues, cycles in the run by engine::Cause.
  std::array<double, engine::causes> held_up(const LoopGroup& group) const;
  // What the window costs because queues are full, cycles per iteration: what it has beyond a walk of the same luck without queues.
  // That walk is made when somebody asks.
  double waiting_for_room(const LoopGroup& group);
  double total_macs() const { return total_macs_; }
  double total_window() const { return total_window_; }
  const engine::CompiledCost& cost() const { return cost_; }
  // The cost of one block; nothing where it was not executed.
  const engine::CompiledBlock* cost_of(int function, int block) const {
    auto it = blocks_.find({function, block});
    return it == blocks_.end() ? nullptr : it->second;
  }
  // First touches of lines in the whole run.
  double cold_lines() const { return cold_lines_; }
  engine::IdealCode& ideal() { return ideal_; }
  // Cycles per iteration that a cycle of dependences takes at least (equation 4.7). Choices cost nothing: a core may
  // predict them.
  double chain_cycles(const Recurrence& recurrence);

  // The ports that a loop's instructions ask for, per source iteration; nops ask for nothing (equation 4.10).
  // `keep` says what share of an instruction is to stay; empty: all of it.
  using Keep = std::function<double(const InstructionForm&, const Instruction&)>;
  engine::IdealCode::Demand compiled_demand(const LoopGroup& group, const Keep& keep = {});
  // ... together with the routines of the program that it calls: an ideal compiler may have inlined those. Nothing where what is
  // called is not known.
  std::optional<engine::IdealCode::Demand> demand_with_calls(const LoopGroup& group);
  // The share of a group's executions that the walk of MACS saw.
  double seen_share(const LoopGroup& group) const;
  // ... and its essential operations (equations 4.4 to 4.6).
  engine::IdealCode::Demand essential_demand(const LoopGroup& group);

 private:
  Steps(const Profile& profile, const Machine& machine);
  using Cycles = std::map<std::pair<int, int>, double>;
  bool add_calls(const Block& block, double times, int depth, engine::IdealCode::Demand& demand);
  static double cycles_of(const Cycles& of, int function, int block) {
    auto it = of.find({function, block});
    return it == of.end() ? 0 : it->second;
  }
  // A block that the walk did not come to is known by its ports only: what blocks cost on average bounds nothing.
  double ports_alone(const engine::BlockTime& unseen);
  void peak(const LoopGroup& group, Ladder& out);
  void peak_of_code(const LoopGroup& group, Ladder& out);
  void dependences(const LoopGroup& group, Ladder& out);

  const Profile& profile_;
  const Machine& machine_;
  const Machine luckiest_;
  engine::IdealCode ideal_;
  engine::CoreTables tables_;
  engine::Resolver resolver_;
  engine::CompiledCost cost_;
  std::map<std::pair<int, int>, const engine::CompiledBlock*> blocks_;
  Cycles macs_, window_, visits_, roomy_;
  double instructions_ = 0;  // to simulate
  std::map<std::pair<int, int>, std::array<double, engine::causes>> causes_;
  double total_macs_ = 0, total_window_ = 0, cold_lines_ = 0;
};

}  // namespace perfcast::bounds

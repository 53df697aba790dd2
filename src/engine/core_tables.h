// A CoreModel made ready for simulation: port names become bits, patterns are compiled, bypasses become a table.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/match.h"
#include "engine/static_instruction.h"
#include "record/core.h"

namespace perfcast::engine {

struct Bypass {
  double cycles = 0;
  bool accumulator_only = false, delays_result = false;
  std::uint32_t ports = 0;  // 0: no restriction
  bool present = false;
};

// Finds what is wrong in the core part of a machine file: unknown port names, patterns that do not compile.
Status check_core(const CoreModel& core);

class CoreTables {
 public:
  explicit CoreTables(const CoreModel& core);
  CoreTables(const CoreTables&) = delete;  // rules point into core_
  CoreTables& operator=(const CoreTables&) = delete;

  const CoreModel& core() const { return core_; }
  std::uint32_t port_mask(const std::string& names) const;  // unknown names count for nothing
  std::uint32_t llvm_mask(const std::string& resource) const;
  const Bypass& bypass(int from, int to) const { return bypasses_[from * kinds_ + to]; }
  int kind_of(const std::string& name) const;

  struct Scheduler {
    std::uint32_t ports = 0;
    int entries = 0;
  };
  std::vector<Scheduler> schedulers;
  int folded_result = 0;  // kind of what an addition folded into its users leaves
  std::uint32_t load_ports = 0, store_address_ports = 0, store_data_ports = 0, taken_ports = 0;

  struct Rule {
    CompiledMatch match;
    const InstructionRule* rule;
    Origin origin;
  };
  std::vector<Rule> rules;  // measured patterns, then class rules
  std::vector<CompiledMatch> zero_idioms, eliminated, folded, extra_slots, false_dependences, no_slot;
  std::vector<CompiledMatch> fusion_first, fusion_second, forward_load, forward_store, loads, stores;
  std::vector<double> forwarding_cycles;  // by forwarding rule

 private:
  CoreModel core_;
  std::map<std::string, int> kind_numbers_;
  int kinds_ = 1;
  std::vector<Bypass> bypasses_;
};

}  // namespace perfcast::engine

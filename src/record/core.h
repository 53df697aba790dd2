// The core of a machine: how fast instructions flow through it. What differs between instruction sets and makes
// (fusion, elimination, folding, bypasses, port binding, queues, forwarding) is data here, not code in the engine.
// Numbers that were not measured are absent or say how they were come by. All times are in cycles.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/core_rules.h"

namespace perfcast {

// From the instruction cache to rename.
struct FrontEnd {
  std::optional<Measurement> uops_per_cycle;            // delivered to rename; a group ends at a taken branch
  std::optional<Measurement> taken_branches_per_cycle;
  std::optional<Measurement> replayed_taken_branches;   // most of a loop that comes without being fetched; its calls and returns count
  std::optional<Measurement> replayed_taken_per_cycle;  // ... of which so many are taken in a cycle
  // Taken branches that are foreseen at once: so many, one in each block of so many bytes. The others take so many cycles.
  std::optional<Measurement> near_branches, near_branch_bytes, far_branch;
  Measurement rename_width;                             // slots per cycle
  // Where a jump, with what is fused to it, crosses or ends at a multiple of so many bytes, the code on both sides is decoded each time:
  // so many bytes a cycle.
  std::optional<Measurement> boundary_bytes, decode_bytes;
  bool operator==(const FrontEnd&) const = default;
};
template <class Fields>
void describe(Fields& f, FrontEnd& e) {
  f("uops_per_cycle", e.uops_per_cycle), f("taken_branches_per_cycle", e.taken_branches_per_cycle);
  f("replayed_taken_branches", e.replayed_taken_branches), f("replayed_taken_per_cycle", e.replayed_taken_per_cycle);
  f("near_branches", e.near_branches), f("near_branch_bytes", e.near_branch_bytes), f("far_branch", e.far_branch);
  f.need("rename_width", e.rename_width);
  f("boundary_bytes", e.boundary_bytes), f("decode_bytes", e.decode_bytes);
}

// What holds instructions in flight. Effective sizes: those a program sees.
struct Window {
  Measurement reorder_buffer;                     // slots
  std::optional<Measurement> retire_width;
  std::optional<Measurement> release_cycles;      // from when an instruction could retire until what it held is free again
  std::optional<Measurement> load_queue, store_buffer;
  std::optional<Measurement> integer_registers, vector_registers;  // that can be renamed
  bool operator==(const Window&) const = default;
};
template <class Fields>
void describe(Fields& f, Window& w) {
  f.need("reorder_buffer", w.reorder_buffer), f("retire_width", w.retire_width), f("release_cycles", w.release_cycles), f("load_queue", w.load_queue);
  f("store_buffer", w.store_buffer), f("integer_registers", w.integer_registers);
  f("vector_registers", w.vector_registers);
}

// A queue of micro-operations that wait for their operands or their port. Ports of no scheduler (a divider)
// take no entry.
struct Scheduler {
  std::string name;
  std::string ports;    // names separated by blanks
  Measurement entries;
  bool operator==(const Scheduler&) const = default;
};
template <class Fields>
void describe(Fields& f, Scheduler& s) {
  f.need("name", s.name), f.need("ports", s.ports), f.need("entries", s.entries);
}

// The load part of an instruction, by what it loads.
struct LoadRule {
  Match match;
  Measurement latency;
  std::vector<PortNeed> ports;
  bool operator==(const LoadRule&) const = default;
};
template <class Fields>
void describe(Fields& f, LoadRule& r) { f("match", r.match), f.need("latency", r.latency), f.need("ports", r.ports); }

// The store part: address and data may go to different ports.
struct StoreRule {
  Match match;
  std::vector<PortNeed> address_ports, data_ports;
  bool operator==(const StoreRule&) const = default;
};
template <class Fields>
void describe(Fields& f, StoreRule& r) {
  f("match", r.match), f("address_ports", r.address_ports), f("data_ports", r.data_ports);
}

// Between the core and its first-level cache.
struct MemoryRules {
  std::vector<LoadRule> loads;
  std::vector<StoreRule> stores;
  std::vector<BankRule> banks;
  std::vector<ForwardingRule> forwarding;             // store contains load
  std::optional<Measurement> failed_forwarding;       // the load needs bytes of several stores
  std::optional<Measurement> narrow_forwarding;       // the load needs more bytes than the one store has
  std::optional<Measurement> load_repeats;            // how often a load that came before its store's data goes through a port again
  std::optional<Measurement> waiting_load;            // without repeats: from one load to the next of those that wait for one store's data
  // What was set to a constant is not renamed while a loop changes it, but where the loop is replayed or a branch went wrong just before.
  bool constants_end_renaming = false;
  // A load that met a store whose address was not yet known passes no such store until it has been executed so often without
  // meeting one; none: loads know what they will meet.
  std::optional<Measurement> cautious_loads;
  // A load behind a store that is still under way to the same place of another page (4096 bytes) comes so much later, after it has
  // gone through a port so often again; none: whole addresses are compared.
  std::optional<Measurement> alias_cycles, alias_repeats;
  std::optional<Measurement> store_cycles;            // per store leaving the store buffer
  int stores_per_line = 1;                            // that leave together when they go to one line
  std::optional<Measurement> crossing_load_cycles, crossing_store_cycles;  // cycles per access that crosses a line
  std::optional<Measurement> crossing_load_later;     // by so many cycles comes what such a load brings; otherwise by one
  int line_bytes = 64;
  bool operator==(const MemoryRules&) const = default;
};
template <class Fields>
void describe(Fields& f, MemoryRules& m) {
  f("loads", m.loads), f("stores", m.stores), f("banks", m.banks), f("forwarding", m.forwarding);
  f("failed_forwarding", m.failed_forwarding), f("narrow_forwarding", m.narrow_forwarding);
  f("load_repeats", m.load_repeats), f("waiting_load", m.waiting_load), f("cautious_loads", m.cautious_loads);
  if (Fields::reading || m.constants_end_renaming) f("constants_end_renaming", m.constants_end_renaming);
  f("alias_cycles", m.alias_cycles), f("alias_repeats", m.alias_repeats), f("store_cycles", m.store_cycles);
  f("stores_per_line", m.stores_per_line), f("crossing_load_cycles", m.crossing_load_cycles);
  f("crossing_store_cycles", m.crossing_store_cycles), f("crossing_load_later", m.crossing_load_later), f("line_bytes", m.line_bytes);
}

struct BranchCosts {
  std::optional<Measurement> misprediction;    // from the branch known to the first right instruction renamed
  std::optional<Measurement> learned_period;   // longest random pattern of one branch that is predicted
  std::optional<Measurement> learned_branches; // the same of eight branches in turn
  std::optional<Measurement> learned_targets;  // the same of the targets of one jump through a register
  std::optional<Measurement> learned_loop;     // iterations of the longest loop whose end is predicted
  std::optional<Measurement> call_return;      // an empty call and its return, fetched
  std::optional<Measurement> indirect_jump;    // from one jump through a register to the next, all predicted
  std::optional<Measurement> changing_jump;    // the same where each goes elsewhere than the last time
  std::string taken_ports;                     // ports of a taken branch; empty: those of its rule
  bool operator==(const BranchCosts&) const = default;
};
template <class Fields>
void describe(Fields& f, BranchCosts& b) {
  f("misprediction", b.misprediction), f("learned_period", b.learned_period), f("learned_branches", b.learned_branches), f("learned_targets", b.learned_targets);
  f("learned_loop", b.learned_loop), f("call_return", b.call_return);
  f("indirect_jump", b.indirect_jump), f("changing_jump", b.changing_jump), f("taken_ports", b.taken_ports);
}

struct CoreModel {
  Measurement clock_ghz;
  std::string llvm_cpu;                          // the -mcpu name whose tables are the fall-back
  FrontEnd front_end;
  Window window;
  std::vector<std::string> ports;                // at most 32 names
  bool bind_ports_at_rename = false;             // else a micro-operation takes the first port that comes free
  bool one_result_per_port = false;              // integer results of different latencies do not leave a port in one cycle
  std::vector<Scheduler> schedulers;
  std::map<std::string, std::string> llvm_ports; // what LLVM's resource names mean here: "V1UnitV01": "V0 V1"
  std::vector<InstructionRule> instructions;     // measured, by opcode
  std::vector<InstructionRule> classes;          // then rules for whole classes
  std::vector<BypassRule> bypasses;
  RenameRules rename;
  MemoryRules memory;
  BranchCosts branches;
  std::optional<Measurement> wide_division;      // x86-64: cycles of a division by 64 bits whose dividend has more than those; none: those of any
  bool luckiest = false;                         // in no file: what depends on data or the moment takes its least cycles, as in a bound
  bool operator==(const CoreModel&) const = default;
};
template <class Fields>
void describe(Fields& f, CoreModel& c) {
  f.need("clock_ghz", c.clock_ghz), f("llvm_cpu", c.llvm_cpu), f("front_end", c.front_end), f("window", c.window);
  f("ports", c.ports), f("bind_ports_at_rename", c.bind_ports_at_rename);
  if (Fields::reading || c.one_result_per_port) f("one_result_per_port", c.one_result_per_port);
  f("schedulers", c.schedulers);
  f("llvm_ports", c.llvm_ports), f("instructions", c.instructions), f("classes", c.classes);
  f("bypasses", c.bypasses), f("rename", c.rename), f("memory", c.memory), f("branches", c.branches);
  f("wide_division", c.wide_division);
}

}  // namespace perfcast

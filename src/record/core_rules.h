// The rules of a core, as data: which instructions they speak of (Match), what an instruction costs, what happens
// at rename, how values pass from producer to consumer and through memory. A rule list is ordered; for every
// property the first rule that matches and states the property wins, so special cases stand before general ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/measurement.h"

namespace perfcast {

// Which instructions a rule speaks of. Everything stated must hold; an empty Match holds for all.
struct Match {
  std::string opcode;               // regular expression searched in LLVM's opcode name: "^V?ADD[SP][SD]"
  std::string text;                 // regular expression searched in the assembler text, where the opcode is not enough
  std::optional<bool> load, store, branch, floating, indexed;
  std::optional<int> vector_bits_up_to, vector_bits_from;  // of the widest vector register named; 0: none
  std::optional<int> scale_from;    // index scaled by at least this
  bool operator==(const Match&) const = default;
};
template <class Fields>
void describe(Fields& f, Match& m) {
  f("opcode", m.opcode), f("text", m.text), f("load", m.load), f("store", m.store), f("branch", m.branch);
  f("floating", m.floating), f("indexed", m.indexed), f("vector_bits_up_to", m.vector_bits_up_to);
  f("vector_bits_from", m.vector_bits_from), f("scale_from", m.scale_from);
}

// `count` micro-operations, each of which takes one of `ports` and keeps it for `occupancy` cycles.
struct PortNeed {
  std::string ports;  // names separated by blanks: "p0 p1 p5"
  double occupancy = 1;
  int count = 1;
  bool operator==(const PortNeed&) const = default;
};
template <class Fields>
void describe(Fields& f, PortNeed& p) {
  f.need("ports", p.ports);
  if (Fields::reading || p.occupancy != 1) f("occupancy", p.occupancy);
  if (Fields::reading || p.count != 1) f("count", p.count);
}

// What an instruction costs. Absent properties are left to the next matching rule, in the end to LLVM's tables.
struct InstructionRule {
  Match match;
  std::string kind;                          // class for bypasses: "fp_add"
  std::optional<Measurement> latency;        // source to result in cycles, without the load part
  std::vector<double> latency_by_definition; // where definitions differ (the updated address of a load: 1)
  std::optional<double> kept_latency;        // from what the destination held, where it keeps a part of it (cvtsi2sd); else `latency`
  std::optional<double> address_latency;     // of an address register the instruction also updates; 1 if not stated
  std::optional<Measurement> throughput;     // evidence: cycles per instruction in an independent stream
  std::optional<Measurement> least_latency, least_throughput;  // of the easiest operands, where cycles depend on them (divisions)
  std::optional<std::vector<PortNeed>> ports;       // of the computing part; an empty list: needs no port
  std::optional<Measurement> load_latency;   // of the load part
  std::optional<std::vector<PortNeed>> load_ports, store_address_ports, store_data_ports;
  std::optional<int> slots;                  // at rename, instead of what micro-fusion gives
  std::optional<int> accumulator;            // place among the uses of the operand that may come late; -1: the last
  How how = How::measured;
  std::string note;
  bool operator==(const InstructionRule&) const = default;
};
template <class Fields>
void describe(Fields& f, InstructionRule& r) {
  f.need("match", r.match), f("kind", r.kind), f("latency", r.latency);
  f("latency_by_definition", r.latency_by_definition), f("kept_latency", r.kept_latency), f("address_latency", r.address_latency);
  f("throughput", r.throughput);
  f("least_latency", r.least_latency), f("least_throughput", r.least_throughput), f("ports", r.ports);
  f("load_latency", r.load_latency), f("load_ports", r.load_ports), f("store_address_ports", r.store_address_ports);
  f("store_data_ports", r.store_data_ports), f("slots", r.slots), f("accumulator", r.accumulator);
  f("how", r.how), f("note", r.note);
}

// Consumers of every kind but the producer's own, those without a kind included, where no other rule is about them.
inline constexpr const char* other_kinds = "others";

// A result that reaches some consumers sooner (or later) than its latency says.
struct BypassRule {
  std::string from, to;           // kinds of producer and consumer; to: `other_kinds` as well
  bool accumulator_only = false;  // only into the accumulator operand
  double cycles = 0;              // added to the latency; negative: sooner
  std::string ports;              // the consumer may then use these ports only; empty: its own
  How how = How::measured;
  std::string note;
  bool delays_result = false;     // the consumer takes so much longer, whichever of its operands comes last
  bool operator==(const BypassRule&) const = default;
};
template <class Fields>
void describe(Fields& f, BypassRule& r) {
  f.need("from", r.from), f.need("to", r.to);
  if (Fields::reading || r.accumulator_only) f("accumulator_only", r.accumulator_only);
  if (Fields::reading || r.delays_result) f("delays_result", r.delays_result);
  f.need("cycles", r.cycles), f("ports", r.ports), f("how", r.how), f("note", r.note);
}

// The kind, in bypasses, of what a folded addition leaves: some users (shifts) cannot take it so.
inline constexpr const char* folded_kind = "folded";

// Two neighbours that become one slot: "cmp" then "jcc"; or a move or load and the operation that changes what it brought.
struct FusionRule {
  Match first, second;
  How how = How::measured;
  std::string note;
  bool operator==(const FusionRule&) const = default;
};
template <class Fields>
void describe(Fields& f, FusionRule& r) {
  f.need("first", r.first), f.need("second", r.second), f("how", r.how), f("note", r.note);
}

// An addition of a small constant that rename does by itself: no port, no latency.
struct FoldRule {
  Match match;
  std::int64_t immediate_below = 0;  // magnitude of the immediate, or of the displacement when there is none
  bool operator==(const FoldRule&) const = default;
};
template <class Fields>
void describe(Fields& f, FoldRule& r) { f.need("match", r.match), f.need("immediate_below", r.immediate_below); }

// More slots than micro-fusion gives (un-lamination).
struct ExtraSlots {
  Match match;
  int slots = 1;
  bool operator==(const ExtraSlots&) const = default;
};
template <class Fields>
void describe(Fields& f, ExtraSlots& r) { f.need("match", r.match), f("slots", r.slots); }

struct RenameRules {
  std::vector<Match> zero_idioms;          // of one register with itself: result known, no port
  std::vector<Match> eliminated_moves;     // between two different registers: no port, no latency
  std::optional<Measurement> eliminated_share;  // of such moves; the others take a cycle. Absent: all
  std::vector<Match> sometimes_eliminated; // eliminated under conditions that are not known: only a bound counts on it
  std::vector<FoldRule> folded;
  std::vector<FusionRule> fused;
  std::vector<ExtraSlots> extra_slots;
  std::optional<Measurement> extra_within;  // what takes extra slots begins within so many of a group; absent: anywhere
  std::optional<Measurement> stack_sync;   // slots more for who names the stack pointer after pushes, pops, calls or returns moved it
  std::vector<Match> false_dependences;    // wait for the old value of the register they write
  std::vector<Match> no_slot;              // vanish before rename: nop on some cores
  bool micro_fusion = false;               // slots are micro-operations, where a load and its operation, or a
                                           // store's address and data, share one; false: one per instruction
  How how = How::measured;
  std::string note;
  bool operator==(const RenameRules&) const = default;
};
template <class Fields>
void describe(Fields& f, RenameRules& r) {
  f("zero_idioms", r.zero_idioms), f("eliminated_moves", r.eliminated_moves), f("eliminated_share", r.eliminated_share);
  f("sometimes_eliminated", r.sometimes_eliminated);
  f("folded", r.folded);
  f("fused", r.fused), f("extra_slots", r.extra_slots), f("extra_within", r.extra_within), f("stack_sync", r.stack_sync);
  f("false_dependences", r.false_dependences);
  f("no_slot", r.no_slot), f("micro_fusion", r.micro_fusion), f("how", r.how), f("note", r.note);
}

// A value read back from a store that has not left the core yet.
struct ForwardingRule {
  Match load, store;
  bool same_address = false;       // the load begins where the store began
  bool renamed = false;            // the load is renamed to the stored register; `latency` is then usually 0
  Measurement latency;             // stored value known to loaded value known
  bool changed_at_once = false;    // only of stores whose value was loaded and then changed in one cycle
  std::optional<Measurement> least_latency;  // where load and store come at the best moment
  bool operator==(const ForwardingRule&) const = default;
};
template <class Fields>
void describe(Fields& f, ForwardingRule& r) {
  f("load", r.load), f("store", r.store);
  if (Fields::reading || r.same_address) f("same_address", r.same_address);
  if (Fields::reading || r.renamed) f("renamed", r.renamed);
  if (Fields::reading || r.changed_at_once) f("changed_at_once", r.changed_at_once);
  f.need("latency", r.latency), f("least_latency", r.least_latency);
}

// Loads that fall on the same `period_bytes` place of different lines: at most `per_cycle` of them in a cycle. On some cores
// loads of one and the same place are among them; on others a line that is read serves them all.
struct BankRule {
  int period_bytes = 64;
  int per_cycle = 1;
  bool same_place = false;
  How how = How::measured;
  std::string note;
  bool operator==(const BankRule&) const = default;
};
template <class Fields>
void describe(Fields& f, BankRule& r) {
  f.need("period_bytes", r.period_bytes), f.need("per_cycle", r.per_cycle);
  if (Fields::reading || r.same_place) f("same_place", r.same_place);
  f("how", r.how), f("note", r.note);
}

}  // namespace perfcast

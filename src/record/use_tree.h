// A use-tree (Lyon & Snelick 1990): where the demand of a program goes on a machine. A node carries what is consumed
// below it (local clock: seconds and their share) and, where it is known, how much of the demand passes through it and
// at what rate (global clock: frequency F and capacity C). What is observed is conserved at every fan-out; what no child
// accounts for is the node's residue.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/made_by.h"
#include "record/record_file.h"

namespace perfcast {

// Weights of the arc that leads to a node: f and c of the paper. F = product of f, C = product of c along the path.
struct UseArc {
  double frequency = 1;
  std::optional<double> capacity;
  bool operator==(const UseArc&) const = default;
};
template <class Fields>
void describe(Fields& f, UseArc& a) { f.need("frequency", a.frequency), f("capacity", a.capacity); }

struct UseNode {
  std::string name, meaning;
  double share = 0;                // of the root's seconds
  double seconds = 0;
  double demand = 0;               // operations asked for below this node, in the tree's unit
  double frequency = 0;            // F: demand as a part of the whole
  std::optional<double> capacity;  // C: rate relative to the peak, in (0, 1]; the fastest leaf below; none without demand
  std::optional<double> used;      // of that rate, what the demand below is served at; 1 at a leaf; none without demand
  std::optional<UseArc> arc;       // none at the root
  double residue = 0;              // seconds here that no child accounts for
  std::vector<UseNode> children;
  bool operator==(const UseNode&) const = default;
};
template <class Fields>
void describe(Fields& f, UseNode& n) {
  f.need("name", n.name), f("meaning", n.meaning), f.need("share", n.share), f.need("seconds", n.seconds);
  f("demand", n.demand), f("frequency", n.frequency), f("capacity", n.capacity), f("used", n.used), f("arc", n.arc);
  if (Fields::reading || n.residue != 0) f("residue", n.residue);
  f("children", n.children);
}

// A leaf whose part of the time moved when something else was changed.
struct Redistribution {
  std::string leaf;
  double before = 0, after = 0;  // seconds
  bool operator==(const Redistribution&) const = default;
};
template <class Fields>
void describe(Fields& f, Redistribution& r) {
  f.need("leaf", r.leaf), f.need("before", r.before), f.need("after", r.after);
}

// What an upgrade buys. The tree alone knows two schedules: the best uses the new capacity whenever it can help, the
// worst never does; between them lies the tolerance. Where the machine record can be changed, the program is costed
// again on the changed machine, and the demand may move to other leaves.
struct Upgrade {
  std::string change;                    // "DRAM=2"
  std::string node;                      // path of the node it acts on; empty: several
  double seconds = 0;                    // costed again where that is possible, else the middle of best and worst
  std::array<double, 2> interval{0, 0};  // best and worst schedule, and what costing again gave
  double speedup = 1;                    // of `seconds`
  double best = 0, worst = 0;            // seconds, by the tree alone
  double improvement = 1, tolerance = 0; // the paper's cell: middle of best and worst improvement, +- this fraction
  std::optional<double> costed_again;    // seconds on the changed machine
  std::vector<Redistribution> redistribution;
  std::string remark;
  bool operator==(const Upgrade&) const = default;
};
template <class Fields>
void describe(Fields& f, Upgrade& u) {
  f.need("change", u.change), f("node", u.node), f.need("seconds", u.seconds), f.need("interval", u.interval);
  f("speedup", u.speedup), f("best", u.best), f("worst", u.worst), f("improvement", u.improvement);
  f("tolerance", u.tolerance), f("costed_again", u.costed_again), f("redistribution", u.redistribution);
  f("remark", u.remark);
}

// Two upgrades at once: speedup[i][j] with changes[i] and changes[j]; the diagonal is one alone.
struct CrossedUpgrades {
  std::vector<std::string> changes;
  std::vector<std::vector<double>> speedup;
  bool operator==(const CrossedUpgrades&) const = default;
};
template <class Fields>
void describe(Fields& f, CrossedUpgrades& c) { f.need("changes", c.changes), f.need("speedup", c.speedup); }

// How many processors of a faster kind, times how fast: the paper's table of predicted relative improvement.
struct ProcessorTable {
  std::vector<int> fast;                          // rows
  std::vector<double> speed;                      // columns
  std::vector<std::vector<double>> improvement;   // middle of best and worst schedule
  std::vector<std::vector<double>> tolerance;     // +- this fraction
  bool operator==(const ProcessorTable&) const = default;
};
template <class Fields>
void describe(Fields& f, ProcessorTable& t) {
  f.need("fast", t.fast), f.need("speed", t.speed), f.need("improvement", t.improvement), f.need("tolerance", t.tolerance);
}

// Percentages per leaf.
struct SignatureEntry {
  std::string leaf;       // path from the root
  double share = 0;       // of the time
  double frequency = 0;   // of the demand
  bool operator==(const SignatureEntry&) const = default;
};
template <class Fields>
void describe(Fields& f, SignatureEntry& e) {
  f.need("leaf", e.leaf), f.need("share", e.share), f("frequency", e.frequency);
}

// Another program on the same machine, or the same program on another machine.
struct SignatureComparison {
  std::string program, machine;
  double distance = 0;           // of the signatures: half the sum of differences of the shares, 0 to 1
  double seconds = 0;
  double relative_time = 1;      // seconds per unit of demand, relative to this tree's
  bool similar = false;          // signatures of the demand alike
  bool lacks_detail = false;     // similar signatures on one machine, different performance
  std::string leaf;              // where the difference lies
  std::string finding;
  std::vector<SignatureEntry> signature;
  bool operator==(const SignatureComparison&) const = default;
};
template <class Fields>
void describe(Fields& f, SignatureComparison& c) {
  f.need("program", c.program), f("machine", c.machine), f.need("distance", c.distance), f.need("seconds", c.seconds);
  f("relative_time", c.relative_time), f("similar", c.similar), f("lacks_detail", c.lacks_detail), f("leaf", c.leaf);
  f("finding", c.finding), f("signature", c.signature);
}

enum class TreeClock { global, local };
template <>
struct EnumWords<TreeClock> {
  static constexpr std::pair<TreeClock, const char*> words[] = {{TreeClock::global, "global"}, {TreeClock::local, "local"}};
};

struct UseTree {
  static constexpr const char* format = "perfcast.tree";
  static constexpr int version = 1;
  std::string program, machine, skeleton;
  MadeBy made_by;
  TreeClock clock = TreeClock::global;  // global: demand and rate; local: time consumed
  std::string unit;                     // of demand: "instructions"
  double peak_rate = 0;                 // demand per second at capacity 1
  UseNode root;
  std::vector<SignatureEntry> signature;
  std::vector<Upgrade> upgrades;        // asked for
  std::vector<Upgrade> ranking;         // the skeleton's own list, best first
  std::optional<CrossedUpgrades> crossed;
  std::optional<ProcessorTable> processors;
  std::vector<SignatureComparison> comparisons;
  std::vector<std::string> remarks;
  bool operator==(const UseTree&) const = default;
};
template <class Fields>
void describe(Fields& f, UseTree& t) {
  f.need("program", t.program), f("machine", t.machine), f("skeleton", t.skeleton), f("made_by", t.made_by);
  f("clock", t.clock), f("unit", t.unit), f("peak_rate", t.peak_rate), f.need("root", t.root);
  f("signature", t.signature), f.need("upgrades", t.upgrades), f("ranking", t.ranking), f("crossed", t.crossed), f("processors", t.processors);
  f("comparisons", t.comparisons), f("remarks", t.remarks);
}

PERFCAST_RECORD_FILE(extern, UseTree)

}  // namespace perfcast

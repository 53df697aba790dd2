// What a profile knows of other sizes than the recorded one: the runs its counts were reconstructed from, counts that
// depend on the data with their laws, and how memory behaved at some of the sizes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "record/access.h"

namespace perfcast {

// A count that is no function of the parameters alone (iterations until convergence): others are exact in it.
struct HiddenVariable {
  std::string name;      // as it stands in expressions: "H1"
  std::string about;     // what it counts
  std::string law;       // an expression in the parameters, fitted
  double spread = 0;     // of the law, relative, where it had to extrapolate
  bool operator==(const HiddenVariable&) const = default;
};
template <class Fields>
void describe(Fields& f, HiddenVariable& h) { f.need("name", h.name), f("about", h.about), f.need("law", h.law), f("spread", h.spread); }

struct SizedRun {
  std::map<std::string, double> set;
  double page_faults = 0, seconds = 0;  // of the counted run
  bool held_out = false;                // used to check forms, not to find them
  std::string failed;                   // how it ended, where the size was not taken
  bool operator==(const SizedRun&) const = default;
};
template <class Fields>
void describe(Fields& f, SizedRun& r) {
  f.need("set", r.set), f("page_faults", r.page_faults), f("seconds", r.seconds);
  if (Fields::reading || r.held_out) f("held_out", r.held_out);
  f("failed", r.failed);
}

struct SizedAccess {
  std::string function, block;
  Access access;
  bool operator==(const SizedAccess&) const = default;
};
template <class Fields>
void describe(Fields& f, SizedAccess& a) { f.need("function", a.function), f.need("block", a.block), f.need("access", a.access); }

struct SizedMemory {
  std::map<std::string, double> set;
  std::vector<SizedAccess> accesses;
  bool operator==(const SizedMemory&) const = default;
};
template <class Fields>
void describe(Fields& f, SizedMemory& m) { f.need("set", m.set), f("accesses", m.accesses); }

struct Scaling {
  std::vector<SizedRun> runs;
  std::vector<HiddenVariable> hidden;
  std::map<std::string, std::string> library_calls;  // expressions
  std::string page_faults;                           // law
  double page_faults_spread = 0;
  std::map<std::string, double> shares;              // of executed instructions: proved, interpolated, ratio, unknown
  std::map<std::string, int> blocks;                 // how many of the IR: the same words
  std::map<std::string, double> from;                // forms hold for parameters from here on
  std::vector<SizedMemory> memory;
  std::vector<std::string> remarks;
  bool operator==(const Scaling&) const = default;
};
template <class Fields>
void describe(Fields& f, Scaling& s) {
  f("runs", s.runs), f("hidden", s.hidden), f("library_calls", s.library_calls), f("page_faults", s.page_faults);
  f("page_faults_spread", s.page_faults_spread), f("shares", s.shares), f("blocks", s.blocks), f("from", s.from);
  f("memory", s.memory), f("remarks", s.remarks);
}

}  // namespace perfcast

// How fast a program's loops could be, and what stands in the way: the MACS hierarchy (Lee and Davidson 1994) for every
// hot loop, per iteration of the source. Cycles, unless a key says seconds. Bounds (m, ma, mac, macs) are bounds;
// `window` is a prediction; `measured` is measured, and absent where nothing could be.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/gap.h"
#include "record/made_by.h"
#include "record/record_file.h"

namespace perfcast {

// What each step of the ladder adds. They add up to `measured`: m + a + c + s + w + p. Where MA is not known, neither are
// a and c; together they are mac - m.
struct LadderGaps {
  std::optional<double> a, c;         // application, compiler
  double s = 0, w = 0;                // schedule, window
  std::optional<double> p;            // measured beyond the window: memory, branches, system
  bool operator==(const LadderGaps&) const = default;
};
template <class Fields>
void describe(Fields& f, LadderGaps& g) {
  f.need("a", g.a), f.need("c", g.c), f.need("s", g.s), f.need("w", g.w), f.need("p", g.p);
}

// A named number of cycles per iteration (or seconds, where the list says so).
struct NamedAmount {
  std::string name;
  double amount = 0;
  bool operator==(const NamedAmount&) const = default;
};
template <class Fields>
void describe(Fields& f, NamedAmount& n) { f.need("name", n.name), f.need("amount", n.amount); }

struct Advice {
  std::string text;     // one sentence
  std::string cause;    // "missed vectorisation", "excess loads", ...
  std::string gap;      // "a", "c", "s", "w" or "p": where the time is lost
  Location at;
  double cycles = 0;    // per iteration it could save at most
  double seconds = 0;   // ... in the program
  bool operator==(const Advice&) const = default;
};
template <class Fields>
void describe(Fields& f, Advice& a) {
  f.need("text", a.text), f.need("cause", a.cause), f("gap", a.gap), f("at", a.at), f("cycles", a.cycles);
  f("seconds", a.seconds);
}

// What an iteration does, by the classes of K-MACSTAT; `essential` and `compiled` side by side show what the compiler
// added. Vector instructions count once in `compiled`, once per element in `essential`.
struct OperationClasses {
  double add = 0, multiply = 0, fused = 0, divide = 0, other_float = 0;
  double integer = 0, loads = 0, stores = 0, branches = 0, copies = 0, calls = 0, others = 0;
  double flops = 0;
  bool operator==(const OperationClasses&) const = default;
};
template <class Fields>
void describe(Fields& f, OperationClasses& c) {
  f("add", c.add), f("multiply", c.multiply), f("fused", c.fused), f("divide", c.divide), f("other_float", c.other_float);
  f("integer", c.integer), f("loads", c.loads), f("stores", c.stores), f("branches", c.branches), f("copies", c.copies);
  f("calls", c.calls), f("others", c.others), f("flops", c.flops);
}

// Data a loop needs: what it touches per entry, and what an ideal cache governed by software would have to hold and
// would miss (reference windows, section 6.1), beside what the real hierarchy fetches.
struct LoopData {
  std::optional<double> touched_bytes;    // distinct, per entry of the loop; none: addresses not affine
  double window_bytes = 0;                // kept to load each element once
  double ideal_misses = 0;                // lines per iteration, ideal cache of the first level's size
  double real_misses = 0;                 // lines per iteration that the first level does not hold
  std::vector<NamedAmount> served;        // lines per iteration, by the level that serves them
  bool operator==(const LoopData&) const = default;
};
template <class Fields>
void describe(Fields& f, LoopData& d) {
  f("touched_bytes", d.touched_bytes), f("window_bytes", d.window_bytes), f("ideal_misses", d.ideal_misses);
  f("real_misses", d.real_misses), f("served", d.served);
}

struct LoopBounds {
  std::string function;               // the source function the loop is written in, as a person writes it
  std::string inlined_into;           // the function that holds its code, where that is another
  std::string file;
  int line = 0;
  std::string unit = "cycles_per_iteration";
  double iterations = 0, entries = 0;  // of the source, in the run
  double m = 0;
  std::optional<double> m_practical;   // with what a stream of dependent operations reaches on this machine
  std::optional<double> ma;            // not known without sources
  double mac = 0, macs = 0, window = 0;
  double overlap = 0;                  // how much more mac would be of the loop alone: the window hides so much of a
                                       // loop's start in the code before it, and all bounds are less by it
  std::optional<double> measured;
  std::optional<double> measured_error;  // one standard deviation, of the sampling
  LadderGaps gaps;
  double essential_flops = 0;          // per iteration; CPF of the paper is cycles / essential_flops
  std::map<std::string, double> per_flop;      // "m", "ma", ...; empty without flops
  std::map<std::string, std::string> limited_by;  // "ma": "load ports", "mac": "p0 p5", ...
  std::optional<double> t_d;           // the dependence pseudo-unit, as the language rules in force demand
  std::optional<double> t_d_reassociated;
  double seconds = 0;                  // of the program, in this loop: measured, or by the window and memory
  double share = 0;                    // ... of the program
  bool outer = false;                  // contains loops; this is its residue, what lies outside them
  bool irreducible = false;
  double per_machine_iteration = 1;    // source iterations done by one of the machine's: unrolling times vector lanes
  int vector_bits = 0;                 // widest vectors its arithmetic uses; 0: none
  OperationClasses essential, compiled;
  std::vector<NamedAmount> p_parts;    // gap P: predicted by memory level, "TLB", "conflicts", "branches", "OS"; "rest" is signed
  LoopData data;
  std::vector<Advice> advice;          // most useful first
  std::vector<std::string> remarks;    // the compiler's own, and doubts of ours
  bool operator==(const LoopBounds&) const = default;
};
template <class Fields>
void describe(Fields& f, LoopBounds& l) {
  f.need("function", l.function), f("inlined_into", l.inlined_into), f.need("file", l.file), f.need("line", l.line);
  f.need("unit", l.unit), f.need("iterations", l.iterations), f("entries", l.entries), f.need("m", l.m);
  f("m_practical", l.m_practical), f.need("ma", l.ma), f.need("mac", l.mac), f.need("macs", l.macs);
  f.need("window", l.window);
  if (Fields::reading || l.overlap != 0) f("overlap", l.overlap);
  f.need("measured", l.measured), f("measured_error", l.measured_error);
  f.need("gaps", l.gaps), f("essential_flops", l.essential_flops), f("per_flop", l.per_flop);
  f("limited_by", l.limited_by), f("t_d", l.t_d), f("t_d_reassociated", l.t_d_reassociated), f("seconds", l.seconds);
  f("share", l.share);
  if (Fields::reading || l.outer) f("outer", l.outer);
  if (Fields::reading || l.irreducible) f("irreducible", l.irreducible);
  f("per_machine_iteration", l.per_machine_iteration), f("vector_bits", l.vector_bits), f("essential", l.essential);
  f("compiled", l.compiled), f("p_parts", l.p_parts), f("data", l.data), f.need("advice", l.advice), f("remarks", l.remarks);
}

// Sums over loops and the code outside of them, in seconds: equations 4.15 and 4.16.
struct RunTimeBound {
  double m = 0, mac = 0, macs = 0, window = 0;
  std::optional<double> ma;            // not known without sources
  std::optional<double> measured;
  bool operator==(const RunTimeBound&) const = default;
};
template <class Fields>
void describe(Fields& f, RunTimeBound& b) {
  f.need("m", b.m), f.need("ma", b.ma), f.need("mac", b.mac), f.need("macs", b.macs), f.need("window", b.window);
  f.need("measured", b.measured);
}

// One parallel region, run by some number of threads (equations 4.17, 4.18, 7.1).
struct ParallelRegionBound {
  std::string function;
  Location at;
  int threads = 1;
  std::vector<double> iterations;      // of the region's loops, by thread
  double balanced_seconds = 0, actual_seconds = 0;  // bounds: work shared evenly; the busiest thread's
  std::optional<double> measured_seconds;  // elapsed
  std::vector<double> busy_seconds;    // measured: processor time by thread, without waiting; empty: not watched
  double imbalance = 0;                // actual / balanced - 1
  std::optional<double> measured_imbalance;  // of busy_seconds: largest / mean - 1
  std::optional<double> utilisation;   // MUF: balanced bound over measured
  std::optional<double> speedup;       // measured, against one thread
  bool operator==(const ParallelRegionBound&) const = default;
};
template <class Fields>
void describe(Fields& f, ParallelRegionBound& r) {
  f.need("function", r.function), f("at", r.at), f.need("threads", r.threads), f("iterations", r.iterations);
  f.need("balanced_seconds", r.balanced_seconds), f.need("actual_seconds", r.actual_seconds);
  f("measured_seconds", r.measured_seconds), f("busy_seconds", r.busy_seconds), f("imbalance", r.imbalance);
  f("measured_imbalance", r.measured_imbalance), f("utilisation", r.utilisation), f("speedup", r.speedup);
}

// The whole program at one number of threads (equation 4.19).
struct ThreadsBound {
  int threads = 1;
  double sequential_seconds = 0;       // bound of what runs outside parallel regions
  double balanced_seconds = 0, actual_seconds = 0;  // of the program
  std::optional<double> measured_seconds;
  std::optional<double> utilisation, speedup;
  std::vector<ParallelRegionBound> regions;
  bool operator==(const ThreadsBound&) const = default;
};
template <class Fields>
void describe(Fields& f, ThreadsBound& t) {
  f.need("threads", t.threads), f("sequential_seconds", t.sequential_seconds), f("balanced_seconds", t.balanced_seconds);
  f("actual_seconds", t.actual_seconds), f("measured_seconds", t.measured_seconds), f("utilisation", t.utilisation);
  f("speedup", t.speedup), f("regions", t.regions);
}

// Of one parallel region: with how many threads it is fastest, and with how many the machine is used best (figures 18, 19).
struct RegionChoice {
  std::string function;
  Location at;
  int fastest_threads = 1, best_used_threads = 1;
  bool operator==(const RegionChoice&) const = default;
};
template <class Fields>
void describe(Fields& f, RegionChoice& c) {
  f.need("function", c.function), f("at", c.at), f.need("fastest_threads", c.fastest_threads), f.need("best_used_threads", c.best_used_threads);
}

// A law of the hierarchy that does not hold, before anything was clamped.
struct BrokenLaw {
  std::string law;       // "macs <= measured"
  std::string function;
  Location at;
  double by = 0;         // relative excess
  bool operator==(const BrokenLaw&) const = default;
};
template <class Fields>
void describe(Fields& f, BrokenLaw& b) {
  f.need("law", b.law), f("function", b.function), f("at", b.at), f.need("by", b.by);
}

struct Bounds {
  static constexpr const char* format = "perfcast.bounds";
  static constexpr int version = 1;
  std::string program, machine;
  MadeBy made_by;
  std::vector<LoopBounds> loops;       // hottest first
  RunTimeBound run_time;               // of the whole program, seconds
  double outside_loops_seconds = 0;    // part of run_time.macs
  double loops_share = 0;              // of the program's time in the loops listed
  std::string measured_how;            // how `measured` was come by, or why it is absent
  std::vector<ThreadsBound> threads;   // parallel programs, by number of threads
  std::optional<int> fastest_threads, best_used_threads;
  std::vector<RegionChoice> region_threads;  // of the regions whose time was watched
  std::vector<Advice> advice;          // of all loops, most useful first
  std::vector<BrokenLaw> broken_laws;
  std::vector<std::string> remarks;
  std::vector<Gap> unknown;            // what was not known
  bool operator==(const Bounds&) const = default;
};
template <class Fields>
void describe(Fields& f, Bounds& b) {
  f.need("program", b.program), f.need("machine", b.machine), f("made_by", b.made_by), f.need("loops", b.loops);
  f("run_time", b.run_time), f("outside_loops_seconds", b.outside_loops_seconds), f("loops_share", b.loops_share);
  f("measured_how", b.measured_how), f("threads", b.threads), f("fastest_threads", b.fastest_threads);
  f("best_used_threads", b.best_used_threads), f("region_threads", b.region_threads), f("advice", b.advice), f("broken_laws", b.broken_laws);
  f("remarks", b.remarks), f("unknown", b.unknown);
}

PERFCAST_RECORD_FILE(extern, Bounds)

}  // namespace perfcast

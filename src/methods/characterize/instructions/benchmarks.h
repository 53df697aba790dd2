// From the table of forms to benchmark functions in assembler. Each benchmark is one function with a counted loop
// around unrolled copies: chains for latency, streams for throughput, pairs of streams for shared pipes, streams
// thinned with fillers for rename slots, and the table's special cases.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "methods/characterize/instructions/form_table.h"

namespace perfcast::instructions {

enum class Kind { clock, canary, guard, chain, accumulate, stream, pair, slots, easy, special };

struct Benchmark {
  std::string name;       // "chain/add.rr64", "pair/imul.rr64/load.r64", "window/nop/384"
  Kind kind = Kind::special;
  std::string form;       // of chain, stream, pair, slots, easy
  std::string with;       // the reference of a pair; the kind of a special case
  std::string body;       // one iteration of the loop, expanded
  std::string setup, before;
  double per = 1;         // what is measured happens so often in one iteration
  int iterations = 0;     // at least so many per slice
};

constexpr int slot_fillers = 7;  // between two copies in a benchmark of slots
int instructions_in(const std::string& text);  // of a form's chain or stream: its helpers too

struct Selection {
  bool pairs = true, slots = true, special = true;
  std::set<std::string> kinds;  // of special cases; empty: all
};

// Every benchmark of the table: clocks, canary and guards first, then in the order of the table, wide vectors last.
std::vector<Benchmark> list_benchmarks(const FormTable& table, const Selection& selection = {});

// One assembler file: a function per benchmark, its loop named by loop_symbol, and the table `perfcast_benchmarks` that the
// harness reads.
// `lines` receives, per benchmark, the first line of its function, so that an assembler's complaint finds its culprit.
std::string write_assembly(const FormTable& table, const std::vector<Benchmark>& benchmarks,
                           std::vector<int>* lines = nullptr);

std::string loop_symbol(std::size_t benchmark);  // "perfcast_l12"

// Expands `@5(text)`, `<i>`, `<o8>` and register sets; exposed for its tests. The copy is number `index`; registers
// are taken from the part [low, high) of each set (shares of 1).
std::string expand(const FormTable& table, const std::string& text, int index, double low = 0, double high = 1);

}  // namespace perfcast::instructions

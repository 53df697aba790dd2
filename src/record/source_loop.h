// What the source of a loop asks of any machine, whatever a compiler made of it: the essential operations of Lee and
// Davidson 1994, section 3.2. Multiplications and additions are fused wherever possible, each distinct array element
// is loaded once, addresses and loop counters cost nothing, recurrences are kept apart from everything else.
// Filled by frontends/llvm_ir/source_loops; may be written by hand for machines no compiler of today knows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/gap.h"

namespace perfcast {

// All references of a loop to one array whose distances from each other are constant: what the iteration i needs of
// them beyond what iterations before it have already brought.
struct Reference {
  std::string array;                  // as the compiler names it; may be empty
  bool store = false;
  int element_bytes = 8;
  std::string type;                   // of an element: "f64"
  double elements = 1;                // distinct new elements per iteration
  double written = 1;                 // references in the source per iteration
  std::vector<std::optional<double>> stride_bytes;  // per iteration of this loop, then of each loop around it; none: not affine
  double span_bytes = 0;              // between the farthest two references: what must be kept to load each element once
  int line = 0;
  bool side_by_side = false;          // of a loop inside, unrolled whole: its elements, or those of consecutive iterations, lie side by side
  bool operator==(const Reference&) const = default;
  bool affine() const { return !stride_bytes.empty() && stride_bytes[0].has_value(); }
  // The elements of consecutive iterations lie side by side: whole vectors can be loaded.
  bool contiguous() const { return side_by_side || (affine() && elements > 0 && (*stride_bytes[0] == elements * element_bytes || *stride_bytes[0] == -elements * element_bytes)); }
};
template <class Fields>
void describe(Fields& f, Reference& r) {
  f("array", r.array);
  if (Fields::reading || r.store) f("store", r.store);
  f("element_bytes", r.element_bytes), f("type", r.type), f("elements", r.elements), f("written", r.written);
  f("stride_bytes", r.stride_bytes), f("span_bytes", r.span_bytes), f("line", r.line);
  if (Fields::reading || r.side_by_side) f("side_by_side", r.side_by_side);
}

// A cycle of dependences from one iteration to a later one.
struct Recurrence {
  std::map<std::string, double> operations;  // on the cycle, in the vocabulary of the IR level
  double distance = 1;                       // iterations from one end of the cycle to the other
  bool reassociable = false;                 // a sum, product, minimum or maximum: order is all that makes it a chain
  bool allowed = false;                      // ... and the language rules in force allow another order
  int line = 0;
  bool operator==(const Recurrence&) const = default;
};
template <class Fields>
void describe(Fields& f, Recurrence& r) {
  f.need("operations", r.operations), f("distance", r.distance);
  if (Fields::reading || r.reassociable) f("reassociable", r.reassociable);
  if (Fields::reading || r.allowed) f("allowed", r.allowed);
  f("line", r.line);
}

struct SourceLoop {
  std::string function;               // linkage name of the function the loop ends up in
  std::string source_function;        // the one it is written in
  Location at;
  int first_line = 0, last_line = 0;  // of everything in it
  std::optional<int> parent;          // index into Profile::source_loops
  bool innermost = true;
  int beside = 0;                     // its number among loops side by side that begin at the same place, as those of a macro
  double entries = 0, iterations = 0; // of the source, in the run; all copies of the loop together
  double flops = 0;                   // essential ones, per iteration; what lies in inner loops is theirs
  std::map<std::string, double> operations;  // essential, per iteration; loads and stores are `references`
  std::map<std::string, double> overhead;    // of closing the loop, per machine iteration; front ends leave it empty
  std::vector<Reference> references;
  std::vector<Recurrence> recurrences;       // the slowest, then the slowest that reassociation would leave; through inner loops only when those are unrolled whole
  std::map<std::string, double> calls;       // not inlined even then, per iteration
  double branches = 0;                       // conditions inside the body, per iteration
  bool operator==(const SourceLoop&) const = default;
};
template <class Fields>
void describe(Fields& f, SourceLoop& l) {
  f.need("function", l.function), f("source_function", l.source_function), f("at", l.at);
  f("first_line", l.first_line), f("last_line", l.last_line), f("parent", l.parent);
  if (Fields::reading || !l.innermost) f("innermost", l.innermost);
  if (Fields::reading || l.beside) f("beside", l.beside);
  f("entries", l.entries), f("iterations", l.iterations), f("flops", l.flops), f("operations", l.operations);
  f("overhead", l.overhead), f("references", l.references), f("recurrences", l.recurrences), f("calls", l.calls);
  if (Fields::reading || l.branches) f("branches", l.branches);
}

// What the compiler itself said about a place: a loop it did not vectorise and why, a call it did not inline.
struct CompilerRemark {
  std::string pass;   // "loop-vectorize"
  std::string text;
  Location at;
  bool missed = true;
  bool operator==(const CompilerRemark&) const = default;
};
template <class Fields>
void describe(Fields& f, CompilerRemark& r) {
  f.need("pass", r.pass), f.need("text", r.text), f("at", r.at), f("missed", r.missed);
}

}  // namespace perfcast

// How far apart two machines are, and whether two characterizations of one machine agree.
//
// The distance is the root mean square of the logarithms of the ratios of what both machines know, section by section:
//   distance = sqrt(1/n sum ln^2(b_i / a_i)),   shape = sqrt(1/(n-1) sum (ln(b_i / a_i) - mean)^2).
// 0 is the same machine, 0.1 is about ten percent in every number. The shape is what is left when one machine is simply
// faster in everything (the distance between performance shapes of Saavedra and Smith); a machine twice as fast at all
// of it has distance 0.69 and shape 0.
#pragma once

#include <string>
#include <vector>

#include "record/machine.h"

namespace perfcast {

struct NamedQuantity;  // comparison.h

struct MachineDistance {
  std::string section, a, b;  // "all": the sections together, each with the same weight
  int quantities = 0;         // that both machines know
  double distance = 0, shape = 0;
  double ratio = 1;           // geometric mean of b/a
  bool operator==(const MachineDistance&) const = default;
};
template <class Fields>
void describe(Fields& f, MachineDistance& d) {
  f.need("section", d.section), f.need("a", d.a), f.need("b", d.b), f.need("quantities", d.quantities);
  f.need("distance", d.distance), f.need("shape", d.shape), f.need("ratio", d.ratio);
}

// One line per section in which the machines share two numbers or more, then "all". Without common numbers none.
std::vector<MachineDistance> distances_between(const Machine& a, const Machine& b);
// The same from all their numbers (quantities_of), where many pairs are compared; `a` and `b` are left empty.
std::vector<MachineDistance> distances_between(const std::vector<NamedQuantity>& a, const std::vector<NamedQuantity>& b);

// A number that two characterizations of one machine do not agree on.
struct Disagreement {
  std::string section, name;
  double a = 0, b = 0;      // the values; 0 where it was not detected
  double intervals = 0;     // how far apart, in half intervals of the difference: above 1
  bool disturbed = false;   // either was measured on a disturbed machine
  bool operator==(const Disagreement&) const = default;
};
template <class Fields>
void describe(Fields& f, Disagreement& d) {
  f.need("section", d.section), f.need("name", d.name), f.need("a", d.a), f.need("b", d.b), f.need("intervals", d.intervals);
  f("disturbed", d.disturbed);
}

struct Repetition {
  std::string a, b;
  int compared = 0, agreeing = 0;       // numbers with a spread on both sides; within their intervals
  double within_5 = 0, within_10 = 0;   // share of the compared that differ by at most 5 and 10 %
  std::vector<Disagreement> beyond;     // farthest apart first
  bool operator==(const Repetition&) const = default;
};
template <class Fields>
void describe(Fields& f, Repetition& r) {
  f.need("a", r.a), f.need("b", r.b), f.need("compared", r.compared), f.need("agreeing", r.agreeing);
  f.need("within_5", r.within_5), f.need("within_10", r.within_10), f.need("beyond", r.beyond);
}

// Whether two files describe one machine, characterized twice: the same host, processor and instruction set.
bool same_machine(const Machine& a, const Machine& b);

// Every number that has a spread on both sides, all compilers and flags apart. They agree when they differ by at most
// two standard deviations of the difference; a cost that was not detected agrees with anything below its limit.
Repetition repetition_of(const Machine& a, const Machine& b);

}  // namespace perfcast

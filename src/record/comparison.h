// Every number of a machine by name, and machines side by side, normalised to one of them (Saavedra figures 4.10, 4.11
// and 7.1-7.3).
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "record/machine.h"

namespace perfcast {

struct NamedQuantity {
  std::string section;  // "fortran", "core", "memory", "system", "peaks", ...
  std::string name;     // "ARSL", "branches misprediction", "levels L2 latency_ns"
  Measurement measured;
  bool operator==(const NamedQuantity&) const = default;
};
// All measured numbers of the machine, in the order of its file. Of several cost sets for one language the first.
std::vector<NamedQuantity> quantities_of(const Machine& machine);

struct ComparedQuantity {
  std::string section, name;
  std::map<std::string, double> value;     // by machine; absent where unknown
  std::map<std::string, double> relative;  // to the reference; absent where either is unknown or not above zero
  bool operator==(const ComparedQuantity&) const = default;
};
template <class Fields>
void describe(Fields& f, ComparedQuantity& q) {
  f.need("section", q.section), f.need("name", q.name), f.need("value", q.value), f("relative", q.relative);
}

// Geometric mean of the relative costs of a group of operations: below 1 is faster than the reference.
struct ComparedGroup {
  std::string section, name;
  std::map<std::string, double> relative;
  std::map<std::string, double> operations;  // how many entered the mean
  bool operator==(const ComparedGroup&) const = default;
};
template <class Fields>
void describe(Fields& f, ComparedGroup& g) {
  f.need("section", g.section), f.need("name", g.name), f.need("relative", g.relative), f("operations", g.operations);
}

struct Comparison {
  static constexpr const char* format = "perfcast.comparison";
  static constexpr int version = 1;
  std::string reference;
  std::vector<std::string> machines;
  std::vector<ComparedGroup> groups;
  std::vector<ComparedQuantity> quantities;
  bool operator==(const Comparison&) const = default;
};
template <class Fields>
void describe(Fields& f, Comparison& c) {
  f.need("reference", c.reference), f.need("machines", c.machines), f.need("groups", c.groups);
  f.need("quantities", c.quantities);
}

// `reference` is the name of one of the machines. What only one machine knows is left out.
Comparison compare_machines(std::span<const Machine> machines, const std::string& reference);

}  // namespace perfcast

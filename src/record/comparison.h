// Every number of a machine by name, and machines side by side, normalised to one of them (Saavedra figures 4.10, 4.11
// and 7.1-7.3).
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "record/distance.h"
#include "record/machine.h"

namespace perfcast {

struct NamedQuantity {
  std::string section;  // "fortran", "core", "instructions", "memory", "system", "peaks", ...
  std::string name;     // "ARSL", "branches misprediction", "levels L2 latency_ns"
  Measurement measured;
  bool operator==(const NamedQuantity&) const = default;
};
// Of several cost sets for one language: the first, under the language; or all, under language, compiler and flags.
enum class Compilers { first, apart };
// All measured numbers of the machine, in the order of its file.
std::vector<NamedQuantity> quantities_of(const Machine& machine, Compilers compilers = Compilers::first);

// What a part of a prediction is spent on: operations of the source by their group ("single real arithmetic"), other
// parts by their own name ("ports", "memory: L2").
std::string resource_of(const std::string& part);

// What is known of each machine, by its name. Written without looking for each name among those before it, as a map of a
// record otherwise is: there may be ten thousand machines.
template <class T>
struct ByMachine : std::map<std::string, T> {};
template <class T>
Json shape_to_json(const ByMachine<T>& map) {
  Json object = Json::object();
  auto& members = object.get_ref<Json::object_t&>();
  for (const auto& [name, element] : map) members.emplace_back(name, to_json_value(element));
  return object;
}
template <class T>
void shape_from_json(const Json& json, ByMachine<T>& map, const std::string& place) {
  from_json_value(json, static_cast<std::map<std::string, T>&>(map), place);
}

struct ComparedQuantity {
  std::string section, name;
  ByMachine<double> value;     // absent where unknown
  ByMachine<double> relative;  // to the reference; absent where either is unknown or not above zero
  bool operator==(const ComparedQuantity&) const = default;
};
template <class Fields>
void describe(Fields& f, ComparedQuantity& q) {
  f.need("section", q.section), f.need("name", q.name), f.need("value", q.value), f("relative", q.relative);
}

// Geometric mean of the relative costs of a group of operations: below 1 is faster than the reference.
struct ComparedGroup {
  std::string section, name;
  ByMachine<double> relative;
  ByMachine<double> operations;  // how many entered the mean
  bool operator==(const ComparedGroup&) const = default;
};
template <class Fields>
void describe(Fields& f, ComparedGroup& g) {
  f.need("section", g.section), f.need("name", g.name), f.need("relative", g.relative), f("operations", g.operations);
}

// A program on the machines, and which resource made the difference to the reference.
struct ComparedProgram {
  std::string program;
  ByMachine<std::string> model;
  ByMachine<double> seconds, gain;               // gain: times faster than on the reference
  ByMachine<std::array<double, 2>> interval;
  ByMachine<std::map<std::string, double>> shares;  // of the time, by resource
  ByMachine<std::string> mostly;                 // the resource whose time changed most against the reference
  ByMachine<double> mostly_seconds;              // by how much it fell (negative: rose)
  bool operator==(const ComparedProgram&) const = default;
};
template <class Fields>
void describe(Fields& f, ComparedProgram& p) {
  f.need("program", p.program), f("model", p.model), f.need("seconds", p.seconds), f("interval", p.interval), f("gain", p.gain);
  f("shares", p.shares), f("mostly", p.mostly), f("mostly_seconds", p.mostly_seconds);
}

struct Comparison {
  static constexpr const char* format = "perfcast.comparison";
  static constexpr int version = 1;
  std::string reference;
  std::vector<std::string> machines;
  std::vector<MachineDistance> distances;    // of every pair; of many machines, from the reference to each
  std::vector<Repetition> repetitions;       // of those pairs that are one machine, characterized twice
  std::vector<ComparedProgram> programs;     // those that gain most first; filled by who predicts
  std::vector<ComparedGroup> groups;
  std::vector<ComparedQuantity> quantities;
  bool operator==(const Comparison&) const = default;
};
template <class Fields>
void describe(Fields& f, Comparison& c) {
  f.need("reference", c.reference), f.need("machines", c.machines), f("distances", c.distances);
  f("repetitions", c.repetitions), f("programs", c.programs), f.need("groups", c.groups);
  f.need("quantities", c.quantities);
}

// Machines of one name get a number behind it, so that a machine can be compared with itself on another day.
void tell_apart(std::vector<Machine>& machines);

// Up to so many machines are compared pair by pair; more would take time and room that grow with their square.
constexpr std::size_t most_machines_in_pairs = 32;

// `reference` is the name of one of the machines, whose names differ. What only one machine knows is left out.
Comparison compare_machines(std::span<const Machine> machines, const std::string& reference);

}  // namespace perfcast

// A network as data: what each communication pattern costs on a topology, as expressions. A user adds a topology by
// adding a file; nothing is compiled. Clement's tables of section 4.2.2 are the first of them.
//
//   seconds = startups * startup + bytes * per_byte + hops * per_hop
//
// in the symbols P (processors), bytes (of one message, or of one processor's share) and the three costs.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "record/record_file.h"

namespace perfcast {

struct PatternCost {
  std::string startups = "0", bytes = "0", hops;  // expressions in P and bytes; on the critical path
  std::string note;
  bool operator==(const PatternCost&) const = default;
};
template <class Fields>
void describe(Fields& f, PatternCost& c) {
  f.need("startups", c.startups), f.need("bytes", c.bytes), f("hops", c.hops), f("note", c.note);
}

struct Network {
  static constexpr const char* format = "perfcast.network";
  static constexpr int version = 1;
  std::string name, about, source;
  std::map<std::string, double> costs;             // defaults in seconds: startup, per_byte, per_hop; may be empty
  std::map<std::string, PatternCost> patterns;     // neighbour, broadcast, reduction, multireduce, random, point_to_point, ...
  bool operator==(const Network&) const = default;
};
template <class Fields>
void describe(Fields& f, Network& n) {
  f.need("name", n.name), f("about", n.about), f("source", n.source), f("costs", n.costs), f.need("patterns", n.patterns);
}

PERFCAST_RECORD_FILE(extern, Network)

}  // namespace perfcast

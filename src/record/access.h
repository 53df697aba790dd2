// How one load or store of a program behaves in memory, independent of any machine: how many distinct lines and pages
// lie between two touches of the same one (reuse distance), whether its neighbours were touched shortly before (a
// prefetcher would have fetched it), and what its address depends on. Misses for any capacity follow later.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace perfcast {

// What the address is computed from, inside the innermost loop.
enum class AddressKind {
  regular,    // induction variables and invariants only
  indexed,    // a loaded value: a[b[i]]
  dependent,  // a value that a chase delivered
  chase,      // the value this very load delivered last time: p = p->next
};
template <>
struct EnumWords<AddressKind> {
  static constexpr std::pair<AddressKind, const char*> words[] = {{AddressKind::regular, "regular"},
                                                                  {AddressKind::indexed, "indexed"},
                                                                  {AddressKind::dependent, "dependent"},
                                                                  {AddressKind::chase, "chase"}};
};

// A bin of a distance histogram: `share` of the accesses had about this distance, and of those, `near` had a
// neighbouring line touched shortly before. In JSON [distance, share] or [distance, share, near].
struct DistanceBin {
  double distance = 0, share = 0, near = 0;
  bool operator==(const DistanceBin&) const = default;
};
Json shape_to_json(const DistanceBin& bin);
void shape_from_json(const Json& json, DistanceBin& bin, const std::string& place);

struct Access {
  int index = 0;           // its place among the loads and stores of its IR block; of machine code: among the instructions
  bool store = false;
  int bytes = 0;           // per execution
  int line = 0;            // of the source
  double count = 0;        // executions in the run
  AddressKind kind = AddressKind::regular;
  int chain = 0;                    // loads its address waits for, one after the other, within an iteration
  std::vector<DistanceBin> lines;   // reuse distance in distinct lines; shares of `count`
  std::vector<DistanceBin> pages;   // reuse distance in distinct pages
  double cold = 0;                  // share of first touches: never seen before in the program
  double cold_near = 0;             // ... of those, with a neighbour touched shortly before
  double unknown = 0;               // share whose reuse no burst could see ...
  double unknown_from = 0;          // ... but it is farther than this many lines
  std::vector<DistanceBin> dirtied;  // stores: farthest reuse of the line since it was last stored to; beyond the size of
                                     // a cache, the cache has written the line back and will do so again
  std::optional<double> stride_bytes;  // most frequent step between executions, where one dominates
  double stride_share = 0;
  std::optional<double> reuse_instructions;  // mean instructions between touches, of the far reuses
  // Loads that read what a store so few stores ago wrote (`distance`; 1: the last), which may still be under way; of stores that
  // go elsewhere than to fixed places on the stack. None, where somebody looked (`meetings_seen`): no load meets a store.
  std::vector<DistanceBin> meetings;
  bool meetings_seen = false;
  // Loads behind a store so few stores ago to the same place of another page (4096 bytes), and none since to this one. There may be
  // several for one load, so that the shares need not add up to at most one.
  std::vector<DistanceBin> aliases;
  bool operator==(const Access&) const = default;
};
template <class Fields>
void describe(Fields& f, Access& a) {
  f.need("index", a.index), f("store", a.store), f("bytes", a.bytes), f("line", a.line), f("count", a.count);
  f("kind", a.kind), f("chain", a.chain), f("lines", a.lines), f("pages", a.pages), f("cold", a.cold);
  f("cold_near", a.cold_near), f("unknown", a.unknown), f("unknown_from", a.unknown_from), f("dirtied", a.dirtied), f("stride_bytes", a.stride_bytes);
  f("stride_share", a.stride_share), f("reuse_instructions", a.reuse_instructions);
  f("meetings", a.meetings), f("meetings_seen", a.meetings_seen), f("aliases", a.aliases);
}

}  // namespace perfcast

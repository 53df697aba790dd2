// Loops of the source that left no loop in the code, or not for all of their iterations: a short loop that was unrolled whole is
// part of the one around it, and a vector body that runs once per entry is straight code in front of its remainder.
#pragma once

#include <map>
#include <tuple>

#include "methods/bounds/loops.h"

namespace perfcast::bounds {

using Place = std::tuple<std::string, int, int>;
inline Place place_of(const Location& at) { return {at.file, at.line, at.column}; }

// The loops of the source by their place and by their function: a large program has too many to go through them all for
// each loop of the code.
class SourceLoops {
 public:
  explicit SourceLoops(const std::vector<SourceLoop>& all) {
    for (const SourceLoop& loop : all) at_[place_of(loop.at)].push_back(&loop), in_[loop.function].push_back(&loop);
  }
  const std::vector<const SourceLoop*>& at(const Location& place) const { return found(at_, place_of(place)); }
  const std::vector<const SourceLoop*>& in(const std::string& function) const { return found(in_, function); }

 private:
  template <class Map, class Key>
  static const std::vector<const SourceLoop*>& found(const Map& map, const Key& key) {
    static const std::vector<const SourceLoop*> none;
    auto it = map.find(key);
    return it == map.end() ? none : it->second;
  }
  std::map<Place, std::vector<const SourceLoop*>> at_;
  std::map<std::string, std::vector<const SourceLoop*>> in_;
};

// Straight code that runs iterations of a loop whose remainder is in `groups` joins that group. The groups know their sources.
void take_in_straight_code(const Profile& profile, std::vector<LoopGroup>& groups);

// Fills the needs of all groups: what their source loops ask for, and those inside them that were unrolled whole.
void take_in_vanished(const Profile& profile, const SourceLoops& loops, std::vector<LoopGroup>& groups);

}  // namespace perfcast::bounds

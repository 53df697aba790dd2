// Loops of the source that left no loop in the code, or not for all of their iterations: a short loop that was unrolled whole is
// part of the one around it, and a vector body that runs once per entry is straight code in front of its remainder.
#pragma once

#include <algorithm>
#include <map>
#include <tuple>

#include "methods/bounds/loops.h"
#include "record/same_place.h"

namespace perfcast::bounds {

// Where a loop starts: file, line, column, how many loops that start at the same place lie in it, one inside the other (those of
// a macro, or of an assignment to an array of several dimensions), and its number among those side by side.
using Place = std::tuple<std::string, int, int, int, int>;

// The loops of the source by their place and by their function: a large program has too many to go through them all for
// each loop of the code.
class SourceLoops {
 public:
  explicit SourceLoops(const std::vector<SourceLoop>& all) : all_(all), inside_(same_place_inside(all)) {
    for (const SourceLoop& loop : all) at_[place_of(loop)].push_back(&loop), in_[loop.function].push_back(&loop);
  }
  Place place_of(const SourceLoop& loop) const {
    return {loop.at.file, loop.at.line, loop.at.column, inside_[static_cast<std::size_t>(&loop - all_.data())], loop.beside};
  }
  // The place of a loop of the code that holds `inside` others of the same place: the source need not know of so many.
  Place place_of(const Location& at, int inside, int beside) const {
    while (inside > 0 && !at_.contains({at.file, at.line, at.column, inside, beside})) inside--;
    return {at.file, at.line, at.column, inside, beside};
  }
  // What all copies of a loop have in common: the function it is written in, and its place.
  std::pair<std::string, Place> written(const SourceLoop& loop) const { return {loop.source_function, place_of(loop)}; }
  const std::vector<const SourceLoop*>& at(const Place& place) const { return found(at_, place); }
  const std::vector<const SourceLoop*>& in(const std::string& function) const { return found(in_, function); }

 private:
  template <class Map, class Key>
  static const std::vector<const SourceLoop*>& found(const Map& map, const Key& key) {
    static const std::vector<const SourceLoop*> none;
    auto it = map.find(key);
    return it == map.end() ? none : it->second;
  }
  const std::vector<SourceLoop>& all_;
  std::vector<int> inside_;  // of each, that part of its place
  std::map<Place, std::vector<const SourceLoop*>> at_;
  std::map<std::string, std::vector<const SourceLoop*>> in_;
};

// Straight code that runs iterations of a loop whose remainder is in `groups` joins that group. The groups know their sources.
void take_in_straight_code(const Profile& profile, const SourceLoops& loops, std::vector<LoopGroup>& groups);

// Fills the needs of all groups: what their source loops ask for, and those inside them that were unrolled whole.
void take_in_vanished(const Profile& profile, const SourceLoops& loops, std::vector<LoopGroup>& groups);

}  // namespace perfcast::bounds

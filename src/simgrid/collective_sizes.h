// The size of each collective: the largest buffer that a rank has in it. Ranks may have unlike ones (MPI_Gatherv), but all must
// choose the same way for its messages before they know the others'.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "engine/messages/replay.h"

namespace perfcast {

class CollectiveSizes {
 public:
  explicit CollectiveSizes(const Skeleton& skeleton) : steps_(engine::steps_by_rank(skeleton)) {}

  // Of the collective that `rank` enters next in a group with these members.
  double next(int group, const std::vector<int>& members, int rank) {
    Group& all = groups_[group];
    if (all.ahead.empty())
      for (int member : members)
        if (const auto* steps = steps_[static_cast<std::size_t>(member)]) all.ahead.emplace_back(*steps);
    const long number = all.entered[rank]++;
    while (all.first + static_cast<long>(all.sizes.size()) <= number) all.sizes.push_back({look_ahead(group, all), 0});
    auto& [bytes, taken] = all.sizes[static_cast<std::size_t>(number - all.first)];
    const double size = bytes;
    taken++;
    while (!all.sizes.empty() && all.sizes.front().second == members.size()) all.sizes.pop_front(), all.first++;
    return size;
  }

 private:
  struct Group {
    std::vector<engine::StepCursor> ahead;                  // of its members, behind the last collective whose size is known
    std::deque<std::pair<double, std::size_t>> sizes;       // and how many ranks have entered it
    long first = 0;                                         // number of sizes.front()
    std::map<int, long> entered;                            // by rank
  };

  static double look_ahead(int group, Group& all) {
    double largest = 0;
    for (engine::StepCursor& cursor : all.ahead)
      for (bool found = false; !found && cursor.now(); cursor.advance()) {
        const Step& step = *cursor.now();
        found = is_collective(step.act) && step.group == group;
        if (found) largest = std::max(largest, step.bytes);
      }
    return largest;
  }

  std::vector<const std::vector<Step>*> steps_;
  std::map<int, Group> groups_;
};

}  // namespace perfcast

// A loop of few taken branches comes from a buffer behind the branch predictor, as a loop stream detector keeps it: none of its
// branches waits for the fetch, only the whole for its own cycle. What repeats is the way taken: a recursion of the same five
// branches does not, one of three calls does.
#pragma once

#include <algorithm>
#include <vector>

namespace perfcast::engine {

class Replay {
 public:
  enum class Place { outside, inside, last };  // of a taken branch: not replayed, in the midst of a loop that is, at its end

  explicit Replay(int most_taken) : ways_(static_cast<std::size_t>(std::max(0, most_taken))), repeated_(ways_.size() + 1) {}

  // After `branch` was taken. A loop is known when it came twice the same way.
  Place after(const void* branch) {
    Place place = Place::outside;
    for (std::size_t period = 1; period <= ways_.size(); period++) {
      std::size_t& same = repeated_[period];
      same = ways_[(at_ + ways_.size() - period) % ways_.size()] == branch ? same + 1 : 0;
      if (place == Place::outside && same >= 2 * period) place = same % period == 0 ? Place::last : Place::inside;
    }
    if (!ways_.empty()) ways_[at_] = branch, at_ = (at_ + 1) % ways_.size();
    return place;
  }

  // Who knows which way it came.
  void forget() { std::ranges::fill(repeated_, 0); }

 private:
  std::vector<const void*> ways_;      // the last branches taken
  std::vector<std::size_t> repeated_;  // by period: how many were the same as a period before
  std::size_t at_ = 0;
};

}  // namespace perfcast::engine

// The steps of every rank played against the laws of a path: who waits for whom falls out. There is no contention and no
// topology (SimGrid knows those, src/simgrid); computation takes what the caller says.
//
//   eager        the sender goes on after its own part; the receiver ends when the message has travelled, at least its
//                own part after it asked
//   rendezvous   both end one message after the later of the two
//   requests     a message that was received while its rank computed takes the receiver's own part when it is waited for
//   collectives  all end together, except that a root or leaf that needs nobody goes on (broadcast, reduce); one that is
//                waited for later ends so long after the last rank called it, and what it takes it takes of the rank that waits
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "record/messages.h"
#include "record/skeleton.h"

namespace perfcast::engine {

struct RankTime {
  double computation = 0, communication = 0, waiting = 0;  // seconds; they add up to `end`
  double end = 0;
};

struct ReplayResult {
  double seconds = 0;             // of the slowest rank
  std::vector<RankTime> ranks;
  double messages = 0;            // sent point to point or one-sided; of a collective one for each rank that takes part
  std::vector<std::string> remarks;
};

struct ReplayOptions {
  // Seconds that a step's computation takes on this machine; default: what was recorded.
  std::function<double(int rank, double recorded)> computation;
  double most_steps = 5e8;        // more is refused
};

// An error when ranks wait for each other in a circle, with who waits where.
Result<ReplayResult> replay(const Skeleton& skeleton, const MessagePath& path, const ReplayOptions& options = {});

// The steps of each rank; nullptr for ranks that none was recorded of.
std::vector<const std::vector<Step>*> steps_by_rank(const Skeleton& skeleton);

// Goes through steps with their loops unrolled.
class StepCursor {
 public:
  explicit StepCursor(const std::vector<Step>& steps) {
    if (!steps.empty()) frames_.push_back({&steps, 0, 1});
    settle();
  }
  const Step* now() const { return frames_.empty() ? nullptr : &(*frames_.back().steps)[frames_.back().index]; }
  void advance() { frames_.back().index++, settle(); }

 private:
  struct Frame {
    const std::vector<Step>* steps;
    std::size_t index;
    double left;  // passes, this one included
  };
  void settle();
  std::vector<Frame> frames_;
};

}  // namespace perfcast::engine

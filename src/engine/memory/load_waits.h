// How long each load of the machine code waits beyond a hit in the first cache, drawn from what it, or its counterpart in
// the IR, is known to do: with which probability which level serves it, and whether its page has to be walked. The simulated core
// then finds out by itself what overlaps and what a chain of loads takes. Lines of streams and of constant steps are
// fetched ahead; they cost bandwidth (memory_time.h), no waiting.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "engine/memory/hits.h"
#include "record/profile.h"

namespace perfcast::engine {

// One load: probability and nanoseconds, by level and with or without a walk.
struct Wait {
  std::vector<std::pair<double, double>> chances;  // they add up to at most 1; the rest does not wait
  double mean_ns() const;
};
// `copies`: as of served_by.
Wait wait_of(const Access& access, const MemoryModel& memory, const ProgramReuse& program, int copies = 1);

class LoadWaits {
 public:
  // `program` as served_by takes it.
  LoadWaits(const Profile& profile, const MemoryModel& memory, const ProgramReuse& program);
  bool none() const { return waits_.empty(); }
  // Nanoseconds for the next execution of this load: indices into the machine graph, as engine::LoadPlace has them. `before`
  // is the block that came before, if known: in code that was merged it tells whose load this is.
  double draw(int function, int block, int instruction, int before = -1);
  // Mean waiting of all executions of a block's loads, were they done one after the other; nanoseconds.
  double serial_ns(int function, int block) const;

 private:
  using Place = std::tuple<int, int, int>;
  using Arrival = std::tuple<int, int, int, int>;  // with the block before
  void place(int function, int block, int instruction, double executions, const Wait& wait);
  std::map<Place, Wait> waits_;
  std::map<Arrival, Wait> arriving_;  // where it differs
  std::map<std::pair<int, int>, double> serial_;
  std::uint64_t state_ = 0x9E3779B97F4A7C15ull;
};

}  // namespace perfcast::engine

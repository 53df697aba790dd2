// Looks, while a program runs, at how much of its core it has to itself: a thread of ours visits the program's core every
// few milliseconds for some microseconds and lets the canary sing there (timing.h). The program does not run meanwhile,
// and its processor time does not count it. On a machine shared with others, run times grow in proportion to what the
// canary sees, so that they can be corrected (summarize_runs).
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "base/timing.h"

namespace perfcast {

class CoreWatch {
 public:
  // Follows the first process that the calling thread starts from now on.
  explicit CoreWatch(ThroughputCanary& canary);
  // Visits all cores this process may use, one after the other: for programs of several threads or processes.
  static CoreWatch of_all_cores(ThroughputCanary& canary) { return CoreWatch(canary, true); }
  ~CoreWatch();
  CoreWatch(const CoreWatch&) = delete;
  CoreWatch& operator=(const CoreWatch&) = delete;
  // What the canary saw; empty where the program could not be followed, has several threads, or we got no thread.
  std::vector<ThroughputCanary::Look> stop();

 private:
  CoreWatch(ThroughputCanary& canary, bool all_cores);
  void watch(int starter);
  void watch_all();
  ThroughputCanary& canary_;
  std::vector<ThroughputCanary::Look> looks_;
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

}  // namespace perfcast

// A thread, where the system has one to give. Limits on threads (ulimit -u, the pids controller of a container) are met
// like a machine with one core: the work goes on without.
#pragma once

#include <system_error>
#include <thread>
#include <utility>

namespace perfcast {

// The thread that runs `work`; one that cannot be joined if the system has no more, and then nothing was run.
template <class Thread = std::thread, class Work>
Thread thread_if_any(Work&& work) {
  try {
    return Thread(std::forward<Work>(work));
  } catch (const std::system_error&) {
    return Thread();
  }
}

}  // namespace perfcast

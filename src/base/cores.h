// The cores that a thread may run on, and staying on one of them.
#pragma once

#include <sched.h>

#include <optional>
#include <vector>

namespace perfcast {

// In rising order; empty where the system does not say.
std::vector<int> allowed_cores();

// The calling thread may use this core and no other from now on.
bool move_to(int core);

// While this lives, the calling thread and what it starts stay on this core; nothing: where they are allowed anyway.
class OnCore {
 public:
  explicit OnCore(std::optional<int> core);
  ~OnCore();
  OnCore(const OnCore&) = delete;
  OnCore& operator=(const OnCore&) = delete;

 private:
  std::optional<cpu_set_t> before_;
};

}  // namespace perfcast

#include "base/cores.h"

namespace perfcast {
namespace {

std::optional<cpu_set_t> allowed() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return {};
  return set;
}

}  // namespace

std::vector<int> allowed_cores() {
  std::vector<int> cores;
  if (const auto set = allowed())
    for (int core = 0; core < CPU_SETSIZE; core++)
      if (CPU_ISSET(static_cast<std::size_t>(core), &*set)) cores.push_back(core);
  return cores;
}

bool move_to(int core) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(core), &one);
  return ::sched_setaffinity(0, sizeof one, &one) == 0;
}

OnCore::OnCore(std::optional<int> core) {
  if (core) before_ = allowed();
  if (before_ && !move_to(*core)) before_.reset();
}

OnCore::~OnCore() {
  if (before_) ::sched_setaffinity(0, sizeof *before_, &*before_);
}

}  // namespace perfcast

#include "base/core_watch.h"

#include <unistd.h>

#include <chrono>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "base/cores.h"
#include "base/threads.h"

namespace perfcast {
namespace {

// Several programs at once are timed by the clock on the wall, which our looks take part of: a hundredth.
constexpr auto between_looks = std::chrono::milliseconds(4), between_looks_at_all = std::chrono::milliseconds(2);

// The core a process was last on, if it is running or ready there with a single thread (proc(5): stat).
std::optional<int> core_of(const std::string& process) {
  std::ifstream in("/proc/" + process + "/stat");
  std::string line;
  if (!std::getline(in, line) || line.rfind(')') == line.npos) return {};
  std::istringstream words(line.substr(line.rfind(')') + 1));
  std::string state, word;
  constexpr int threads_at = 20, processor_at = 39;  // counted as in the manual; the state is number 3
  if (!(words >> state) || state != "R") return {};
  for (int at = 4; words >> word; at++) {
    if (at == threads_at && word != "1") return {};
    if (at == processor_at) return std::stoi(word);
  }
  return {};
}

}  // namespace

CoreWatch::CoreWatch(ThroughputCanary& canary) : canary_(canary), thread_(thread_if_any([this, starter = ::gettid()] { watch(starter); })) {}

CoreWatch::CoreWatch(ThroughputCanary& canary, bool) : canary_(canary), thread_(thread_if_any([this] { watch_all(); })) {}

CoreWatch::~CoreWatch() { stop(); }

std::vector<ThroughputCanary::Look> CoreWatch::stop() {
  done_ = true;
  if (thread_.joinable()) thread_.join();
  return looks_;
}

void CoreWatch::watch(int starter) {
  const std::string children = "/proc/self/task/" + std::to_string(starter) + "/children";
  while (!done_) {
    std::this_thread::sleep_for(between_looks);
    std::string process;
    if (std::ifstream in(children); !(in >> process)) continue;
    if (auto core = core_of(process); core && move_to(*core)) looks_.push_back(canary_.look_with_clock());
  }
}

void CoreWatch::watch_all() {
  const std::vector<int> cores = allowed_cores();
  for (std::size_t i = 0; !done_ && !cores.empty(); i = (i + 1) % cores.size()) {
    std::this_thread::sleep_for(between_looks_at_all);
    if (move_to(cores[i])) looks_.push_back(canary_.look_with_clock());
  }
}

}  // namespace perfcast

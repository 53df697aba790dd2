#include "frontends/llvm_ir/library_watch.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/threads.h"
#include "frontends/llvm_ir/library_calls_marked.h"

namespace perfcast::llvm_ir {
namespace fs = std::filesystem;
namespace {

constexpr auto between_looks = std::chrono::microseconds(500);

// Processor time of another process; none once it has ended.
std::optional<double> seconds_of(int process) {
  clockid_t clock;
  timespec t;
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &t) != 0) return {};
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

double LibraryTime::at_most(const std::string& routine) const {
  constexpr double unseen = 3;  // looks: what was not met in n of them has a share below 3 / n, nineteen times in twenty
  if (routine.starts_with("sincos")) return at_most("sin" + routine.substr(6)) + at_most("cos" + routine.substr(6));  // made of both
  if (looks <= 0 || std::ranges::find(watched, routine) == watched.end()) return 1;
  const auto known = share.find(routine);
  return std::min(1.0, (known == share.end() ? 0 : known->second) + unseen / looks);
}

LibraryWatch::LibraryWatch(std::string folder, std::map<std::string, std::vector<std::string>> routines)
    : folder_(std::move(folder)), routines_(std::move(routines)) {
  thread_ = thread_if_any<std::thread>([this] { watch(); });
}

// The files of the first process are those of the program; what it starts has others.
void LibraryWatch::find_modules() {
  std::error_code ignored;
  for (const auto& file : fs::directory_iterator(folder_, ignored)) {
    const std::string name = file.path().filename().string(), checksum = name.substr(0, name.find('.'));
    const auto known = routines_.find(checksum);
    if (known == routines_.end() || modules_.contains(checksum)) continue;
    const int process = std::atoi(name.c_str() + std::min(name.size(), checksum.size() + 1));
    if (process_ == 0) process_ = process;
    const int descriptor = process == process_ ? ::open(file.path().c_str(), O_RDONLY | O_CLOEXEC) : -1;
    if (descriptor < 0) continue;
    struct stat status{};
    constexpr std::size_t least = (routine_word + 1) * sizeof(unsigned long long);
    if (::fstat(descriptor, &status) == 0 && static_cast<std::size_t>(status.st_size) >= least) {
      void* map = ::mmap(nullptr, least, PROT_READ, MAP_SHARED, descriptor, 0);
      if (map != MAP_FAILED) modules_[checksum] = {static_cast<const volatile unsigned long long*>(map), least, &known->second};
    }
    ::close(descriptor);
  }
}

void LibraryWatch::look() {
  auto& inside = looks_waiting_.emplace_back();
  for (const auto& [checksum, module] : modules_) {
    const auto number = static_cast<std::size_t>(module.words[routine_word]);
    if (number > 0 && number <= module.routines->size()) inside.push_back((*module.routines)[number - 1]);
  }
}

// Of a process at work the system tells the time no more often than its clock ticks.
void LibraryWatch::weigh(double seconds) {
  const double each = seconds / static_cast<double>(looks_waiting_.size());
  for (const auto& inside : looks_waiting_) {
    for (const std::string& routine : inside) seconds_[routine] += each;
    if (!inside.empty()) in_any_ += each;
  }
  all_ += seconds, looks_ += static_cast<int>(looks_waiting_.size());
  looks_waiting_.clear();
}

void LibraryWatch::watch() {
  double before = 0;
  constexpr std::size_t most_waiting = 16;  // looks; who takes no time meanwhile waits for something
  while (!ended_.load(std::memory_order_relaxed)) {
    std::this_thread::sleep_for(between_looks);
    if (modules_.size() < routines_.size()) find_modules();
    const auto now = process_ ? seconds_of(process_) : std::nullopt;
    if (!now) continue;
    look();
    if (*now > before) weigh(*now - before), before = *now;
    else if (looks_waiting_.size() > most_waiting) looks_waiting_.clear();
  }
}

LibraryTime LibraryWatch::stop() {
  ended_ = true;
  if (thread_.joinable()) thread_.join();
  for (auto& [checksum, module] : modules_) ::munmap(const_cast<unsigned long long*>(module.words), module.bytes);
  modules_.clear();
  LibraryTime time;
  time.looks = looks_;
  for (const auto& [checksum, routines] : routines_) time.watched.insert(time.watched.end(), routines.begin(), routines.end());
  if (all_ <= 0) return time;
  for (const auto& [routine, seconds] : seconds_) time.share[routine] = seconds / all_;
  time.all = in_any_ / all_;
  return time;
}

}  // namespace perfcast::llvm_ir

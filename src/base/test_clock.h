// For tests: the monotonic clock of this process, faster or slower than the system's, or jumping. To a chain of additions a clock that
// runs 1.3 times as fast is a core that runs at 1/1.3 of its frequency; a jump is a machine that was suspended meanwhile.
// Defines clock_gettime for the whole program: include it in one file of a test.
#pragma once

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

namespace perfcast {

struct TestClock {
  std::atomic<long long> real_start{0}, shown_start{0};  // nanoseconds
  std::atomic<double> pace{1};
  std::atomic<int> jump_at{0};          // the reading after which time jumps, counted down; 0: none
  std::atomic<long long> jump_ns{0};

  static long long real_ns() {
    timespec t{};
    ::syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return 1'000'000'000LL * t.tv_sec + t.tv_nsec;
  }
  long long shown_ns() const { return shown_start + static_cast<long long>(pace * static_cast<double>(real_ns() - real_start)); }
  // From now on; time never goes back.
  void run_at(double new_pace) {
    const long long shown = shown_ns();
    real_start = real_ns(), shown_start = shown, pace = new_pace;
  }
  // The system's time again, when nothing is being timed: who waits until some time waits by the system's clock.
  void reset() { real_start = 0, shown_start = 0, pace = 1, jump_at = 0; }
  void jump_after(int readings, double seconds) { jump_ns = static_cast<long long>(1e9 * seconds), jump_at = readings; }
};
inline TestClock& test_clock() {
  static TestClock clock;
  return clock;
}

}  // namespace perfcast

// std::chrono and all of ours read the clock by this name; the program's own comes before the C library's.
extern "C" int clock_gettime(clockid_t which, timespec* now) noexcept {
  if (which != CLOCK_MONOTONIC) return static_cast<int>(::syscall(SYS_clock_gettime, which, now));
  auto& clock = perfcast::test_clock();
  if (clock.jump_at > 0 && --clock.jump_at == 0) clock.shown_start += clock.jump_ns;
  const long long shown = clock.shown_ns();
  now->tv_sec = static_cast<time_t>(shown / 1'000'000'000), now->tv_nsec = static_cast<long>(shown % 1'000'000'000);
  return 0;
}

// A progress bar on standard error, on a terminal only, so that logs and pipes stay clean. It says how much time is
// left, and counts down while a long step is under way.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace perfcast::cli {

class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  // seconds_left 0: not known; then it is estimated from what was done so far, once two seconds have passed.
  void show(const std::string& doing, double fraction, double seconds_left = 0);
  // Takes the bar away, so that something else can be written.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void draw();       // with the lock held
  void keep_drawing(std::stop_token stop);

  bool terminal_, shown_ = false;
  Clock::time_point began_ = Clock::now(), told_ = began_;
  std::string doing_;
  double fraction_ = 0, left_ = 0;  // as told; left_ 0: not known
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread ticker_;  // last: it uses the others
};

// What the bar says of the time left, `since` seconds after it was told: "12 s left", or nothing.
std::string time_left_text(double fraction, double told_left, double passed, double since);

}  // namespace perfcast::cli

// A progress bar on standard error, on a terminal only, so that logs and pipes stay clean.
#pragma once

#include <chrono>
#include <string>

namespace perfcast::cli {

class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  // seconds_left 0: not known; then it is estimated from what was done so far, once two seconds have passed.
  void show(const std::string& doing, double fraction, double seconds_left = 0);
  // Takes the bar away, so that something else can be written.
  void clear();

 private:
  bool terminal_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace perfcast::cli

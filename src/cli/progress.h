// A progress bar on standard error, on a terminal only, so that logs and pipes stay clean.
#pragma once

#include <string>

namespace perfcast::cli {

class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  // seconds_left 0: not known.
  void show(const std::string& doing, double fraction, double seconds_left = 0);
  // Takes the bar away, so that something else can be written.
  void clear();

 private:
  bool terminal_;
};

}  // namespace perfcast::cli

// What a section of a characterization is given: the options, its share of the time, and ways to tell how far it is.
#pragma once

#include <algorithm>
#include <chrono>

#include "methods/characterize/characterize.h"

namespace perfcast::characterize {

class Work {
 public:
  using Clock = std::chrono::steady_clock;
  Work(const CharacterizeOptions& options, Seconds whole) : options(options), start_(Clock::now()), whole_(whole) {}

  const CharacterizeOptions& options;

  bool stopped() const { return options.stop && options.stop->load(std::memory_order_relaxed); }
  void begin_section(std::string name, Seconds share) {
    section_ = std::move(name), section_end_ = elapsed() + share, section_share_ = share;
    doing("", 0);
  }
  // What is left of this section's share; never negative.
  Seconds left() const { return std::max(Seconds{0}, section_end_ - elapsed()); }
  Seconds elapsed() const { return {std::chrono::duration<double>(Clock::now() - start_).count()}; }
  // `fraction` of this section is done.
  void doing(const std::string& what, double fraction) const {
    if (!options.progress) return;
    double done = std::clamp((section_end_ - section_share_ * (1 - fraction)) / whole_, 0.0, 1.0);
    options.progress({what.empty() ? section_ : section_ + ": " + what, done, whole_ * (1 - done)});
  }
  void remark(const std::string& text) const { if (options.remark) options.remark(text); }

 private:
  Clock::time_point start_;
  Seconds whole_, section_end_, section_share_;
  std::string section_;
};

// The core that experiments are pinned to: a calm one (calm_core).
int measuring_core();

}  // namespace perfcast::characterize

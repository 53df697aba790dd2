#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "base/threads.h"

namespace perfcast::cli {
namespace {
double seconds_since(std::chrono::steady_clock::time_point then) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}
}  // namespace

std::string time_left_text(double fraction, double told_left, double passed, double since) {
  constexpr double patience = 2, least = 0.05;  // seconds; a share below which an estimate would be a guess
  double left = told_left;
  if (left <= 0 && passed > patience && fraction > least) left = (passed - since) * (1 - fraction) / fraction;
  left = std::max(0.0, left - since);
  if (left <= 0) return "";
  return left < 100 ? fmt::format("{:.0f} s left  ", left) : fmt::format("{:.0f} min left  ", left / 60);
}

ProgressBar::ProgressBar() : terminal_(::isatty(STDERR_FILENO) != 0) {
  // Without a thread to be had the bar moves when it is told something, and does not count down.
  if (terminal_) ticker_ = thread_if_any<std::jthread>([this](std::stop_token stop) { keep_drawing(stop); });
}
ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::show(const std::string& doing, double fraction, double seconds_left) {
  if (!terminal_) return;
  std::lock_guard lock(mutex_);
  doing_ = doing, fraction_ = fraction, left_ = seconds_left, told_ = Clock::now(), shown_ = true;
  draw();
}

void ProgressBar::draw() {
  constexpr int width = 24;
  std::string bar = bar_text(fraction_, width);
  bar.append(width - columns_of(bar), ' ');
  const std::string left = time_left_text(fraction_, left_, seconds_since(began_), seconds_since(told_));
  std::fputs(fmt::format("\r\x1b[K{}▏{:3.0f} %  {}{}", bar, 100 * fraction_, left, doing_).c_str(), stderr);
  std::fflush(stderr);
}

void ProgressBar::keep_drawing(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    wake_.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
    if (shown_ && !stop.stop_requested()) draw();
  }
}

void ProgressBar::clear() {
  if (!terminal_) return;
  std::lock_guard lock(mutex_);
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

}  // namespace perfcast::cli

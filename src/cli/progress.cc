#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "base/text.h"

namespace perfcast::cli {

ProgressBar::ProgressBar() : terminal_(::isatty(STDERR_FILENO) != 0) {}
ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::show(const std::string& doing, double fraction, double seconds_left) {
  if (!terminal_) return;
  constexpr int width = 24;
  std::string bar = bar_text(fraction, width);
  const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  constexpr double patience = 2, least = 0.05;  // seconds; a share below which an estimate would be a guess
  if (seconds_left <= 0 && passed > patience && fraction > least) seconds_left = passed * (1 - fraction) / fraction;
  std::string left = seconds_left > 0 ? fmt::format("{:.0f} s left  ", seconds_left) : "";
  bar.append(width - columns_of(bar), ' ');
  std::fputs(fmt::format("\r\x1b[K{}▏{:3.0f} %  {}{}", bar, 100 * fraction, left, doing).c_str(), stderr);
  std::fflush(stderr);
}

void ProgressBar::clear() {
  if (terminal_) std::fputs("\r\x1b[K", stderr);
}

}  // namespace perfcast::cli

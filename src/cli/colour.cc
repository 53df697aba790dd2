#include "cli/colour.h"

#include <unistd.h>

#include <cstdlib>

#include "base/text.h"

namespace perfcast::cli {
namespace {

constexpr const char *bold = "\x1b[1m", *dim = "\x1b[2m", *blue = "\x1b[34m", *plain = "\x1b[0m";
bool is_rule(const std::string& line) { return line.starts_with("──"); }

// The bar at the end of a line, if there is one.
std::string with_coloured_bar(const std::string& line) {
  for (const char* block : {"█", "▉", "▊", "▋", "▌", "▍", "▎", "▏"})
    if (auto at = line.find(block); at != std::string::npos) return line.substr(0, at) + blue + line.substr(at) + plain;
  return line;
}

}  // namespace

bool colour_wanted() {
  const char *no = std::getenv("NO_COLOR"), *terminal = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) && !(no && *no) && !(terminal && std::string(terminal) == "dumb");
}

std::string coloured(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  std::string result;
  for (std::size_t i = 0; i < lines.size(); i++) {
    bool head = i + 1 < lines.size() && is_rule(lines[i + 1]) && !is_rule(lines[i]) && (i == 0 || lines[i - 1].empty() || i < 2);
    if (is_rule(lines[i])) result += dim + lines[i] + plain;
    else if (head) result += bold + lines[i] + plain;
    else result += with_coloured_bar(lines[i]);
    if (i + 1 < lines.size()) result += "\n";
  }
  return result;
}

}  // namespace perfcast::cli

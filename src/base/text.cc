#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace perfcast {

std::string number_text(double value, int digits) { return fmt::format("{:.{}g}", value, digits); }

std::string time_text(double seconds) {
  double size = std::abs(seconds);
  if (size == 0) return "0 s";
  if (size < 1e-6) return number_text(seconds * 1e9) + " ns";
  if (size < 1e-3) return number_text(seconds * 1e6) + " us";
  if (size < 1) return number_text(seconds * 1e3) + " ms";
  if (size < 7200) return number_text(seconds) + " s";
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string size_text(double bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  while (std::abs(bytes) >= 1024 && unit < 4) bytes /= 1024, unit++;
  return number_text(bytes) + " " + units[unit];
}

std::string percent_text(double fraction, bool sign) {
  return sign ? fmt::format("{:+.1f} %", 100 * fraction) : fmt::format("{:.1f} %", 100 * fraction);
}

std::string bar_text(double share, int width) {
  static const char* eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  int filled = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * width * 8));
  std::string bar;
  for (int i = 0; i < filled / 8; i++) bar += "█";
  bar += eighths[filled % 8];
  return bar;
}

std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

namespace {
bool looks_like_a_number(const std::string& text) {
  return !text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) ||
                           (text.size() > 1 && (text[0] == '-' || text[0] == '+' || text[0] == '<' || text[0] == '~') &&
                            std::isdigit(static_cast<unsigned char>(text[1]))));
}
}  // namespace

std::string Table::text() const {
  std::vector<std::size_t> widths;
  std::vector<bool> right(head_.size(), true);
  for (const auto& word : head_) widths.push_back(columns_of(word));
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size() && i < widths.size(); i++) {
      widths[i] = std::max(widths[i], columns_of(row[i]));
      if (!row[i].empty() && row[i] != "-" && !looks_like_a_number(row[i])) right[i] = false;
    }
  if (!right.empty()) right[0] = false;
  auto line = [&](const std::vector<std::string>& row) {
    std::string result;
    for (std::size_t i = 0; i < row.size() && i < widths.size(); i++) {
      std::string gap(widths[i] - std::min(widths[i], columns_of(row[i])), ' ');
      result += (i ? "  " : "") + (right[i] ? gap + row[i] : row[i] + gap);
    }
    result.erase(result.find_last_not_of(' ') + 1);
    return result + "\n";
  };
  std::size_t total = 2 * (widths.empty() ? 0 : widths.size() - 1);
  for (auto w : widths) total += w;
  std::string rule;
  for (std::size_t i = 0; i < total; i++) rule += "─";
  rule += "\n";
  std::string result = line(head_) + rule;
  for (const auto& row : rows_) result += row.empty() ? rule : line(row);
  return result;
}

std::string Table::markdown() const {
  auto line = [](const std::vector<std::string>& row) {
    std::string result = "|";
    for (const auto& word : row) {
      std::string cell;
      for (char c : word) cell += c == '|' ? std::string("\\|") : std::string(1, c);
      result += " " + cell + " |";
    }
    return result + "\n";
  };
  std::string result = line(head_) + "|";
  for (std::size_t i = 0; i < head_.size(); i++) result += i ? " ---: |" : " --- |";
  result += "\n";
  for (const auto& row : rows_)
    if (!row.empty()) result += line(row);
  return result;
}

std::string Table::csv() const {
  auto line = [](const std::vector<std::string>& row) {
    std::string result;
    for (std::size_t i = 0; i < row.size(); i++) {
      bool quote = row[i].find_first_of(",\"\n") != std::string::npos;
      std::string cell;
      for (char c : row[i]) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
      result += (i ? "," : "") + (quote ? '"' + cell + '"' : cell);
    }
    return result + "\n";
  };
  std::string result = line(head_);
  for (const auto& row : rows_)
    if (!row.empty()) result += line(row);
  return result;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); i++) {
    char c = text[i];
    if (quote) {
      if (c == quote) quote = 0;
      else if (c == '\\' && quote == '"' && i + 1 < text.size()) word += text[++i];
      else word += c;
    } else if (c == '\'' || c == '"') {
      quote = c, inside = true;
    } else if (c == '\\' && i + 1 < text.size()) {
      word += text[++i], inside = true;
    } else if (std::isspace(static_cast<unsigned char>(c))) {
      if (inside) words.push_back(word);
      word.clear(), inside = false;
    } else {
      word += c, inside = true;
    }
  }
  if (inside) words.push_back(word);
  return words;
}

std::string join(const std::vector<std::string>& parts, const std::string& separator) {
  std::string result;
  for (std::size_t i = 0; i < parts.size(); i++) result += (i ? separator : "") + parts[i];
  return result;
}

}  // namespace perfcast

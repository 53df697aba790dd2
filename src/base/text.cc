#include "base/text.h"

#include "base/fold.h"

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

namespace {

// The first `columns` columns of a text, in bytes.
std::size_t bytes_of(const std::string& text, std::size_t columns) {
  std::size_t at = 0;
  for (; at < text.size(); at++) {
    if ((static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) continue;
    if (columns-- == 0) break;
  }
  return at;
}

// Lines of at most `width` columns, broken at spaces; a longer word is cut.
std::vector<std::string> broken(std::string text, std::size_t width) {
  std::vector<std::string> lines;
  while (columns_of(text) > width) {
    std::size_t end = bytes_of(text, width), space = text.rfind(' ', end);
    bool at_space = space != std::string::npos && space > 0;
    lines.push_back(text.substr(0, at_space ? space : end));
    lines.back().erase(lines.back().find_last_not_of(' ') + 1);
    text.erase(0, at_space ? space : end);
    text.erase(0, text.find_first_not_of(' '));
  }
  lines.push_back(std::move(text));
  return lines;
}

using Row = std::vector<std::string>;
struct Layout {
  std::vector<std::size_t> widths;
  std::vector<bool> right;

  std::size_t total() const {
    std::size_t sum = widths.empty() ? 0 : 2 * (widths.size() - 1);
    for (auto width : widths) sum += width;
    return sum;
  }
  // Takes columns of words down to a width at which they can still be read.
  void shrink_to(std::size_t limit) {
    constexpr std::size_t narrowest = 16;
    while (total() > limit) {
      std::size_t widest = widths.size();
      for (std::size_t i = 0; i < widths.size(); i++)
        if (!right[i] && widths[i] > narrowest && (widest == widths.size() || widths[i] >= widths[widest])) widest = i;
      if (widest == widths.size()) return;
      widths[widest]--;
    }
  }
};

Layout layout_of(const Row& head, const std::vector<Row>& rows) {
  Layout layout{{}, std::vector<bool>(head.size(), true)};
  for (const auto& word : head) layout.widths.push_back(columns_of(word));
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size() && i < layout.widths.size(); i++) {
      layout.widths[i] = std::max(layout.widths[i], columns_of(row[i]));
      if (!row[i].empty() && row[i] != "-" && !looks_like_a_number(row[i])) layout.right[i] = false;
    }
  if (!layout.right.empty()) layout.right[0] = false;
  return layout;
}

std::string lines_of(const Row& row, const Layout& layout) {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (std::size_t i = 0; i < row.size() && i < layout.widths.size(); i++) {
    cells.push_back(broken(row[i], layout.widths[i]));
    height = std::max(height, cells.back().size());
  }
  std::string result;
  for (std::size_t k = 0; k < height; k++) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); i++) {
      const std::string text = k < cells[i].size() ? cells[i][k] : "";
      const std::string gap(layout.widths[i] - std::min(layout.widths[i], columns_of(text)), ' ');
      line += (i ? "  " : "") + (layout.right[i] ? gap + text : text + gap);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + "\n";
  }
  return result;
}

// How many columns, from `first` on, fit beside the first one.
std::size_t columns_that_fit(const Layout& layout, std::size_t first) {
  std::size_t used = layout.widths[0] + 2 + layout.widths[first], end = first + 1;
  while (end < layout.widths.size() && used + 2 + layout.widths[end] <= text_columns) used += 2 + layout.widths[end++];
  return end - first;
}

}  // namespace

std::string folded(const std::string& text, std::size_t columns, std::size_t hang) {
  std::string result;
  std::vector<std::string> lines = split(text, '\n');
  for (std::size_t i = 0; i < lines.size(); i++) {
    std::string& line = lines[i];
    if (columns_of(line) > columns) {
      const std::string indent(std::min<std::size_t>(line.find_first_not_of(' '), columns / 2), ' ');
      auto parts = broken(line.substr(indent.size()), columns - indent.size() - hang);
      line = indent + parts[0];
      for (std::size_t k = 1; k < parts.size(); k++) line += "\n" + indent + std::string(hang, ' ') + parts[k];
    }
    result += line + (i + 1 < lines.size() ? "\n" : "");
  }
  return result;
}

std::string Table::text() const {
  Layout layout = layout_of(head_, rows_);
  if (layout.total() > text_columns) layout.shrink_to(text_columns);
  if (layout.total() > text_columns && head_.size() > 2) {
    std::string pieces;
    for (std::size_t first = 1, count = 0; first < head_.size(); first += count) {
      count = columns_that_fit(layout, first);
      auto piece_of = [&](const Row& row) {
        Row part = row.empty() ? Row{} : Row{row[0]};
        for (std::size_t i = first; i < std::min(first + count, row.size()); i++) part.push_back(row[i]);
        return part;
      };
      Table piece(piece_of(head_));
      for (const auto& row : rows_) piece.add(piece_of(row));
      pieces += (pieces.empty() ? "" : "\n") + piece.text();
    }
    return pieces;
  }
  std::string rule;
  for (std::size_t i = 0; i < layout.total(); i++) rule += "─";
  rule += "\n";
  std::string result = lines_of(head_, layout) + rule;
  for (const auto& row : rows_) result += row.empty() ? rule : lines_of(row, layout);
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

std::string last_lines(const std::string& text, int lines) {
  constexpr std::size_t longest = 400;
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last == text.npos) return "";
  std::size_t start = last + 1;
  while (start > 0 && lines > 0)
    if (text[start - 1] != '\n' || --lines > 0) start--;
  start = std::max(start, last + 1 - std::min(last + 1, longest));
  std::string end = text.substr(start, last + 1 - start);
  for (char& c : end)
    if (c != '\n' && (c < ' ' || c > '~')) c = '?';  // strangers write anything
  return end;
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

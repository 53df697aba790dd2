#include "base/outline.h"

#include "base/text.h"

namespace perfcast {

std::string trimmed(const std::string& text) {
  auto first = text.find_first_not_of(" \t\r");
  if (first == text.npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<OutlineLine> outline_lines(const std::string& text) {
  std::vector<OutlineLine> lines;
  int number = 0;
  for (const auto& raw : split(text, '\n')) {
    number++;
    auto hash = raw.find('#');
    std::string body = raw.substr(0, hash);
    if (trimmed(body).empty()) continue;
    int indent = 0;
    for (char c : body) {
      if (c == ' ') indent++;
      else if (c == '\t') indent += 8 - indent % 8;
      else break;
    }
    lines.push_back({number, indent, trimmed(body), hash == raw.npos ? "" : trimmed(raw.substr(hash + 1))});
  }
  return lines;
}

std::pair<std::string, std::string> first_word(const std::string& text) {
  auto end = text.find_first_of(" \t");
  return {text.substr(0, end), end == text.npos ? "" : trimmed(text.substr(end))};
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> items(1);
  int depth = 0;
  for (char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) items.emplace_back();
    else items.back() += c;
  }
  for (auto& item : items) item = trimmed(item);
  if (items.size() == 1 && items[0].empty()) items.clear();
  return items;
}

}  // namespace perfcast

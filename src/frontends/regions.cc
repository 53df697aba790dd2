#include "frontends/regions.h"

#include "base/text.h"

namespace perfcast {
namespace {

// The words after `perfcast:` where it opens a comment: right after //, /*, !, or a C or * in column 1.
std::vector<std::string> words_of(const std::string& line) {
  auto at = line.find("perfcast:");
  if (at == line.npos) return {};
  auto before = line.substr(0, at);
  while (!before.empty() && (before.back() == ' ' || before.back() == '\t')) before.pop_back();
  bool comment = before.ends_with("//") || before.ends_with("/*") || before.ends_with('!') || before == "c" ||
                 before == "C" || before == "*";
  if (!comment) return {};
  std::vector<std::string> words;
  for (const auto& word : split(line.substr(at + 9), ' '))
    if (!word.empty() && word != "*/") words.push_back(word.ends_with("*/") ? word.substr(0, word.size() - 2) : word);
  return words;
}

}  // namespace

void find_regions(const std::string& file, const std::string& text, std::vector<Region>& regions,
                  std::vector<Gap>& gaps) {
  std::vector<std::size_t> open;
  int number = 0;
  for (auto line : split(text, '\n')) {
    number++;
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    auto words = words_of(line);
    if (words.size() >= 2 && words[0] == "region") {
      open.push_back(regions.size());
      regions.push_back({words[1], file, number, number});
    } else if (!words.empty() && words[0] == "end") {
      if (open.empty()) {
        gaps.push_back({"`perfcast: end` without a region", {file, number, 0}, 0});
        continue;
      }
      regions[open.back()].last_line = number;
      open.pop_back();
    }
  }
  for (auto index : open) {
    gaps.push_back({"region " + regions[index].name + " is not closed by `perfcast: end`",
                    {file, regions[index].first_line, 0}, 0});
    regions[index].last_line = number;
  }
}

}  // namespace perfcast

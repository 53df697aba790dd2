// Ranks go to the hosts of a platform in the order a person would name them.
#pragma once

#include <string>

namespace perfcast {

// Names in the order of the numbers in them: node-2 before node-10.
inline bool numbered_before(const std::string& a, const std::string& b) {
  auto digit = [](const std::string& s, std::size_t at) { return at < s.size() && s[at] >= '0' && s[at] <= '9'; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!digit(a, i) || !digit(b, j)) {
      if (a[i] != b[j]) return a[i] < b[j];
      i++, j++;
      continue;
    }
    auto number = [&](const std::string& s, std::size_t& at) {
      while (digit(s, at) && s[at] == '0') at++;
      const std::size_t from = at;
      while (digit(s, at)) at++;
      return s.substr(from, at - from);
    };
    const std::string x = number(a, i), y = number(b, j);
    if (x.size() != y.size()) return x.size() < y.size();
    if (x != y) return x < y;
  }
  return a.size() - i < b.size() - j;
}

}  // namespace perfcast

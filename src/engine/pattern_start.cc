#include "engine/pattern_start.h"

#include <algorithm>
#include <cctype>

namespace perfcast::engine {
namespace {

using Starts = std::vector<std::string>;

class Reader {
 public:
  explicit Reader(std::string_view pattern) : left_(pattern) {}

  // "a|b|c" up to the end or a closing parenthesis. Outside of all groups each way begins at the text's beginning or is lost.
  Starts ways(bool outermost) {
    Starts all;
    for (bool more = true; more;) {
      Starts one = sequence(outermost);
      all.insert(all.end(), one.begin(), one.end());
      more = !left_.empty() && left_[0] == '|';
      if (more) left_.remove_prefix(1);
    }
    return all;
  }

  bool doubtful() const { return doubtful_; }

 private:
  bool optional_follows() const { return !left_.empty() && (left_[0] == '?' || left_[0] == '*' || left_[0] == '{'); }

  // The literal beginning of one way; the rest of it is passed over.
  Starts sequence(bool outermost) {
    Starts starts{""};
    if (outermost) {
      if (left_.empty() || left_[0] != '^') return skip(), starts;
      left_.remove_prefix(1);
    }
    while (!left_.empty() && left_[0] != '|' && left_[0] != ')') {
      const char c = left_[0];
      if (c == '(' && (left_.size() < 2 || left_[1] != '?')) {
        left_.remove_prefix(1);
        Starts inside = ways(false);
        if (left_.empty()) return {""};  // not well formed
        left_.remove_prefix(1);
        if (!optional_follows()) starts = joined(starts, inside);
        return skip(), starts;
      }
      if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') break;
      left_.remove_prefix(1);
      if (optional_follows()) break;
      for (std::string& start : starts) start += c;
      if (!left_.empty() && left_[0] == '+') break;
    }
    return skip(), starts;
  }

  // To the end of this way: a bar or parenthesis that is its own.
  void skip() {
    int depth = 0;
    while (!left_.empty()) {
      const char c = left_[0];
      if (depth == 0 && (c == '|' || c == ')')) return;
      if (c == '\\' && left_.size() > 1) left_.remove_prefix(1);
      else if (c == '[') pass_set();
      else if (c == '(') depth++;
      else if (c == ')') depth--;
      if (!left_.empty()) left_.remove_prefix(1);
    }
  }
  // Up to the bracket that closes a set. Of one that comes first, dialects differ in what it is.
  void pass_set() {
    std::size_t at = left_.size() > 1 && left_[1] == '^' ? 2 : 1;
    if (at < left_.size() && left_[at] == ']') doubtful_ = true;
    while (at < left_.size() && left_[at] != ']') at += left_[at] == '\\' ? 2 : 1;
    left_.remove_prefix(std::min(at, left_.size()));
  }
  static Starts joined(const Starts& before, const Starts& after) {
    Starts all;
    for (const std::string& one : before)
      for (const std::string& other : after) all.push_back(one + other);
    return all;
  }

  std::string_view left_;
  bool doubtful_ = false;
};

}  // namespace

std::vector<std::string> starts_of(std::string_view pattern) {
  Reader reader(pattern);
  Starts starts = reader.ways(true);
  return reader.doubtful() ? Starts{""} : starts;
}

bool starts_with_any(std::string_view text, const std::vector<std::string>& starts) {
  return std::ranges::any_of(starts, [&](const std::string& start) { return text.starts_with(start); });
}

}  // namespace perfcast::engine

// Numbers and tables as people read them: aligned columns, units, bars. Text rounds, JSON does not.
#pragma once

#include <string>
#include <vector>

namespace perfcast {

// "1.23 ms", "45.6 us", "12.8 s", "2 h 5 min".
std::string time_text(double seconds);
// "64 KiB", "1.5 MiB".
std::string size_text(double bytes);
// Shortest text with at most `digits` significant digits: 0.00123, 12.8, 1.2e+09.
std::string number_text(double value, int digits = 4);
// "+12.3 %".
std::string percent_text(double fraction, bool sign = false);
// A bar of `width` cells, `share` of them filled, in eighths.
std::string bar_text(double share, int width = 20);

// A table that aligns its columns: numbers to the right, words to the left (the first column always left).
class Table {
 public:
  explicit Table(std::vector<std::string> head) : head_(std::move(head)) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  void rule() { rows_.push_back({}); }
  std::string text() const;
  std::string csv() const;
  std::string markdown() const;
  bool empty() const { return rows_.empty(); }

 private:
  std::vector<std::string> head_;
  std::vector<std::vector<std::string>> rows_;
};

// Columns a UTF-8 text takes on a terminal (code points; combining marks are not used here).
std::size_t columns_of(const std::string& text);
// The last `lines` lines that hold anything, cut to some hundred characters: the end of what a program complained.
std::string last_lines(const std::string& text, int lines = 3);
std::vector<std::string> split(const std::string& text, char separator);
// Splits a command-line fragment such as --cflags "-O2 -DNAME='a b'" the way a shell would, quotes honoured.
std::vector<std::string> split_words(const std::string& text);
std::string join(const std::vector<std::string>& parts, const std::string& separator);

}  // namespace perfcast

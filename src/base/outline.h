// Text files for people: lines, nested by indentation; from # on a line is a remark, empty lines are skipped.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace perfcast {

struct OutlineLine {
  int number = 0, indent = 0;   // in the file, from 1; columns, a tab reaches the next multiple of 8
  std::string text, remark;     // without surrounding blanks
};

std::vector<OutlineLine> outline_lines(const std::string& text);
std::string trimmed(const std::string& text);
// "word rest of it".
std::pair<std::string, std::string> first_word(const std::string& text);
// At commas outside parentheses.
std::vector<std::string> split_list(const std::string& text);

}  // namespace perfcast

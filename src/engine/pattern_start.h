// How the texts that fit a regular expression begin, read off the expression: most rules of a machine file name the opcodes
// they are for, and most opcodes begin otherwise. Trying the expression itself takes a hundred times as long.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace perfcast::engine {

// Whatever fits begins with one of these; {""}: it may begin with anything, as far as we can read.
std::vector<std::string> starts_of(std::string_view pattern);

bool starts_with_any(std::string_view text, const std::vector<std::string>& starts);

}  // namespace perfcast::engine

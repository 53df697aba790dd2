// Colour for tables on a terminal, and only there: heads stand out, rules and bars step back. NO_COLOR is honoured.
#pragma once

#include <string>

namespace perfcast::cli {

bool colour_wanted();  // standard output is a terminal that wants it
// `text` with the heads of its tables bold, rules dim and bars coloured.
std::string coloured(const std::string& text);

}  // namespace perfcast::cli

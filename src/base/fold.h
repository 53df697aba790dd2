// How wide text views are, and how longer lines are broken.
#pragma once

#include <string>

namespace perfcast {

// Columns of a terminal that text views keep to. A Table that is wider breaks the words of its widest columns; one that is
// still too wide comes in several pieces, each with the first column.
inline constexpr std::size_t text_columns = 100;

// Lines that are longer are broken between words, their rest indented like the line itself and `hang` more.
std::string folded(const std::string& text, std::size_t columns = text_columns, std::size_t hang = 2);

}  // namespace perfcast

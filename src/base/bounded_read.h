// How much of a file is read at most. What is larger is refused; so are pipes and devices that give more, once they have.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace perfcast {

inline constexpr std::size_t largest_file_bytes = std::size_t{2} << 30;

// read_file (files.h) with a limit of its own.
Result<std::string> read_file_up_to(const std::string& path, std::size_t most_bytes);

}  // namespace perfcast

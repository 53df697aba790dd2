// A gate as people read it: on a terminal, and as Markdown for a pull request.
#pragma once

#include <string>

#include "record/gate.h"

namespace perfcast::report {

std::string gate_text(const Gate& gate, std::size_t rows = 20);
std::string gate_markdown(const Gate& gate, std::size_t rows = 20);

}  // namespace perfcast::report

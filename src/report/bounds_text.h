// Bounds as people read them: a ladder of bars for each loop, what to do first, and which laws were broken.
#pragma once

#include <string>

#include "record/bounds.h"

namespace perfcast::report {

struct BoundsView {
  std::size_t loops = 12;    // shown in full; the rest is one line each
  std::size_t advice = 10;
  int width = 48;            // of a bar
};
std::string bounds_text(const Bounds& bounds, const BoundsView& view = {});

}  // namespace perfcast::report

// A use-tree drawn in text, with what upgrades buy and how signatures compare.
#pragma once

#include <string>

#include "record/use_tree.h"

namespace perfcast::report {

struct TreeView {
  double smallest = 0.0005;   // nodes with less of both time and demand are not drawn
  std::size_t ranked = 10;    // rows of the ranking
};

std::string tree_text(const UseTree& tree, const TreeView& view = {});

}  // namespace perfcast::report

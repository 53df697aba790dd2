// Where does the demand go, and what does an upgrade buy? Use-trees after Lyon & Snelick 1990, part I.
//
// A skeleton (data/trees) names the services of a system; what was observed of a program decorates it. The tree is made
// of compiled code on a machine, of levels of parallelism, or of the times of a message-passing program.
#pragma once

#include <string>
#include <vector>

#include "record/demand.h"
#include "record/dilation.h"
#include "record/machine.h"
#include "record/profile.h"
#include "record/use_tree.h"

namespace perfcast::tree {

struct TreeOptions {
  std::string skeleton;               // a bundled name or a file; empty: the one for this kind of input
  std::optional<TreeClock> clock;     // interpretation other than the skeleton's
  std::vector<std::string> upgrades;  // "DRAM=2", "clock=1.5"; of processors "processors=4@3" or "processors=4,2,1@3,5,9"
  bool rank = true;                   // also all single upgrades the skeleton knows, each by `rank_factor`
  double rank_factor = 2;
  std::optional<double> instructions; // to simulate for the core's time; none: as many as predict does
  bool alone = false;                 // on a core nobody else uses, whatever the machine file says of neighbours
  int crossed = 4;                    // the best of the ranking crossed, when fewer than two upgrades are asked for
};

Result<UseTree> make_tree(const Profile& profile, const Machine& machine, const TreeOptions& options = {});
Result<UseTree> make_tree(const DemandProfile& profile, const TreeOptions& options = {});
Result<UseTree> make_tree(const Dilation& dilation, const TreeOptions& options = {});

// Another program on this tree's machine, or this program elsewhere. Alike in demand but not in performance means that
// the tree lacks detail, and in which leaf.
SignatureComparison compare(const UseTree& tree, const UseTree& other);

}  // namespace perfcast::tree

// Upgrades of a tree of levels of parallelism: a few processors replaced by faster ones (Lyon & Snelick 1990, example I),
// less interference between them, a wider interconnect, and levels that are served faster.
#pragma once

#include "methods/tree/upgrade.h"
#include "record/demand.h"

namespace perfcast::tree {

// One step for each cell of "processors=4,2,1@3,5,9", row by row.
Result<std::vector<Step>> processor_steps(const UpgradeWord& word, int processors);

// One processor, half and all of them by this factor.
std::vector<Step> usual_replacements(int processors, double factor);

// What the steps buy together. Changes:
//   processors  some are replaced, or all;   loss: each costs the others less;   ceiling: of the interconnect
// and nodes that are served faster.
Upgrade upgrade_levels(const UseNode& root, const DemandProfile& profile, const std::vector<Step>& steps);

// The paper's table, of the cells of a word in their order.
ProcessorTable processor_table(const UpgradeWord& word, const std::vector<Upgrade>& cells);

}  // namespace perfcast::tree

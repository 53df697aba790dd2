// A few processors of a parallel machine replaced by faster ones: the table of Lyon & Snelick 1990, example I.
#pragma once

#include "methods/tree/upgrade.h"
#include "record/demand.h"

namespace perfcast::tree {

// Adds to a tree of levels of parallelism what "processors=4,2,1@3,5,9" buys, cell by cell.
Status add_processors(UseTree& tree, const DemandProfile& profile, const UpgradeWord& word);

}  // namespace perfcast::tree

// Regions named by comments in the source, in any language: `perfcast: region NAME` ... `perfcast: end`. They may
// nest; the lines between the two comments belong to the region.
#pragma once

#include <string>
#include <vector>

#include "record/profile.h"

namespace perfcast {

// Adds the regions of one file. A region that is never closed reaches to the end of the file and is a Gap.
void find_regions(const std::string& file, const std::string& text, std::vector<Region>& regions,
                  std::vector<Gap>& gaps);

}  // namespace perfcast

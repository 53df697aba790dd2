// Time that a hypervisor gave to other machines while a core of this one wanted to run, as /proc/stat counts it (in ticks of
// some 10 ms). Machines without a hypervisor, and those whose hypervisor keeps it to itself, show none.
#pragma once

#include <optional>
#include <string>

#include "base/units.h"

namespace perfcast {

// Of one core, or of all together, since the system started; `stat` is the text of /proc/stat. None where it is not told.
std::optional<Seconds> stolen_in(const std::string& stat, std::optional<int> core, double ticks_per_second);

// Now; 0 where it is not told.
Seconds stolen_seconds(std::optional<int> core);

}  // namespace perfcast

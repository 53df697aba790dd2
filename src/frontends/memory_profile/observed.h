// What a run-time library saw of one load or store (data/runtime/memory_profile_layout.h) becomes an Access: the shares of
// its reuse distances, its neighbours and its step. The same for compiled programs and for those run under emulation.
#pragma once

#include "record/access.h"

struct perfcast_access_data;

namespace perfcast::memory_profile {

// `whole`: the run was watched from beginning to end, so that what had no touch before it is a first touch.
void describe_access(const perfcast_access_data& data, bool whole, Access& access);

}  // namespace perfcast::memory_profile

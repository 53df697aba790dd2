// Walks that use a few sets of a cache only. A cache is chosen into by the low bits of an address; those within a page
// are the program's own, those above are as good as chance, since pages lie anywhere in memory. A walk in steps that
// share a large factor with the page size meets few of the places a page has, and so sees only that part of each cache:
// reuses whose lines would fit miss all the same. The last cache of three or more spreads its lines by a hash instead.
#pragma once

#include "record/access.h"
#include "record/memory.h"

namespace perfcast::engine {

// Part of a cache that a walk in steps of so many bytes reaches; 1: all of it.
double share_of_cache(double step_bytes, const MemoryModel& memory);

// The access with its reuses as far away as they seem in the part of the caches that its walk reaches.
Access with_conflicts(const Access& access, double step_bytes, const MemoryModel& memory);

}  // namespace perfcast::engine

// Puts the planned counters into a module: increments on edges, splitting those that need it; counters of loops in
// registers; the array (or, with threads, the pointer to this thread's array) and its registration at program start.
#pragma once

#include "frontends/llvm_ir/counter_plan.h"

namespace perfcast::llvm_ir {

// The array starts with this many words of its own: magic, checksum, number of counters, process, page
// faults before the program's own code, thread, subnormal numbers met, and without threads the library routine it is in
// (library_calls_marked.h).
constexpr int counter_header_words = 8;
constexpr const char* counts_name = "perfcast.counts";  // the array, in programs without threads
constexpr std::uint64_t counter_magic = 0x31544e554f434650;  // "PFCOUNT1"

void insert_counters(llvm::Module& module, const ModulePlan& plan, const LeavingCalls& leaving, bool threads);

}  // namespace perfcast::llvm_ir

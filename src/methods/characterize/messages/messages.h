// What messages between ranks and threads of one process cost here. MPI and OpenMP are run as programs of their own,
// compiled on the spot (data/runtime/message_bench.c, thread_bench.c): perfcast links neither.
#pragma once

#include <string>

#include "methods/characterize/work.h"
#include "record/messages.h"

namespace perfcast::characterize {

// Sections of a characterization.
Status measure_messages(Work& work, Machine& machine);
Status measure_threads(Work& work, Machine& machine);

// What the helper programs print.
Result<MessagePath> path_of(const std::string& printed, const std::string& name);
Result<ThreadCosts> threads_of(const std::string& printed);

}  // namespace perfcast::characterize

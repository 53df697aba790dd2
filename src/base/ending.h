// When a signal ends us: what we started goes first.
#pragma once

#include <atomic>

namespace perfcast {

// Ends every program that runs now (process.h); none is started after that.
void end_running_programs();

// The first SIGINT from now on sets `stop`, and the program goes on until it looks there; the next one ends it as always.
// `stop` lives as long as the program.
void stop_at_first_interrupt(std::atomic<bool>& stop);

// Asked by who takes the signals: true when this one was the first and `stop` is set.
bool take_first_interrupt();

}  // namespace perfcast

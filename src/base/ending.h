// When a signal ends us: what we started goes first.
#pragma once

namespace perfcast {

// Ends every program that runs now (process.h); none is started after that.
void end_running_programs();

}  // namespace perfcast

// The section `system`: what the operating system adds to a program's time: a page touched for the first time, a
// process started and ended, the clock read, a system call, a byte of a file.
#pragma once

#include "methods/characterize/work.h"

namespace perfcast::characterize {

Status measure_system(Work& work, Machine& machine);

}  // namespace perfcast::characterize

// Which library routines are worth tracing: emulation is slow, and most programs call a few that are soon done.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/units.h"

namespace perfcast {

// A routine whose work does not grow with its data, or hardly: a few calls of it are soon done. Others (qsort, memset,
// the array routines of Fortran) may do any amount of work in one call.
bool is_brief(const std::string& name);

// `known_calls`: of library routines, in a run that executed so many instructions of the program's own and took so long; how long
// is not known of a rank.
bool worth_tracing(const std::map<std::string, double>& known_calls, double own_instructions, std::optional<Seconds> took);

// Whether the end of an emulated run is worth waiting for because of a routine that takes at most this share of the plain run.
bool worth_awaiting(const std::string& name, double most_of_run);

// Processor time to trace for, of a program that spends this share of its run in libraries.
Seconds time_to_trace(double share_in_libraries);

// How long the emulated run of a program may take that runs so long by itself, when only its end tells all.
Seconds patience_for(Seconds plain_run);

}  // namespace perfcast

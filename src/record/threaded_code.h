// Which code of a compiled program its threads run. Compilers put a parallel region, and a task, into functions of their own
// that the run-time library calls: main.omp_outlined.1 (clang), main._omp_fn.0 (GCC), _QQmain..omp_par (flang),
// .omp_task_entry..3. What only these call is run by threads too.
#pragma once

#include <set>
#include <string>

#include "record/profile.h"

namespace perfcast {

struct ThreadedCode {
  std::set<std::string> regions;    // one function for each parallel region
  std::set<std::string> functions;  // all that threads run and nothing outside regions calls; the regions among them
};

// Of machine code or IR; source code has no such functions.
ThreadedCode threaded_code(const Graph& code);

}  // namespace perfcast

// Which code of a compiled program its threads run. Compilers put a parallel region, and a task, into functions of their own
// that the run-time library calls: main.omp_outlined.1 (clang), main._omp_fn.0 (GCC), _QQmain..omp_par (flang),
// .omp_task_entry..3. What these call is run by threads too; of a function that is called from outside as well, as much as its
// calls come from inside.
#pragma once

#include <map>
#include <set>
#include <string>

#include "record/profile.h"

namespace perfcast {

struct ThreadedCode {
  std::set<std::string> regions;         // one function for each parallel region
  std::map<std::string, double> inside;  // by function, the part of its calls that come from regions; those without any are left out
};

// Of machine code or IR; source code has no such functions.
ThreadedCode threaded_code(const Graph& code);

}  // namespace perfcast

// A trace (blocks as an emulator met them) becomes a machine-level graph: executions of every instruction and every
// step from one to the next are added up, then cut into basic blocks and functions. Exact for what was traced.
// Functions come from symbols, else from unwind tables, else from where calls go.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "frontends/machine_code/decode.h"
#include "frontends/machine_code/trace.h"
#include "record/profile.h"

namespace perfcast::machine_code {

struct TracedGraph {
  Graph graph;                                  // functions of libraries carry the library's name
  std::map<std::string, double> library_calls;  // through the program's stubs, by routine
  std::vector<Gap> gaps;
};

struct TracedGraphOptions {
  std::string executable;     // whose functions are the program's own
  bool library_only = false;  // the program's own functions were not traced: what is left of the executable is library
};

TracedGraph graph_of_trace(const Trace& trace, Decoder& decoder, FormTable& forms, const TracedGraphOptions& options);

}  // namespace perfcast::machine_code

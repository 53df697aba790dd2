#include "frontends/library_calls.h"

#include <algorithm>
#include <set>

namespace perfcast {
namespace {

// A routine that is called this often per second of the run may matter: about 1 % at 10 ns a call.
constexpr double calls_that_matter = 1e6;
constexpr double many_calls = 2000;
// Formatting a number takes about as long as so many calls of others.
constexpr double calls_per_item = 30;
// Seconds that an instruction of the program's own takes at the most, on average, even where it waits for memory; and a
// process to start.
constexpr double slow_instruction = 5e-9, start = 5e-3;

// What compilers call where the processor has no such instruction: powers by whole numbers, complex products and quotients,
// numbers of 128 bits.
bool is_arithmetic(const std::string& name) {
  static const std::set<std::string> helpers = {"__powisf2", "__powidf2", "__powixf2", "__powitf2", "__mulsc3", "__muldc3", "__mulxc3", "__multc3", "__divsc3", "__divdc3",
                                                "__divxc3", "__divtc3", "__multi3", "__divti3", "__udivti3", "__modti3", "__umodti3", "__divmodti4", "__udivmodti4"};
  if (helpers.contains(name)) return true;
  return (name.starts_with("__fix") || name.starts_with("__float")) && (name.ends_with("ti") || name.ends_with("tf"));
}

// Prints or reads one item that is soon done. Arrays, lists of names and text of any length are not among them.
bool is_item(const std::string& name) {
  static const std::set<std::string> items = {"printf", "fprintf", "sprintf", "snprintf", "puts", "fputs", "putchar", "putc", "fputc", "fflush"};
  if (items.contains(name)) return true;
  const bool of_many = name.find("Descriptor") != name.npos || name.find("Namelist") != name.npos || name.find("DerivedType") != name.npos;
  // Of streams: numbers, characters and pieces of text written.
  for (const char* start : {"_ZNSolsE", "_ZNSo9_M_insert", "_ZNSo3put", "_ZNSo5flush", "_ZStlsI", "_ZSt16__ostream_insert", "_ZSt4endl", "_ZSt5flush"})
    if (name.starts_with(start)) return true;
  return name.starts_with("_FortranAio") && !of_many;
}

}  // namespace

bool is_brief(const std::string& name) {
  static const std::set<std::string> brief = {"exit", "abort", "atoi", "atol", "atof", "strtol", "strtoul", "strtoll", "strtod", "malloc", "free",
                                              "clock", "clock_gettime", "gettimeofday", "time", "getenv", "fopen", "fclose", "signal", "pthread_create", "pthread_join", "rand", "srand", "sin", "cos", "tan", "exp", "log", "pow",
                                              "sqrt", "fabs", "floor", "ceil", "__cxa_atexit", "__gxx_personality_v0"};
  if (brief.contains(name) || is_item(name)) return true;
  for (const char* start : {"_FortranAProgram", "_FortranAStop", "_FortranAAllocatable", "_FortranAPointer", "_FortranACpuTime", "_FortranASystemClock",
                            "_FortranADateAndTime", "_ZNSt8ios_base4Init", "_ZSt20__throw", "_ZSt17__throw", "_ZSt9terminate", "_Znwm", "_ZdlPv"})
    if (name.starts_with(start)) return true;
  return false;
}

bool worth_tracing(const std::map<std::string, double>& known_calls, double own_instructions, std::optional<Seconds> took) {
  double calls = 0;
  for (const auto& [name, times] : known_calls) {
    if (times > 0 && !is_brief(name)) return true;
    calls += is_item(name) ? calls_per_item * times : times;
  }
  if (calls >= many_calls) return true;
  if (calls <= 0 || !took) return false;
  // Or something else than the program's own code took the time.
  return calls >= calls_that_matter * took->value || took->value > start + slow_instruction * own_instructions;
}

bool worth_awaiting(const std::string& name, double most_of_run) {
  constexpr double matters = 0.01;
  return !is_brief(name) && !is_arithmetic(name) && most_of_run >= matters;
}

// What is off about the sample of a part of the run is off by as much less about the whole.
Seconds time_to_trace(double share_in_libraries) {
  constexpr double least = 2, most = 4.5, large_share = 0.2;
  return Seconds{least + (most - least) * std::clamp(share_in_libraries / large_share, 0.0, 1.0)};
}

Seconds patience_for(Seconds plain_run) {
  constexpr double slowdown = 80, least = 6, most = 120;  // emulated floating point is slow
  return Seconds{std::clamp(slowdown * plain_run.value, least, most)};
}

}  // namespace perfcast

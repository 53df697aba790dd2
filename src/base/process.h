// Other programs are strangers: they run in their own process group, with limits on time, memory and output, and
// everything they started is gone when run_program returns.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace perfcast {

struct RunLimits {
  Seconds time{600};
  std::optional<Bytes> memory;      // address space of each process
  Bytes output{16.0 * (1 << 20)};   // of standard output and error together, kept; more ends the program
  std::optional<Bytes> file_size;   // largest file it may write
};

struct RunRequest {
  std::vector<std::string> command;              // command[0] is looked up in PATH
  std::string folder;                            // where it runs; empty: here
  std::map<std::string, std::string> environment;  // added to ours
  std::optional<std::string> input_file;         // standard input; none: /dev/null
  bool inherit_input = false;                    // our own standard input instead
  std::optional<int> core;                       // pinned to this core
  std::optional<int> first_core;                 // begins on this one, free to leave it
  RunLimits limits;
};

enum class Ending { exited, signalled, timed_out, too_much_output };

struct RunOutcome {
  Ending ending = Ending::exited;
  int code = 0;                 // exit code or signal number
  std::string output, errors;   // what it printed, up to the limit
  Seconds wall, cpu;            // cpu: user + system of the program and its children
  Seconds user, system;
  long page_faults_minor = 0, page_faults_major = 0;
  long switches_voluntary = 0, switches_involuntary = 0;
  Bytes peak_memory;

  bool ok() const { return ending == Ending::exited && code == 0; }
  // "exited with code 3", "was killed by signal 11 (SIGSEGV)", "ran longer than 2 s".
  std::string how_it_ended(const RunLimits& limits = {}) const;
};

// Starts the program, waits for it. An error means it could not be started; how it ended is in the outcome.
Result<RunOutcome> run_program(const RunRequest& request);

// The full path of a program in PATH, if it is there and can be executed.
std::optional<std::string> find_program(const std::string& name);
// $CC, or the first of cc, gcc, clang and clang-19.
std::optional<std::string> find_c_compiler();

}  // namespace perfcast

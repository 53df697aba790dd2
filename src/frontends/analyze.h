// The door of the front ends: a program becomes a Profile. Its sources are compiled to IR, counted builds of it run
// once or twice, and each level of description is filled in from those runs: source statements (early IR), IR blocks
// and machine code (final IR). Without the compiler libraries (no-llvm build) it says what it needs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/process.h"
#include "record/profile.h"

namespace perfcast {

struct AnalyzeOptions {
  std::vector<std::string> sources;
  std::string build_folder;          // with compile_commands.json; then `sources` may narrow it down
  std::string binary;                // an executable made by any compiler, instead of sources
  std::string folder;                // where names start from and the program runs; empty: here
  std::string cflags;                // as typed: "-O2 -DN=5 -lm"
  std::string target, cpu;           // triple and CPU; empty: this host
  bool emulate = false;              // count programs for another instruction set under qemu-user, never as a host copy
  std::vector<std::string> arguments;
  std::string input_file;            // standard input; empty: /dev/null
  std::vector<std::string> launcher; // what starts the program here: mpirun -n 2, ...
  std::map<std::string, int> parameters;  // N=ARG1: name and number of the argument that holds its value
  RunLimits limits;
  bool whole_run = false;            // memory and branches are watched from beginning to end, not in bursts: some 30 times the plain run
  bool source_level = true, ir_level = true, machine_level = true, memory_level = true;
  std::function<void(const std::string&)> progress;  // told what is being done
};

// A program that crashes, is killed or runs too long gives a Profile of what was counted until then: run.ending says
// so, and run_trouble() turns it into an error.
Result<Profile> analyze(const AnalyzeOptions& options);

// Why the recorded run is no sound base for a prediction, if it is none. A non-zero exit code alone is no trouble.
std::optional<Error> run_trouble(const Profile& profile);

// What it takes to analyse or build a profile's program again.
AnalyzeOptions options_of(const ProgramRun& run);

// The executable a plain compile gives, made from the same final IR that is analysed: what is timed.
Status build_program(const AnalyzeOptions& options, const std::string& executable);

// "--param N=ARG1" as name and number.
Result<std::pair<std::string, int>> parameter_of(const std::string& text);

}  // namespace perfcast

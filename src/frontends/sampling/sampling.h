// Where the plain program spends its time, block by block of the machine level, without counters and without touching
// its code: random samples of the program counter (data/runtime/sampler.c) give shares, runs without the sampler give
// the time. The executable must be made of the IR the profile was (build_program), or be the analysed binary.
#pragma once

#include <string>
#include <vector>

#include "base/process.h"
#include "base/result.h"
#include "record/profile.h"

namespace perfcast::sampling {

struct SampleOptions {
  double wanted = 20000;     // samples
  Seconds budget{4};         // of wall time for all runs, but at least one of each kind
  double period_ns = 100e3;  // between samples, on average; longer for long programs
};

struct SampledBlock {
  int function = 0, block = 0;  // indices into Profile::machine
  double seconds = 0;           // of one run
};

struct SampledProgram {
  double seconds = 0;           // of one run: CPU time of the program's own code; elapsed time for several threads
  double clock_ghz = 0;         // of the core meanwhile: seconds are as if all runs had had it
  double samples = 0, in_program = 0;  // taken; in the program's own code
  int plain_runs = 0, sampled_runs = 0, disturbed = 0;
  std::vector<SampledBlock> blocks;
  std::string how;              // in words
};

Result<SampledProgram> sample_program(const Profile& profile, const RunRequest& program, const SampleOptions& options = {});

}  // namespace perfcast::sampling

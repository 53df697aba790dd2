// What does each operation, instruction, cache level and system service cost on this machine? (Saavedra ch. 4)
//
// A characterization is a list of sections (characterize.cc), each of which fills its part of the Machine. A section
// that fails, or the user's stop, costs only what was not measured yet; the machine says in its gaps what is missing.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "record/machine.h"

namespace perfcast::characterize {

struct Progress {
  std::string doing;    // "source: c++, clang++-19 -O0"
  double fraction = 0;  // of the whole characterization
  Seconds left;         // expected
};

struct CharacterizeOptions {
  bool quick = false;                   // about 20 s, at -O0 only; otherwise about 3 minutes
  std::string name;                     // of the machine; empty: made from the processor and the host
  std::vector<std::string> sections;    // only these; empty: all
  std::vector<std::string> compilers;   // only these, by name or path; empty: all that are here
  std::vector<std::string> flags;       // sets of flags; empty: -O0, and -O2 unless quick
  double confidence = 0.9;              // of intervals and of "not detected"
  std::function<void(const Progress&)> progress;
  std::function<void(const std::string&)> remark;  // something the user may want to know, while it happens
  const std::atomic<bool>* stop = nullptr;         // when it becomes true, what was measured is returned
};

Result<Machine> characterize(const CharacterizeOptions& options = {});

// The processor as /proc/cpuinfo tells; empty: it does not.
std::string processor_of(const std::string& cpuinfo);

// A machine's name when none is given: "intel-xeon-processor-host1".
std::string default_name();

}  // namespace perfcast::characterize

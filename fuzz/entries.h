// Every reader of files that perfcast did not write itself, followed by what commands do with what was read. An entry takes
// any text: what it refuses it refuses by an Error, and what it accepts must go through all that follows without a Bug, a
// crash, a hang or unbounded memory.
//
// The same entries are run by libFuzzer (fuzz_main.cc, preset `fuzz`, scripts/fuzz) and, on the findings kept in
// regressions/ and on all bundled files, by an ordinary test (replay_test.cc).
#pragma once

#include <span>
#include <string>

namespace perfcast::fuzz {

struct Entry {
  const char* name;    // folder of its regressions, and of its seeds
  const char* seeds;   // endings of the files in data/ and tests/ to begin with; more are in fuzz/seeds
  void (*run)(const std::string& text);
};

std::span<const Entry> entries();
const Entry* entry_named(const std::string& name);

}  // namespace perfcast::fuzz

// Our own mistakes: an assertion with a sentence, kept in release builds. The command line catches Bug and exits 70.
#pragma once

#include <stdexcept>
#include <string>

namespace perfcast {

struct Bug : std::logic_error {
  using std::logic_error::logic_error;
};

// The caller promised `holds`; the sentence says what was promised.
inline void ensure(bool holds, const char* sentence) {
  if (!holds) throw Bug(sentence);
}

}  // namespace perfcast

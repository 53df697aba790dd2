// The no-llvm build: everything but the front ends.
#include "frontends/analyze.h"

namespace perfcast {
namespace {

std::unexpected<Error> needs_llvm() {
  return unfit("this perfcast was built without the compiler front ends", "",
               "analyze on a machine with the full build (cmake --preset release), then copy the profile here");
}

}  // namespace

Result<Profile> analyze(const AnalyzeOptions&) { return needs_llvm(); }
Status build_program(const AnalyzeOptions&, const std::string&) { return needs_llvm(); }

}  // namespace perfcast

// The no-llvm build: everything but the front ends.
#include "frontends/analyze.h"
#include "frontends/decoded_assembly.h"

namespace perfcast {
namespace {

std::unexpected<Error> needs_llvm() {
  return unfit("this perfcast was built without the compiler front ends", "",
               "analyze on a machine with the full build (cmake --preset release), then copy the profile here");
}

}  // namespace

Result<Profile> analyze(const AnalyzeOptions&) { return needs_llvm(); }
Status build_program(const AnalyzeOptions&, const std::string&) { return needs_llvm(); }
Result<DecodedAssembly> decode_assembly(const std::string&, const std::string&, const std::string&) { return needs_llvm(); }

}  // namespace perfcast

#include "base/run_tidily.h"

#include "base/files.h"

namespace perfcast {

Result<RunOutcome> run_tidily(RunRequest request) {
  TRY(const TemporaryFolder own, TemporaryFolder::make("compiler"));
  request.environment["TMPDIR"] = own.path().string();
  return run_program(request);
}

}  // namespace perfcast

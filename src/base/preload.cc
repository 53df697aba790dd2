#include "base/preload.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/files.h"
#include "base/paths.h"
#include "base/run_tidily.h"

namespace perfcast {
namespace fs = std::filesystem;
namespace {

// When a source of data/runtime was last changed, or a header that it may include.
fs::file_time_type last_change(const fs::path& source) {
  std::error_code ignored;
  fs::file_time_type last = fs::last_write_time(source, ignored);
  for (const auto& beside : fs::directory_iterator(source.parent_path(), ignored))
    if (beside.path().extension() == ".h") last = std::max(last, beside.last_write_time(ignored));
  return last;
}

fs::path runtime_source(const std::string& name) { return bundled_data() / "runtime" / name; }

}  // namespace

std::optional<std::string> built_from(const std::string& source, const std::string& file) {
  std::error_code ignored;
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  for (const fs::path& folder : {self.parent_path(), self.parent_path().parent_path() / "lib/perfcast"})
    if (fs::exists(folder / file, ignored) && fs::last_write_time(folder / file, ignored) >= last_change(runtime_source(source)))
      return (folder / file).string();
  return {};
}

Result<std::string> runtime_library(const std::string& name, const std::vector<std::string>& flags) {
  const std::string file = "libperfcast_" + name + ".so";
  if (auto built = built_from(name + ".c", file)) return *built;
  std::error_code ignored;
  const fs::path source = runtime_source(name + ".c");
  fs::path folder = user_data() / "runtime", kept = folder / file;
  if (fs::exists(kept, ignored) && fs::last_write_time(kept, ignored) >= last_change(source)) return kept.string();
  fs::create_directories(folder, ignored);
  if (::access(folder.c_str(), W_OK) != 0) {  // no home to keep it in: for this run only
    static const auto own = TemporaryFolder::make("runtime");
    if (!own) return std::unexpected(own.error());
    folder = own->path(), kept = folder / file;
    if (fs::exists(kept, ignored)) return kept.string();
  }
  const auto compiler = find_c_compiler();
  if (!compiler) return unfit("no C compiler is in PATH", source.string(), "install gcc or clang");
  RunRequest request;
  fs::path fresh = folder / (file + "." + std::to_string(::getpid()));
  request.command = {*compiler, "-O2", "-fPIC", "-shared", source.string(), "-o", fresh.string()};
  request.command.insert(request.command.end(), flags.begin(), flags.end());
  request.command.push_back("-ldl");
  request.limits.time = Seconds{60};
  TRY(RunOutcome outcome, run_tidily(request));
  if (!outcome.ok()) fs::remove(fresh, ignored);
  if (!outcome.ok()) return unfit("the library to preload does not compile:\n" + outcome.errors, source.string(), "check that " + *compiler + " works");
  fs::rename(fresh, kept, ignored);
  if (ignored) return unfit("cannot keep the compiled library: " + ignored.message(), kept.string());
  return kept.string();
}

bool is_mpi_launcher(const std::string& program) {
  static const std::set<std::string> names = {"mpirun", "mpiexec", "orterun", "prterun", "mpiexec.hydra", "srun", "mpirun.openmpi", "mpiexec.openmpi", "mpirun.mpich", "mpiexec.mpich"};
  return names.contains(fs::path(program).filename().string());
}

Result<RunRequest> preloaded(const std::vector<std::string>& command, const std::string& library,
                             const std::map<std::string, std::string>& environment) {
  if (command.empty()) return wrong_usage("no program is named", "-- mpirun -n 2 ./app");
  RunRequest request;
  request.command = command;
  request.environment = environment;
  const char* already = std::getenv("LD_PRELOAD");
  request.environment["LD_PRELOAD"] = library + (already && *already ? std::string(":") + already : "");
  if (!is_mpi_launcher(command[0])) return request;
  if (!find_program(command[0]))
    return unfit("there is no such program", command[0], "install an MPI, as the package openmpi-bin");
  RunRequest ask;
  ask.command = {command[0], "--version"};
  ask.limits.time = Seconds{20};
  auto version = run_program(ask);
  if (version && version->output.find("Open MPI") != std::string::npos) {
    std::vector<std::string> exported;
    for (const auto& [key, value] : request.environment) exported.insert(exported.end(), {"-x", key});
    request.command.insert(request.command.begin() + 1, exported.begin(), exported.end());
    if (::geteuid() == 0) request.environment["OMPI_ALLOW_RUN_AS_ROOT"] = request.environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1";
  }
  return request;
}

}  // namespace perfcast

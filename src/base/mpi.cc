#include "base/mpi.h"

#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <thread>

#include "base/cores.h"
#include "base/paths.h"
#include "base/run_tidily.h"
#include "base/text.h"

namespace perfcast {
namespace {

constexpr const char* how_to_install = "apt install openmpi-bin libopenmpi-dev";

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::optional<int> number_from(const char* name) {
  const char* text = std::getenv(name);
  return text ? std::optional(std::atoi(text)) : std::nullopt;
}

// Variables by which a launcher tells a process that it is a rank of its job.
bool of_a_job(const std::string& variable) {
  for (const char* start : {"OMPI_COMM_", "OMPI_MCA_ess", "OMPI_MCA_orte", "OMPI_MCA_pmix", "OMPI_FILE_LOCATION", "OMPI_APP_CTX", "OMPI_NUM_APP", "OMPI_UNIVERSE",
                            "OMPI_FIRST_RANKS", "OMPI_COMMAND", "OMPI_ARGV", "OMPI_MCA_mpi_oversubscribe", "PMIX_", "PMI_", "HYDI_", "MPIR_"})
    if (variable.starts_with(start)) return true;
  return false;
}

}  // namespace

Result<MpiTools> find_mpi() {
  MpiTools tools;
  for (const char* name : {"mpirun", "mpiexec"})
    if (auto path = find_program(name); path && tools.run.empty()) tools.run = *path;
  if (tools.run.empty()) return unfit("no MPI launcher (mpirun) was found", "", how_to_install);
  auto cc = find_program("mpicc");
  if (!cc) return unfit("no MPI compiler (mpicc) was found", "", how_to_install);
  tools.cc = *cc;
  RunRequest request;
  request.command = {tools.run, "--version"};
  TRY(RunOutcome outcome, run_program(request));
  tools.version = first_line(outcome.output);
  tools.open_mpi = outcome.output.find("Open MPI") != outcome.output.npos;
  return tools;
}

RunRequest mpi_request(const MpiTools& tools, const MpiLaunch& launch) {
  RunRequest request;
  request.folder = launch.folder, request.limits = launch.limits, request.input_file = launch.input_file;
  // Taking variables away needs `env`; run_program() only adds.
  std::vector<std::string> command = {"env"};
  for (char** entry = environ; *entry; entry++) {
    std::string name(*entry, static_cast<std::size_t>(std::strcspn(*entry, "=")));
    if (of_a_job(name)) command.insert(command.end(), {"-u", name});
  }
  command.insert(command.end(), {tools.run, "-n", std::to_string(launch.ranks)});
  auto environment = launch.environment;
  if (!launch.preload.empty()) environment["LD_PRELOAD"] = launch.preload;
  if (tools.open_mpi) {
    request.environment["OMPI_ALLOW_RUN_AS_ROOT"] = request.environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1";
    const bool many = launch.ranks > usable_processors();
    command.insert(command.end(), {"--oversubscribe", "--bind-to", many ? "none" : "core"});
    if (launch.path == MpiPath::shared_memory) command.insert(command.end(), {"--mca", "pml", "ob1", "--mca", "btl", "self,vader"});
    if (launch.path == MpiPath::tcp) command.insert(command.end(), {"--mca", "pml", "ob1", "--mca", "btl", "self,tcp"});
    for (const auto& [name, value] : environment) command.insert(command.end(), {"-x", name + "=" + value});
  } else {
    for (const auto& [name, value] : environment) command.insert(command.end(), {"-genv", name, value});
  }
  command.insert(command.end(), launch.command.begin(), launch.command.end());
  request.command = std::move(command);
  return request;
}

Status build_mpi_helper(const MpiTools& tools, const std::vector<std::string>& sources, const std::string& output, bool library) {
  RunRequest build;
  build.command = {tools.cc, "-O2", "-w", "-o", output};
  for (const std::string& source : sources) build.command.push_back((bundled_data() / "runtime" / source).string());
  if (library) build.command.insert(build.command.end(), {"-shared", "-fPIC", "-ldl"});
  else build.command.push_back("-lm");
  TRY(RunOutcome built, run_tidily(build));
  if (!built.ok()) return unfit("mpicc cannot compile " + sources.front() + ":\n" + built.errors, tools.cc, how_to_install);
  return {};
}

Result<std::string> mpi_compile_flags(const MpiTools& tools) {
  // Open MPI says --showme, MPICH says -show; both begin with the compiler they would call.
  for (const char* option : {"--showme", "-show"}) {
    RunRequest request;
    request.command = {tools.cc, option};
    auto outcome = run_program(request);
    if (!outcome || !outcome->ok()) continue;
    std::string line = first_line(outcome->output);
    auto blank = line.find(' ');
    return blank == line.npos ? "" : line.substr(blank + 1);
  }
  return unfit("mpicc does not say which flags it adds", tools.cc);
}

bool is_mpi_routine(const std::string& name) { return name.starts_with("MPI_") || name.starts_with("mpi_"); }

std::optional<MpiPlace> mpi_place() {
  if (auto rank = number_from("OMPI_COMM_WORLD_RANK")) {
    int ranks = number_from("OMPI_COMM_WORLD_SIZE").value_or(1);
    return MpiPlace{*rank, ranks, number_from("OMPI_COMM_WORLD_LOCAL_SIZE").value_or(ranks) == ranks};
  }
  if (auto rank = number_from("PMI_RANK")) {
    int ranks = number_from("PMI_SIZE").value_or(1);
    return MpiPlace{*rank, ranks, number_from("MPI_LOCALNRANKS").value_or(ranks) == ranks};
  }
  return {};
}

int usable_processors() {
  if (const std::size_t allowed = allowed_cores().size(); allowed > 0) return static_cast<int>(allowed);
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void leave_own_core() {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int processor = 0; processor < CPU_SETSIZE; processor++) CPU_SET(processor, &all);
  ::sched_setaffinity(0, sizeof all, &all);  // the kernel keeps those that exist and are allowed
}

}  // namespace perfcast

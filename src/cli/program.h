// A user's program at the command line: a profile, or sources that are analysed on the way; built from what the profile
// remembers of it, and timed.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "base/files.h"
#include "base/timing.h"
#include "record/machine.h"
#include "record/prediction.h"
#include "record/profile.h"

namespace perfcast::cli {

// --timeout, --memory-limit, --output-limit, --file-limit: what one run of a user's program may take.
struct LimitWords {
  double timeout = 600, memory_gib = 0, output_mib = 0, file_mib = 0;  // 0: no limit of ours, and what RunLimits says
  RunLimits limits() const;
};
void add_limit_options(CLI::App& app, LimitWords& words);

// PROFILE, or SOURCE... [--cflags "..."] [-- ARGS...].
struct ProgramWords {
  std::vector<std::string> words;      // a profile (file or bundled name), or source files
  std::string cflags;
  std::vector<std::string> arguments;  // of the program, after --
  std::string input;
  LimitWords limits;                   // of one run
  bool source_level = true, compiled_levels = true;  // what to analyse of sources
  std::string target = "";             // triple; empty: this host
};
// Only the levels that these models ask for (none named: the best that can answer on these machines).
void choose_levels(ProgramWords& program, const std::vector<Model>& models, const std::vector<Machine>& machines);
void add_program_options(CLI::App& app, ProgramWords& program);
Result<Profile> profile_of(const ProgramWords& program);
// The machines of these names, for this program. Where none is named nor saved this one is characterized, which takes a while: a
// program that is not there, or no profile, is told before.
Result<std::vector<Machine>> machines_for(const ProgramWords& program, const std::vector<std::string>& names);

// By its ending: C, C++ or Fortran; a design of docs/parallel.md (a file, or the name of a bundled one).
bool is_source_file(const std::string& name);
bool is_executable_file(const std::string& name);
bool is_design_file(const std::string& name);
std::string design_path(const std::string& name);

// "x86_64", "aarch64".
std::string host_instruction_set();

// Relative names in a profile's sources and flags mean the folder it was analysed in; in a suite, the suite's folder.
class InFolder {
 public:
  explicit InFolder(const std::string& folder) : back_(std::filesystem::current_path()) { go(folder); }
  ~InFolder() { go(back_); }
  InFolder(const InFolder&) = delete;

 private:
  static void go(const std::filesystem::path& folder) {
    std::error_code ignored;
    if (!folder.empty()) std::filesystem::current_path(folder, ignored);
  }
  std::filesystem::path back_;
};

struct ReadyProgram {
  RunRequest run;
  std::shared_ptr<TemporaryFolder> folder;  // holds the executable
};

// Builds the program with the profile's compiler and flags, out of the same final IR that was analysed; an analysed
// binary is run as it is.
Result<ReadyProgram> ready_program(const ProgramRun& run, const RunLimits& limits);

// Builds and times it here (base/timing.h).
Result<MeasuredTime> measure_program(const ProgramRun& run, const RunLimits& limits);

}  // namespace perfcast::cli

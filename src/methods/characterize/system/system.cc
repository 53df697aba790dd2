#include "methods/characterize/system/system.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/files.h"
#include "base/process.h"
#include "methods/characterize/memory/memory.h"

namespace perfcast::characterize {
namespace {

double now_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

Measurement of_samples(std::vector<double> samples, std::string note = "") {
  Measurement m;
  m.value = median(samples);
  m.sd = standard_deviation(samples);
  m.repetitions = static_cast<int>(samples.size());
  m.note = std::move(note);
  return m;
}

// Resolution: the smallest step between two readings; overhead: the mean of many readings in a row.
void measure_clock(SystemCosts& costs) {
  constexpr int groups = 200, readings = 50;
  std::vector<double> overheads;
  double resolution = 1e9;
  for (int g = 0; g < groups; g++) {
    double start = now_ns(), last = start;
    for (int i = 0; i < readings; i++) {
      double t = now_ns();
      if (t > last) resolution = std::min(resolution, t - last);
      last = t;
    }
    overheads.push_back((last - start) / readings);
  }
  Measurement step;
  step.value = resolution, step.repetitions = groups * readings;
  costs.clock_resolution_ns = step;
  costs.clock_overhead_ns = of_samples(overheads);
}

// Starting a program that does nothing and seeing it end: processor time of the child, which is what a timed program
// has added to its own.
std::optional<Measurement> measure_process_start() {
  auto program = find_program("true");
  if (!program) return {};
  std::vector<double> samples;
  for (int i = 0; i < 15; i++) {
    RunRequest request;
    request.command = {*program};
    request.core = measuring_core();
    if (auto outcome = run_program(request); outcome && outcome->ok()) samples.push_back(1e9 * outcome->cpu.value);
  }
  if (samples.size() < 3) return {};
  return of_samples(samples, "processor time of a program that does nothing");
}

// A call that does next to nothing.
Measurement measure_system_call() {
  constexpr int groups = 50, calls = 400;
  std::vector<double> samples;
  for (int g = 0; g < groups; g++) {
    const double start = now_ns();
    for (int i = 0; i < calls; i++) ::syscall(SYS_getppid);
    samples.push_back((now_ns() - start) / calls);
  }
  return of_samples(samples);
}

// A file that memory holds, written for the first time and read again, in pieces as buffers are, beyond what the calls take.
Status measure_file(SystemCosts& costs) {
  constexpr std::size_t piece = 64 << 10, pieces = 64;
  TRY(const TemporaryFolder folder, TemporaryFolder::make("file-costs"));
  std::vector<char> bytes(piece, 'x');
  std::vector<double> writes, reads;
  for (int k = 0; k < 9; k++) {
    const std::string path = folder.file(std::to_string(k));
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return unfit("cannot be written", path);
    bool done = true;
    auto time = [&](auto move) {
      const double start = now_ns();
      for (std::size_t i = 0; i < pieces; i++) done = done && move() == static_cast<ssize_t>(piece);
      return std::max(0.0, (now_ns() - start) / pieces - costs.system_call_ns->value) / piece;
    };
    const double written = time([&] { return ::write(file, bytes.data(), piece); });
    done = done && ::lseek(file, 0, SEEK_SET) == 0;
    const double read = time([&] { return ::read(file, bytes.data(), piece); });
    ::close(file), ::unlink(path.c_str());
    if (!done) return unfit("cannot be written", path, "free space below TMPDIR");
    writes.push_back(written), reads.push_back(read);
  }
  costs.write_byte_ns = of_samples(writes, "of a new file below " + std::filesystem::temp_directory_path().string());
  costs.read_byte_ns = of_samples(reads);
  return {};
}

}  // namespace

Status measure_system(Work& work, Machine& machine) {
  SystemCosts costs;
  work.doing("clock", 0);
  measure_clock(costs);
  work.doing("page faults", 0.3);
  costs.page_fault_ns = measure_page_fault();
  work.doing("system calls", 0.5);
  costs.system_call_ns = measure_system_call();
  if (auto file = measure_file(costs); !file) machine.gaps.push_back({"files: " + file.error().message(), {}, 0});
  work.doing("processes", 0.6);
  costs.process_start_ns = measure_process_start();
  if (!costs.process_start_ns) machine.gaps.push_back({"process start: the program `true` could not be run", {}, 0});
  if (machine.system) costs.routines = machine.system->routines;
  machine.system = costs;
  return {};
}

}  // namespace perfcast::characterize

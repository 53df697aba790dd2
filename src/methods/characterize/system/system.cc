#include "methods/characterize/system/system.h"

#include <algorithm>
#include <time.h>

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

}  // namespace

Status measure_system(Work& work, Machine& machine) {
  SystemCosts costs;
  work.doing("clock", 0);
  measure_clock(costs);
  work.doing("page faults", 0.3);
  costs.page_fault_ns = measure_page_fault();
  work.doing("processes", 0.6);
  costs.process_start_ns = measure_process_start();
  if (!costs.process_start_ns) machine.gaps.push_back({"process start: the program `true` could not be run", {}, 0});
  if (machine.system) costs.routines = machine.system->routines;
  machine.system = costs;
  return {};
}

}  // namespace perfcast::characterize

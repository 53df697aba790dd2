// Virtual speed-up of the regions of an OpenMP program: everything but one region is slowed.
#pragma once

#include "base/process.h"
#include "methods/dilate/dilate.h"
#include "methods/dilate/verdict.h"

namespace perfcast::dilate {

struct ThreadRegion {
  std::string name;        // MODULE+OFFSET, or "serial"
  double work = 0, wall = 0, entries = 0, segments = 0, short_seconds = 0;
};
template <class Fields>
void describe(Fields& f, ThreadRegion& r) {
  f.need("name", r.name), f.need("work", r.work), f.need("wall", r.wall), f("entries", r.entries);
  f("segments", r.segments), f("short_seconds", r.short_seconds);
}

struct ThreadsRecord {
  double d = 1, clock_seconds = 0, elapsed = 0, switches = 0;
  int threads = 1;
  std::vector<ThreadRegion> regions;
  std::vector<double> level_seconds;  // by the number of threads at work
};
template <class Fields>
void describe(Fields& f, ThreadsRecord& r) {
  f.need("d", r.d), f.need("clock_seconds", r.clock_seconds), f.need("elapsed", r.elapsed), f("switches", r.switches);
  f("threads", r.threads), f.need("regions", r.regions), f("level_seconds", r.level_seconds);
}

// What the preloaded library wrote; refused where its numbers are of no run.
Result<ThreadsRecord> threads_in(const Json& json, const std::string& name);

// Work done at a level is taken as its number of threads times its seconds; averages over the runs.
DemandProfile demand_of(const std::vector<ThreadsRecord>& runs);

Result<Dilation> dilate_threads(const std::vector<std::string>& command, const std::vector<double>& factors, const DilateOptions& options);

// The largest factor at which the region was measured and can be trusted.
const DilationPoint* largest_valid(const RegionSpeedup& region);

// Names of regions for a reader: "relax (heat.c:31)" for MODULE+OFFSET, by addr2line where it is installed. Regions that
// would look the same keep their offset.
std::vector<std::string> readable_names(const std::vector<std::string>& names);

// Why a run that failed under dilation did so, found by running the program once without.
std::unexpected<Error> failure_of(const RunOutcome& outcome, const RunLimits& limits, double d, const std::vector<std::string>& command);

// Cores, and how busy others keep them now.
Circumstances circumstances_now();

}  // namespace perfcast::dilate

// A machine: what its operations, instructions, memory and system cost. One characterization per machine and one
// profile per program answer every pair. Parts that were not measured are absent, never zero.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/core.h"
#include "record/gap.h"
#include "record/made_by.h"
#include "record/record_file.h"
#include "record/measurement.h"
#include "record/memory.h"

namespace perfcast {

// Costs of source-language operations, as one compiler with one set of flags makes them (Saavedra ch. 4). Names
// are listed in record/operations.h; nanoseconds.
struct OperationCosts {
  std::string language;  // "fortran", "c", "c++"
  std::string compiler;  // "flang-new-19"
  std::string flags;     // "-O0"
  std::map<std::string, Measurement> costs;
  bool operator==(const OperationCosts&) const = default;
};
template <class Fields>
void describe(Fields& f, OperationCosts& c) {
  f.need("language", c.language), f("compiler", c.compiler), f("flags", c.flags), f.need("costs", c.costs);
}

// What the operating system and the run-time library add.
struct SystemCosts {
  std::optional<Measurement> page_fault_ns, process_start_ns, clock_resolution_ns, clock_overhead_ns;
  std::optional<Measurement> system_call_ns;               // one that does next to nothing
  std::optional<Measurement> read_byte_ns, write_byte_ns;  // of a file that memory holds; writing makes it longer
  // By how much others on the same core usually slow code that uses all the core has; 0.3 is 30 % longer. Nothing else in
  // the file includes it.
  std::optional<Measurement> core_sharing;
  // Cycles of one addition in a stream of independent ones while nobody else used the core: what tells later sessions
  // on this machine that they never had a core to themselves (base/timing.h).
  std::optional<Measurement> canary_cycles;
  std::map<std::string, Measurement> routines;  // library routines by name and argument class, nanoseconds per call
  bool operator==(const SystemCosts&) const = default;
};
template <class Fields>
void describe(Fields& f, SystemCosts& s) {
  f("page_fault_ns", s.page_fault_ns), f("process_start_ns", s.process_start_ns);
  f("clock_resolution_ns", s.clock_resolution_ns), f("clock_overhead_ns", s.clock_overhead_ns);
  f("system_call_ns", s.system_call_ns), f("read_byte_ns", s.read_byte_ns), f("write_byte_ns", s.write_byte_ns);
  f("core_sharing", s.core_sharing), f("canary_cycles", s.canary_cycles), f("routines", s.routines);
}

// The number after the last -O of compiler flags; 0 without one, 2 for -Os and -Oz, 3 for -Ofast.
int optimisation_level(const std::string& flags);

struct Machine {
  static constexpr const char* format = "perfcast.machine";
  static constexpr int version = 1;

  std::string name, description;
  std::string isa;  // "x86_64", "aarch64"; empty for historical machines
  MadeBy made_by;
  std::vector<OperationCosts> source;
  std::optional<Measurement> mflops;  // the one rate of the poc model, million weighted flops per second
  std::optional<CoreModel> core;
  std::optional<MemoryModel> memory;
  std::optional<SystemCosts> system;
  std::map<std::string, Measurement> peaks;
  std::vector<Gap> gaps;
  Json threads, messages, price;  // given their own records by the rooms that measure them
  bool operator==(const Machine&) const = default;

  // The costs for this language, nearest in optimisation, then in compiler, then in other flags; nullptr when the
  // machine has none for it.
  const OperationCosts* costs_for(const std::string& language, const std::string& compiler,
                                  const std::string& flags) const;
};
template <class Fields>
void describe(Fields& f, Machine& m) {
  f.need("name", m.name), f("description", m.description), f("isa", m.isa), f("made_by", m.made_by);
  f("source", m.source), f("mflops", m.mflops), f("core", m.core), f("memory", m.memory), f("system", m.system);
  f("peaks", m.peaks), f("gaps", m.gaps), f("threads", m.threads), f("messages", m.messages), f("price", m.price);
}

// What was measured again takes the place of what was known; the rest stays.
Machine refreshed(Machine known, Machine again);

PERFCAST_RECORD_FILE(extern, Machine)

}  // namespace perfcast

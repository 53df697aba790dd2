// The memory of this machine alone, measured anew: prints it, and can put it into a machine file, so that a change of the
// memory benchmarks is judged without characterizing everything else again.
//
//   bench_memory_levels [--quick] [MACHINE_FILE NEW_FILE]
#include <fmt/format.h>

#include <chrono>
#include <cstring>

#include "methods/characterize/memory/memory.h"
#include "record/machine.h"

using namespace perfcast;

static void print(const MeasurementTable& table, const char* name) {
  if (table.empty()) return;
  fmt::print("  {:18}", name);
  for (const auto& [key, m] : table) fmt::print(" {}: {:.2f}", key, m.value);
  fmt::print("\n");
}
static void print(const std::optional<Measurement>& m, const char* name) {
  if (m) fmt::print("  {:18} {:.2f}\n", name, m->value);
}

static Status run(bool quick, const char* from, const char* to) {
  characterize::MemoryOptions options;
  options.quick = quick;
  auto start = std::chrono::steady_clock::now();
  TRY(MemoryModel memory, characterize::measure_memory(options));
  fmt::print("{:.1f} s\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  for (const MemoryLevel& level : memory.levels) {
    fmt::print("{}\n", level.name);
    print(level.capacity_bytes, "capacity_bytes"), print(level.latency_ns, "latency_ns"), print(level.read_ns, "read_ns");
    print(level.write_ns, "write_ns"), print(level.copy_ns, "copy_ns"), print(level.update_ns, "update_ns");
    print(level.partial_write_ns, "partial_write_ns"), print(level.random_read_ns, "random_read_ns");
    print(level.random_update_ns, "random_update_ns"), print(level.parallel_misses, "parallel_misses");
    print(level.stride_ns, "stride_ns"), print(level.stride_write_ns, "stride_write_ns");
  }
  const Translation& t = memory.translation;
  fmt::print("translation\n");
  print(t.first_entries, "first_entries"), print(t.first_miss_ns, "first_miss_ns"), print(t.second_entries, "second_entries");
  print(t.walk_ns, "walk_ns"), print(t.walk_parallel_ns, "walk_parallel_ns"), print(t.far_walk_ns, "far_walk_ns");
  print(t.far_walk_parallel_ns, "far_walk_parallel");
  print(memory.window_instructions, "window"), print(memory.window_instructions_fp, "window fp");
  print(memory.retention_ns, "retention_ns"), print(memory.prefetch_streams, "prefetch_streams");
  if (!from) return {};
  TRY(Machine machine, read_record<Machine>(from));
  machine.memory = memory;
  return write_record(to, machine);
}

int main(int count, char** words) {
  bool quick = count > 1 && !std::strcmp(words[1], "--quick");
  const int first = quick ? 2 : 1;
  auto done = count >= first + 2 ? run(quick, words[first], words[first + 1]) : run(quick, nullptr, nullptr);
  if (!done) return fmt::print(stderr, "{}\n", done.error().message()), 3;
}

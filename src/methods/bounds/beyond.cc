#include "methods/bounds/beyond.h"

#include <algorithm>
#include <cmath>

#include "engine/memory/conflicts.h"
#include "engine/memory/memory_time.h"
#include "engine/regions.h"

namespace perfcast::bounds {

namespace {

// The loop's blocks whose memory was watched: of the IR, or of the machine code of a binary.
std::vector<const Block*> watched_blocks(const Profile& profile, const LoopGroup& group) {
  std::vector<const Block*> all;
  all.reserve(group.ir_blocks.size() + group.blocks.size());
  for (auto [f, b] : group.ir_blocks) all.push_back(&profile.ir->functions[static_cast<std::size_t>(f)].blocks[static_cast<std::size_t>(b)]);
  for (int b : group.blocks) all.push_back(&profile.machine->functions[static_cast<std::size_t>(group.function)].blocks[static_cast<std::size_t>(b)]);
  std::erase_if(all, [](const Block* block) { return block->accesses.empty(); });
  return all;
}

}  // namespace

std::vector<const Access*> accesses_of(const Profile& profile, const LoopGroup& group) {
  std::vector<const Access*> all;
  for (const Block* block : watched_blocks(profile, group))
    for (const Access& access : block->accesses) all.push_back(&access);
  return all;
}

double step_of(const Profile& profile, const LoopGroup& group, const Access& access) {
  double step = 0;
  for (const Reference& reference : group.needs.references)
    if (reference.line == access.line && reference.affine()) step = std::max(step, std::abs(*reference.stride_bytes[0]));
  return step > 0 ? step : watched_step(profile, group, access);
}

double watched_step(const Profile& profile, const LoopGroup& group, const Access& access) {
  constexpr double dominates = 0.5;
  if (!access.stride_bytes || access.stride_share < dominates) return 0;
  for (const Block* block : watched_blocks(profile, group)) {
    const auto& all = block->accesses;
    if ( &access < all.data() || &access >= all.data() + all.size()) continue;
    auto copies = std::ranges::count_if(all, [&](const Access& other) {
      return other.line == access.line && other.store == access.store && other.bytes == access.bytes && other.stride_bytes == access.stride_bytes;
    });
    return std::abs(*access.stride_bytes) / static_cast<double>(std::max<std::ptrdiff_t>(1, copies));
  }
  return std::abs(*access.stride_bytes);
}

namespace {

bool waits(const Access& access) { return access.kind == AddressKind::chase || access.kind == AddressKind::dependent; }

// Lines per run by the level that serves them; of dependent loads only, or of all.
std::vector<double> served_lines(const std::vector<const Access*>& accesses, const MemoryModel& memory, const engine::ProgramReuse& program, bool dependent_only) {
  std::vector<double> lines(memory.levels.size(), 0);
  for (const Access* access : accesses) {
    if (dependent_only && !waits(*access)) continue;
    engine::Served served = engine::served_by(*access, memory, program);
    for (std::size_t l = 0; l < lines.size() && l < served.near.size(); l++) lines[l] += access->count * (served.near[l] + served.alone[l]);
  }
  return lines;
}

// First touches of pages, in proportion to first touches of lines.
double fault_share(const Steps& steps, const std::vector<const Access*>& accesses) {
  double own = 0;
  for (const Access* access : accesses) own += access->cold * access->count;
  return steps.cold_lines() > 0 ? own / steps.cold_lines() : 0;
}

// What walks in unlucky steps add, nanoseconds in the run: memory's time with their lines in part of the caches only, minus
// its time with all of them.
double conflicts_ns(const Profile& profile, const LoopGroup& group, const MemoryModel& memory, const engine::ProgramReuse& program, double core_ns, double instructions) {
  std::vector<Access> plain, limited;
  bool any = false;
  for (const Access* access : accesses_of(profile, group)) {
    plain.push_back(*access), limited.push_back(engine::with_conflicts(*access, step_of(profile, group, *access), memory));
    any = any || !(plain.back() == limited.back());
  }
  if (!any) return 0;
  engine::RegionContext context;
  context.instructions = instructions, context.program = program;
  auto time = [&](const std::vector<Access>& of) { return engine::join_core_and_memory(core_ns, engine::region_memory(of, memory, context)); };
  return std::max(0.0, time(limited) - time(plain));
}

}  // namespace

Beyond beyond_window(const Profile& profile, const Machine& machine, const Steps& steps, const LoopGroup& group) {
  Beyond out;
  const engine::CompiledCost& cost = steps.cost();
  const Function* function = &profile.machine->functions[static_cast<std::size_t>(group.function)];
  double branches = 0, dependent = 0, walks = 0, memory_all = 0;
  std::vector<double> levels(machine.memory ? machine.memory->levels.size() : 0, 0);
  for (int block : group.blocks) {
    const engine::CompiledBlock* costed = steps.cost_of(group.function, block);
    if (!costed) continue;
    const engine::CompiledBlock& b = *costed;
    branches += b.core.by_cause[misprediction];
    double added = b.memory.dependent_ns;
    for (std::size_t l = 0; l < b.memory.level_ns.size() && l < levels.size(); l++) levels[l] += b.memory.level_ns[l], added += b.memory.level_ns[l];
    dependent += b.memory.dependent_ns, memory_all += added;
    if (b.region >= 0) {
      const engine::RegionMemory& memory = cost.region_costs[static_cast<std::size_t>(b.region)].memory;
      double busy = memory.overlapping_ns() + memory.dependent_ns;
      if (busy > 0) walks += added * std::min(1.0, memory.walk_ns / busy);
    }
  }
  auto accesses = accesses_of(profile, group);
  engine::ProgramReuse program;
  program.footprint_bytes = engine::footprint_bytes(profile, machine);
  if (machine.memory && dependent > 0) {
    auto lines = served_lines(accesses, *machine.memory, program, true);
    double weight = 0;
    for (std::size_t l = 0; l < lines.size(); l++)
      lines[l] *= l == 0 ? 0 : machine.memory->levels[l].latency_ns ? machine.memory->levels[l].latency_ns->value : 1, weight += lines[l];
    for (std::size_t l = 0; l < lines.size(); l++)
      if (weight > 0) levels[l] += dependent * lines[l] / weight;
    if (weight <= 0 && !levels.empty()) levels.back() += dependent;
  }
  auto add = [&](const std::string& name, double cycles) {
    if (cycles <= 1e-9 * std::max(1.0, out.total)) return;
    out.parts.push_back({name, cycles}), out.total += cycles;
  };
  double per_iteration = 1 / (cost.ns_per_cycle * group.iterations), kept = memory_all > 0 ? 1 - walks / memory_all : 1;
  for (std::size_t l = 0; l < levels.size(); l++) add(machine.memory->levels[l].name, kept * levels[l] * per_iteration);
  add("TLB", walks * per_iteration);
  if (machine.memory) {
    double core_cycles = 0, instructions = 0;
    for (int b : group.blocks) {
      const Block& block = function->blocks[static_cast<std::size_t>(b)];
      core_cycles += steps.window_cycles(group.function, b), instructions += block.count.value * static_cast<double>(block.code.size());
    }
    add("conflicts", conflicts_ns(profile, group, *machine.memory, program, core_cycles * cost.ns_per_cycle, instructions) * per_iteration);
  }
  add("branches", branches / group.iterations);
  add("OS", cost.outside.faults_ns * fault_share(steps, accesses) * per_iteration);
  return out;
}

std::optional<double> bytes_brought(const Reference& reference, double line_bytes) {
  if (!reference.affine()) return {};
  const double step = std::abs(*reference.stride_bytes[0]), elements = std::max(1.0, reference.elements);
  if (step == 0) return 0;
  // The members of a structure, or the elements of a loop inside that was unrolled whole, may lie side by side whatever the step.
  if (reference.contiguous()) return std::min(step, std::ceil(elements * reference.element_bytes / line_bytes) * line_bytes);
  double brought = std::min(step, elements * line_bytes);
  return reference.span_bytes > 0 ? std::min(brought, reference.span_bytes + line_bytes) : brought;
}

namespace {

// A store to what the loop loads as well brings nothing of its own.
bool loaded_too(const Reference& store, const std::vector<Reference>& all) {
  return store.store && !store.array.empty() && std::ranges::any_of(all, [&](const Reference& load) {
    return !load.store && load.array == store.array && load.stride_bytes == store.stride_bytes && load.elements >= store.elements;
  });
}

// Misses of an ideal cache that software governs: of each reference the window that would have to stay for its reuse
// (what lies between two touches) is compared with the capacity; windows are given room smallest first, and what fits
// is loaded once for the loop that carries the reuse.
struct Window {
  double bytes = 0;       // to keep
  double lines_with = 0, lines_without = 0;  // fetched per iteration, when kept and when not
};

}  // namespace

LoopData data_of(const Profile& profile, const Machine& machine, const LoopGroup& group) {
  LoopData data;
  const double line = machine.memory ? machine.memory->line_bytes : 64;
  const double trips = group.entries > 0 ? group.iterations / group.entries : group.iterations;
  double touched = 0;
  bool all_affine = group.source != nullptr;
  std::vector<Window> windows;
  for (const Reference& reference : group.needs.references) {
    if (loaded_too(reference, group.needs.references)) continue;
    data.window_bytes += reference.span_bytes;
    if (!reference.affine()) {
      all_affine = false;
      windows.push_back({0, reference.elements, reference.elements});
      continue;
    }
    double stride = std::abs(*reference.stride_bytes[0]);
    double extent = stride * trips + reference.span_bytes + reference.element_bytes;
    touched += stride == 0 ? reference.element_bytes : std::min(extent, trips * std::max(1.0, reference.elements) * line);
    double lines_per_iteration = *bytes_brought(reference, line) / line;
    // The loop around repeats the same elements: what this loop touches would have to stay.
    bool reused = reference.stride_bytes.size() > 1 && reference.stride_bytes[1] && *reference.stride_bytes[1] == 0;
    double outer_trips = 1;
    if (reused && group.needs.parent) {
      const SourceLoop& outer = profile.source_loops[static_cast<std::size_t>(*group.needs.parent)];
      outer_trips = outer.entries > 0 ? std::max(1.0, outer.iterations / outer.entries) : 1;
    }
    windows.push_back({reused ? extent : reference.span_bytes, lines_per_iteration / outer_trips, lines_per_iteration});
  }
  if (all_affine) data.touched_bytes = touched;
  double room = machine.memory && !machine.memory->levels.empty() && machine.memory->levels[0].capacity_bytes
                    ? machine.memory->levels[0].capacity_bytes->value : 0;
  std::ranges::sort(windows, {}, [](const Window& window) { return window.bytes; });
  for (const Window& window : windows) {
    bool kept = room <= 0 || window.bytes <= room;
    if (kept) room -= window.bytes;
    data.ideal_misses += kept ? window.lines_with : window.lines_without;
  }
  if (!machine.memory || !profile.ir) return data;
  engine::ProgramReuse program;
  program.footprint_bytes = engine::footprint_bytes(profile, machine);
  const auto accesses = accesses_of(profile, group);
  auto lines = served_lines(accesses, *machine.memory, program, false);
  for (std::size_t l = 0; l < lines.size(); l++) {
    if (lines[l] / group.iterations < 1e-9) continue;
    data.served.push_back({machine.memory->levels[l].name, lines[l] / group.iterations});
    if (l > 0) data.real_misses += lines[l] / group.iterations;
  }
  // What the windows do not see (addresses from memory, reuse by loops farther out) a real cache of that size has found.
  if (!accesses.empty()) data.ideal_misses = std::min(data.ideal_misses, data.real_misses);
  return data;
}

}  // namespace perfcast::bounds

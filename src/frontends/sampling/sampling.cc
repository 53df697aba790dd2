#include "frontends/sampling/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/files.h"
#include "base/samples.h"
#include "base/statistics.h"
#include "base/timing.h"
#include "frontends/machine_code/place.h"

namespace perfcast::sampling {
namespace {

// What is added to the addresses of a traced binary: code that may lie anywhere was traced where the emulator put it, gigabytes up.
std::uint64_t traced_to_file(const Profile& profile, const machine_code::ElfImage& image) {
  std::uint64_t first = ~std::uint64_t{0};
  for (const Function& function : profile.machine->functions)
    for (const Block& block : function.blocks)
      for (const Instruction& instruction : block.code)
        if (!function.library) first = std::min(first, instruction.address);
  auto holds = [&](std::uint64_t address) {
    return std::ranges::any_of(image.code(), [&](const machine_code::CodeSection& section) { return address >= section.address && address < section.address + section.bytes.size(); });
  };
  const std::uint64_t within = first & 0xffff'ffff;
  return !holds(first) && holds(within) ? within - first : 0;
}

// File addresses of the executable to blocks of the machine level.
class Map {
 public:
  static Result<Map> make(const Profile& profile, const std::string& executable) {
    TRY(machine_code::ElfImage image, machine_code::ElfImage::open(executable));
    Map map;
    machine_code::Placement placement(image);
    const std::uint64_t traced = profile.run.binary.empty() ? 0 : traced_to_file(profile, image);
    for (std::size_t f = 0; f < profile.machine->functions.size(); f++) {
      const Function& function = profile.machine->functions[f];
      if (function.library) continue;
      const auto moved_by = profile.run.binary.empty() ? placement.moved(function) : std::optional<std::uint64_t>(traced);
      if (!moved_by) continue;
      const std::uint64_t moved = *moved_by;  // added to the profile's addresses
      for (std::size_t b = 0; b < function.blocks.size(); b++)
        for (const Instruction& instruction : function.blocks[b].code)
          map.at_.emplace(instruction.address + moved, Place{static_cast<int>(f), static_cast<int>(b), instruction.address + moved + static_cast<std::uint64_t>(instruction.size)});
    }
    return map;
  }
  struct Place {
    int function = 0, block = 0;
    std::uint64_t end = 0;
  };
  const Place* find(std::uint64_t address) const {
    auto it = at_.upper_bound(address);
    if (it == at_.begin()) return nullptr;
    --it;
    return address < it->second.end ? &it->second : nullptr;
  }

 private:
  std::map<std::uint64_t, Place> at_;
};

// One sampled run.
struct Hits {
  std::map<std::pair<int, int>, double> at;
  double inside = 0, taken = 0, cpu_seconds = 0, cpu_before = 0, step_ns = 0;
};
Hits hits_of(const Samples& samples, const Map& map) {
  Hits hits;
  for (std::uint64_t place : samples.places)
    if (const Map::Place* found = map.find(place)) hits.at[{found->function, found->block}]++, hits.inside++;
  hits.taken = static_cast<double>(samples.places.size()), hits.cpu_before = samples.cpu_before.value;
  return hits;
}

// Where another program shares the core, loops that fill its units suffer more than those that wait for results: shares
// then are not those of an undisturbed run. Only the fastest runs are kept.
void keep_fastest(std::vector<Hits>& runs) {
  constexpr double near = 1.05;
  std::ranges::sort(runs, {}, &Hits::cpu_seconds);
  double limit = runs[runs.size() / 20].cpu_seconds * near;
  std::size_t kept = 1;
  while (kept < runs.size() && runs[kept].cpu_seconds <= limit) kept++;
  runs.resize(std::max(kept, std::min<std::size_t>(runs.size(), 3)));
}

// Cycles are what the loops are bounded in, and the clock wanders: all runs are told as if they had had the middle one of
// their clocks. Returns it, in GHz.
double to_one_clock(std::vector<TimedRun>& plain, std::vector<Hits>& runs) {
  std::vector<double> steps;
  for (const TimedRun& run : plain) steps.push_back(run.step_ns);
  const double step = median(steps);
  for (TimedRun& run : plain) run.cpu.value *= step / run.step_ns, run.wall.value *= step / run.step_ns;
  for (Hits& run : runs) run.cpu_seconds *= step / run.step_ns, run.cpu_before *= step / run.step_ns;
  return 1 / step;
}

}  // namespace

Result<SampledProgram> sample_program(const Profile& profile, const RunRequest& program, const SampleOptions& options) {
  if (!profile.machine) return unfit("the profile holds no machine code", profile.program);
  TRY(Map map, Map::make(profile, program.command.at(0)));
  TRY(TemporaryFolder folder, TemporaryFolder::make("sample"));
  ReferenceChain chain;
  for (int k = 0; k < 5; k++) chain.step_ns();
  SampledProgram out;
  std::vector<TimedRun> plain;
  std::vector<Hits> runs;
  double wall = 0;
  constexpr int most_runs = 400;
  // Plain and sampled runs in turn, so that a disturbance hits both.
  while (out.sampled_runs < most_runs && (out.sampled_runs == 0 || (wall < options.budget.value && out.samples < options.wanted))) {
    if (plain.size() < 5 || plain.size() < static_cast<std::size_t>(out.sampled_runs)) {
      TRY(TimedRun run, timed_run(program, chain));
      if (!run.ended_with(profile.run.exit_code)) return unfit("the program " + run.outcome.how_it_ended(program.limits) + " when it was timed", profile.program);
      wall += run.wall.value, plain.push_back(std::move(run));
    }
    const double period = std::max(options.period_ns, plain.back().wall.value * 1e9 / 200000);
    TRY(const RunRequest with_sampler, sampled(program, folder.file("samples"), period));
    TRY(TimedRun run, timed_run(with_sampler, chain));
    wall += run.wall.value;
    TRY(const Samples samples, take_samples(folder.file("samples")));
    Hits hits = hits_of(samples, map);
    hits.cpu_seconds = run.cpu.value, hits.step_ns = run.step_ns;
    out.samples += hits.taken, out.sampled_runs++;
    runs.push_back(std::move(hits));
    if (out.samples == 0 && out.sampled_runs >= 20) return unfit("the program ends before a sample can be taken", profile.program, "give it more work");
  }
  out.clock_ghz = to_one_clock(plain, runs);
  keep_fastest(runs);
  out.samples = 0;
  double cpu_before = 0;
  std::map<std::pair<int, int>, double> hits;
  for (const Hits& one : runs) {
    out.samples += one.taken, out.in_program += one.inside, cpu_before += one.cpu_before / static_cast<double>(runs.size());
    for (const auto& [place, times] : one.at) hits[place] += times;
  }
  mark_disturbed(plain, chain);
  RunSummary summary = summarize_runs(plain);
  bool threads = plain[0].cpu.value > 1.2 * plain[0].wall.value;
  out.seconds = summary.seconds;
  if (threads) {
    std::vector<double> walls;
    for (const TimedRun& run : plain) walls.push_back(run.wall.value);
    std::ranges::sort(walls);
    out.seconds = walls[walls.size() / 2];
  }
  out.plain_runs = static_cast<int>(plain.size()), out.disturbed = summary.disturbed;
  double own = std::max(0.0, out.seconds - cpu_before);
  for (const auto& [place, times] : hits) out.blocks.push_back({place.first, place.second, own * times / out.samples});
  out.how = fmt::format("{:.0f} samples of the program counter in {} of {} runs, {:.0f} % in the program's own code; {} of {} runs without the sampler, {} disturbed", out.samples,
                        runs.size(), out.sampled_runs, 100 * out.in_program / std::max(1.0, out.samples), threads ? "elapsed time" : "CPU time", out.plain_runs, out.disturbed);
  return out;
}

}  // namespace perfcast::sampling

#include "engine/simulate.h"

#include <algorithm>
#include <unordered_map>

#include "engine/resolve.h"

namespace perfcast::engine {
namespace {

bool lies_behind(const Instruction& first, const Instruction& second) {
  return first.size == 0 || first.address + static_cast<std::uint64_t>(first.size) == second.address;
}

}  // namespace

Result<Simulation> simulate(std::span<const TraceStep> trace, const std::vector<InstructionForm>& forms,
                            const CoreModel& core) {
  CHECK_OK(check_core(core));
  CoreTables tables(core);
  Resolver resolver(tables, forms);
  std::unordered_map<const Instruction*, std::size_t> known;
  std::vector<StaticInstruction> code;
  std::vector<std::size_t> places;
  for (const auto& step : trace) {
    auto [at, is_new] = known.try_emplace(step.instruction, code.size());
    if (is_new) code.push_back(resolver.resolve(*step.instruction));
    places.push_back(at->second);
  }
  Pipeline pipeline(tables, register_units(code));
  Simulation result;
  result.shares.reserve(trace.size());
  for (std::size_t k = 0; k < trace.size(); k++) {
    const TraceStep& step = trace[k];
    bool follows = k + 1 < trace.size() && lies_behind(*step.instruction, *trace[k + 1].instruction);
    Happening happening{.taken = step.taken, .mispredicted = step.mispredicted, .extra_load_cycles = step.extra_load_cycles, .address = step.address, .stores_back = {}};
    Share share = pipeline.step(code[places[k]], happening, follows ? &code[places[k + 1]] : nullptr);
    result.by_cause[static_cast<std::size_t>(share.cause)] += share.cycles;
    result.shares.push_back(share);
  }
  result.cycles = pipeline.cycles(), result.instructions = static_cast<double>(trace.size());
  return result;
}

Result<LoopTime> simulate_loop(std::span<const Instruction> body, const std::vector<InstructionForm>& forms,
                               const CoreModel& core, int iterations) {
  CHECK_OK(check_core(core));
  ensure(iterations >= 4, "a loop is simulated for at least four iterations");
  CoreTables tables(core);
  auto code = resolve_all(tables, forms, {body.begin(), body.end()});
  Pipeline pipeline(tables, register_units(code));
  LoopTime time;
  int warm = iterations / 2;
  double begin = 0;
  for (int i = 0; i < iterations; i++) {
    if (i == warm) begin = pipeline.cycles();
    for (std::size_t k = 0; k < code.size(); k++) {
      Happening happening;
      happening.taken = code[k].branch && (k + 1 == code.size() || !code[k].conditional);
      const StaticInstruction* next = k + 1 < code.size() ? &code[k + 1] : nullptr;
      Share share = pipeline.step(code[k], happening, next);
      if (i >= warm) time.by_cause[static_cast<std::size_t>(share.cause)] += share.cycles / (iterations - warm);
    }
  }
  time.cycles_per_iteration = (pipeline.cycles() - begin) / (iterations - warm);
  return time;
}

}  // namespace perfcast::engine

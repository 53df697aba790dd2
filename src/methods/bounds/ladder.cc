// M, MA, MAC, MACS and the window on a superscalar core (README.md). Equation numbers are those of the paper.
#include "methods/bounds/ladder.h"

#include <algorithm>
#include <cmath>

#include "engine/port_bounds.h"
#include "methods/bounds/classes.h"

namespace perfcast::bounds {
namespace {

Machine luckiest(Machine machine) {
  machine.core = engine::luckiest(std::move(*machine.core));
  return machine;
}

// Real order and dependences, but nothing is ever full: the schedule alone.
Machine without_queues(Machine machine) {
  CoreModel& core = *machine.core;
  core.schedulers.clear(), core.bind_ports_at_rename = false;
  core.window.load_queue.reset(), core.window.store_buffer.reset();
  core.window.integer_registers.reset(), core.window.vector_registers.reset(), core.window.release_cycles.reset();
  return machine;
}

// The type most of the loop's floating-point operations have.
std::string main_type(const SourceLoop& needs) {
  std::map<std::string, double> types;
  for (const auto& [name, times] : needs.operations)
    if (name.starts_with("f") && name.find(".f") != std::string::npos) types[name.substr(name.find('.') + 1)] += times;
  auto most = std::ranges::max_element(types, {}, [](const auto& entry) { return entry.second; });
  return most == types.end() ? "f64" : most->first;
}

}  // namespace

Steps::Steps(const Profile& profile, const Machine& machine)
    : profile_(profile), machine_(machine), luckiest_(luckiest(machine)), ideal_(luckiest_), tables_(*luckiest_.core), resolver_(tables_, profile.forms) {}

Result<std::unique_ptr<Steps>> Steps::make(const Profile& profile, const Machine& machine, double instructions) {
  if (!profile.machine) return unfit("the profile holds no machine code", profile.program, "analyze it again with all levels");
  if (!machine.core) return unfit("the machine file says nothing about its core", machine.name, "perfcast characterize, or another --machine");
  CHECK_OK(engine::check_core(*machine.core));
  engine::SimulationOptions options;
  options.instructions = instructions, options.matters = 0;  // a loop of few instructions may take long all the same
  TRY(engine::CompiledCost cost, engine::compiled_cost(profile, machine, options));
  std::unique_ptr<Steps> steps(new Steps(profile, machine));
  steps->instructions_ = instructions;
  steps->cost_ = std::move(cost);
  for (const engine::CompiledBlock& b : steps->cost_.blocks) steps->blocks_[{b.core.function, b.core.block}] = &b;
  steps->cold_lines_ = engine::first_touches(profile);
  for (const engine::BlockTime& b : steps->cost_.core.blocks) {
    double cycles = b.visits > 0 ? b.cycles - b.by_cause[misprediction] : std::max(b.cycles, steps->ports_alone(b));
    steps->window_[{b.function, b.block}] = cycles, steps->total_window_ += cycles;
  }
  options.mispredictions = false;
  const Machine ideal = without_queues(steps->luckiest_);
  TRY(engine::CoreTime scheduled, engine::simulate_program(profile, ideal, options));
  for (const engine::BlockTime& b : scheduled.blocks) {
    double cycles = b.visits > 0 ? b.cycles : steps->ports_alone(b);
    steps->macs_[{b.function, b.block}] = cycles, steps->total_macs_ += cycles;
    steps->causes_[{b.function, b.block}] = b.by_cause, steps->visits_[{b.function, b.block}] = b.visits;
  }
  return steps;
}

double Steps::waiting_for_room(const LoopGroup& group) {
  if (roomy_.empty()) {
    engine::SimulationOptions options;
    options.instructions = instructions_, options.matters = 0;
    const Machine roomy = without_queues(machine_);
    if (auto time = engine::simulate_program(profile_, roomy, options))
      for (const engine::BlockTime& b : time->blocks) roomy_[{b.function, b.block}] = b.cycles - b.by_cause[misprediction];
  }
  double cycles = 0;
  for (int b : group.blocks) cycles += window_cycles(group.function, b) - cycles_of(roomy_, group.function, b);
  return cycles / group.iterations;
}

double Steps::ports_alone(const engine::BlockTime& unseen) {
  LoopGroup alone;
  alone.function = unseen.function, alone.blocks = {unseen.block}, alone.iterations = unseen.executions;
  return unseen.executions > 0 ? ideal_.bound(compiled_demand(alone)).cycles * unseen.executions : 0;
}

std::array<double, engine::causes> Steps::held_up(const LoopGroup& group) const {
  std::array<double, engine::causes> sum{};
  for (int b : group.blocks)
    if (auto it = causes_.find({group.function, b}); it != causes_.end())
      for (std::size_t c = 0; c < engine::causes; c++) sum[c] += it->second[c];
  return sum;
}

engine::IdealCode::Demand Steps::compiled_demand(const LoopGroup& group, const Keep& keep) {
  engine::IdealCode::Demand demand;
  const Function& function = profile_.machine->functions[static_cast<std::size_t>(group.function)];
  for (int b : group.blocks) {
    const Block& block = function.blocks[static_cast<std::size_t>(b)];
    double times = block.count.value / group.iterations;
    std::vector<engine::StaticInstruction> code;
    std::vector<double> kept;
    for (const Instruction& instruction : block.code) {
      const InstructionForm& form = profile_.forms[static_cast<std::size_t>(instruction.form)];
      if (form.nop) continue;
      code.push_back(resolver_.resolve(instruction)), kept.push_back(keep ? keep(form, instruction) : 1);
    }
    for (std::size_t k = 0, fused = ~std::size_t{0}; k < code.size(); k++) {
      bool second = k == fused;
      bool first = !second && k + 1 < code.size() && (code[k].fuses_first & code[k + 1].fuses_second);
      if (first) fused = k + 1;
      if (first) std::erase_if(code[k].micro_ops, [](const engine::MicroOp& op) { return op.part == engine::Part::compute; });
      if (second) code[k].slots = 0;
      else if (first) code[k].slots = 1;
      demand.add(engine::IdealCode::of_code(code[k]), times * kept[k]);
    }
  }
  return demand;
}

bool Steps::add_calls(const Block& block, double times, int depth, engine::IdealCode::Demand& demand) {
  constexpr int deepest = 6;
  const auto& functions = profile_.machine->functions;
  for (const Call& call : block.calls) {
    auto callee = std::ranges::find(functions, call.callee, &Function::name);
    if (depth > deepest || callee == functions.end() || callee->library || callee->calls.value <= 0) return false;
    const double calls = call.per_execution * times / callee->calls.value;
    LoopGroup whole;
    whole.function = static_cast<int>(callee - functions.begin()), whole.iterations = 1;
    for (std::size_t b = 0; b < callee->blocks.size(); b++) whole.blocks.push_back(static_cast<int>(b));
    demand.add(compiled_demand(whole), calls);
    for (const Block& inner : callee->blocks)
      if (!add_calls(inner, calls * inner.count.value, depth + 1, demand)) return false;
  }
  return true;
}

std::optional<engine::IdealCode::Demand> Steps::demand_with_calls(const LoopGroup& group) {
  engine::IdealCode::Demand demand = compiled_demand(group);
  for (int b : group.blocks) {
    const Block& block = profile_.machine->functions[static_cast<std::size_t>(group.function)].blocks[static_cast<std::size_t>(b)];
    if (!add_calls(block, block.count.value / group.iterations, 0, demand)) return {};
  }
  return demand;
}

double Steps::seen_share(const LoopGroup& group) const {
  double visits = 0, executions = 0;
  const Function& function = profile_.machine->functions[static_cast<std::size_t>(group.function)];
  for (int b : group.blocks) visits += cycles_of(visits_, group.function, b), executions += function.blocks[static_cast<std::size_t>(b)].count.value;
  return executions > 0 ? visits / executions : 0;
}

engine::IdealCode::Demand Steps::essential_demand(const LoopGroup& group) {
  engine::IdealCode::Demand demand;
  for (const auto& [name, times] : group.needs.operations) demand.add(ideal_.of(name), times);
  for (const Reference& reference : group.needs.references) {
    std::string type = reference.type.empty() ? "f" + std::to_string(8 * reference.element_bytes) : reference.type;
    demand.add(ideal_.of((reference.store ? "store." : "load.") + type, reference.contiguous()), reference.elements);
  }
  double per_machine_iteration = std::max(1.0, group.iterations / group.machine_iterations);  // k of equation 4.6
  for (const auto& [name, times] : group.needs.overhead) demand.add(ideal_.of(name, false), times / per_machine_iteration);
  return demand;
}

// Equations 4.1 to 4.3. Loops without floating point: the busiest of arithmetic, loads and stores at its peak rate.
void Steps::peak(const LoopGroup& group, Ladder& out) {
  if (group.needs.flops > 0) {
    std::string fused = "fma." + main_type(group.needs);
    auto bound = ideal_.bound(ideal_.of(fused));
    out.m = bound.cycles * group.needs.flops / 2, out.limited_by["m"] = "floating point";
    if (double chained = ideal_.chained(fused); chained > bound.cycles) out.m_practical = chained * group.needs.flops / 2;
    return;
  }
  double integer = 0, loads = 0, stores = 0;
  for (const auto& [name, times] : group.needs.operations) integer += times * ideal_.bound(ideal_.of("add." + name.substr(name.find('.') + 1))).cycles;
  for (const Reference& reference : group.needs.references) {
    auto cycles = ideal_.bound(ideal_.of((reference.store ? "store." : "load.") + reference.type)).cycles * reference.elements;
    (reference.store ? stores : loads) += cycles;
  }
  out.m = std::max({integer, loads, stores});
  out.limited_by["m"] = out.m == integer ? "integer arithmetic" : out.m == loads ? "loads" : "stores";
}

// Without sources the essential operations are not known: the peak for what was executed, by its busiest kind.
void Steps::peak_of_code(const LoopGroup& group, Ladder& out) {
  double loaded = 0, stored = 0, single_flops = 0;  // 8-byte words; flops on singles
  const Function& function = profile_.machine->functions[static_cast<std::size_t>(group.function)];
  OperationClasses classes;
  for (int b : group.blocks) {
    const Block& block = function.blocks[static_cast<std::size_t>(b)];
    double times = block.count.value / group.iterations;
    for (const Instruction& instruction : block.code) {
      const InstructionForm& form = profile_.forms[static_cast<std::size_t>(instruction.form)];
      Classified made = classify(form, instruction);
      count(made, times, classes);
      if (made.single) single_flops += times * made.flops;
      if (form.load) loaded += times * form.memory_bytes / 8;
      if (form.store) stored += times * form.memory_bytes / 8;
    }
  }
  auto at_peak = [&](const std::string& operation) { return ideal_.bound(ideal_.of(operation)).cycles; };
  std::pair<double, const char*> kinds[] = {
      {at_peak("fma.f64") * (classes.flops - single_flops) / 2 + at_peak("fma.f32") * single_flops / 2, "floating point"},
      {at_peak("load.f64") * loaded, "loads"},
      {at_peak("store.f64") * stored, "stores"},
      {at_peak("add.i64") * classes.integer, "integer arithmetic"}};
  auto busiest = *std::ranges::max_element(kinds, {}, [](const auto& kind) { return kind.first; });
  out.m = busiest.first, out.limited_by["m"] = busiest.second;
}

double Steps::chain_cycles(const Recurrence& recurrence) {
  double cycles = 0;
  for (const auto& [name, times] : recurrence.operations)
    if (!name.starts_with("select") && !name.starts_with("icmp") && !name.starts_with("fcmp")) cycles += times * ideal_.latency(name);
  return recurrence.distance > 0 ? cycles / recurrence.distance : cycles;
}

void Steps::dependences(const LoopGroup& group, Ladder& out) {
  for (const Recurrence& recurrence : group.needs.recurrences) {
    double cycles = chain_cycles(recurrence);
    if (!recurrence.allowed) out.t_d = std::max(out.t_d.value_or(0), cycles);
    if (!recurrence.reassociable) out.t_d_reassociated = std::max(out.t_d_reassociated.value_or(0), cycles);
  }
  if (out.t_d && !out.t_d_reassociated) out.t_d_reassociated = 0;
}

Ladder Steps::of(const LoopGroup& group) {
  Ladder out;
  double t_d = 0;
  if (group.source) {
    peak(group, out), dependences(group, out);
    t_d = out.t_d.value_or(0);
    auto essential = ideal_.bound(essential_demand(group));
    out.ma = std::max({out.m, essential.cycles, t_d});
    out.limited_by["ma"] = t_d > 0 && t_d >= *out.ma ? "recurrence" : essential.cycles >= *out.ma ? essential.by : out.limited_by["m"];
  } else {
    peak_of_code(group, out);
  }
  auto compiled = ideal_.bound(compiled_demand(group));
  out.mac = std::max(compiled.cycles, t_d);
  out.limited_by["mac"] = t_d > compiled.cycles ? "recurrence" : compiled.by;
  for (int b : group.blocks) out.macs += macs_cycles(group.function, b), out.window += window_cycles(group.function, b);
  out.macs /= group.iterations, out.window /= group.iterations;
  if (!group.source) out.m = std::min(out.m, out.mac);
  return out;
}

}  // namespace perfcast::bounds

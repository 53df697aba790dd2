#include "methods/tree/observe.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/neighbours.h"
#include "engine/source_costs.h"
#include "record/operations.h"

namespace perfcast::tree {
namespace {

using engine::Cause, engine::ClassUse, engine::CompiledBlock, engine::InstructionClass;

constexpr double short_trips = 32;  // iterations per entry below which filling and emptying a vector loop shows

class Amounts {
 public:
  void add(const std::string& key, double seconds, double demand) {
    if (seconds <= 0 && demand <= 0) return;
    auto [it, is_new] = index_.try_emplace(key, list_.size());
    if (is_new) list_.push_back({key, 0, 0});
    list_[it->second].seconds += seconds, list_[it->second].demand += demand;
  }
  std::vector<Observable>& list() { return list_; }

 private:
  std::map<std::string, std::size_t> index_;
  std::vector<Observable> list_;
};

// How the cycles of a block divide among classes and causes. An instruction takes its place in the flow at full width;
// what a block takes beyond that is waiting, shared out as retirement was held up. So no leaf is faster than the peak,
// and instructions that pass in the shadow of a wait count as flowing.
struct Flow {
  double flowing = 0;                            // cycles per executed instruction
  double front_end_scale = 0, waiting_scale = 0;  // of the cycles by cause
};
constexpr auto front_end = static_cast<std::size_t>(Cause::front_end), mispredicting = static_cast<std::size_t>(Cause::misprediction);
Flow flow_of(const engine::BlockTime& block, double width) {
  double instructions = 0;
  for (const ClassUse& use : block.uses) instructions += use.instructions;
  double base = std::min(block.cycles, instructions / width), flowed = block.by_cause[front_end], waited = block.cycles - flowed;
  double late = std::clamp(flowed - base, 0.0, block.cycles - base);
  Flow flow;
  flow.flowing = instructions > 0 ? base / instructions : 0;
  flow.front_end_scale = flowed > 0 ? late / flowed : 0;
  flow.waiting_scale = waited > 0 ? std::max(0.0, block.cycles - base - late) / waited : 0;
  return flow;
}

// One class of a block: its waiting by cause, its instructions and their flow in proportion to it.
void add_class(const ClassUse& use, const Flow& flow, const std::string& key, double seconds_per_cycle, Amounts& amounts) {
  std::array<double, engine::causes> waiting{};
  double all = 0;
  for (std::size_t c = 0; c < engine::causes; c++)
    all += waiting[c] = use.by_cause[c] * (c == front_end ? flow.front_end_scale : flow.waiting_scale);
  if (all <= 0) amounts.add(key + ":flowing", seconds_per_cycle * use.instructions * flow.flowing, use.instructions);
  for (std::size_t c = 0; c < engine::causes && all > 0; c++) {
    double part = waiting[c] / all;
    amounts.add(key + ":" + engine::name_of(static_cast<Cause>(c)),
                seconds_per_cycle * (waiting[c] + part * use.instructions * flow.flowing), part * use.instructions);
  }
}

// Loops whose body holds packed arithmetic are vector loops; all that is done in them counts as vector mode.
std::string mode_of(const CompiledBlock& block) {
  if (block.core.uses[static_cast<std::size_t>(InstructionClass::vector)].instructions <= 0) return "scalar";
  if (!block.block->loop) return "vector-short";
  const Loop& loop = block.function->loops[static_cast<std::size_t>(*block.block->loop)];
  double entries = std::max(1.0, loop.entries.value), iterations = std::max(loop.iterations.value, block.core.executions);
  return iterations / entries < short_trips ? "vector-short" : "vector-long";
}

// What memory adds to a block, by the level that serves. A line that a load waits for is also moved: it is demand of what it
// is exposed to.
void add_levels(const CompiledBlock& block, double part, const engine::RegionMemory& memory, const MemoryModel& model, const std::string& mode,
                Amounts& amounts, double& far) {
  double serial = memory.serial_walks_ns;
  for (double ns : memory.serial_ns) serial += ns;
  double waiting_left = block.memory.dependent_ns;
  for (std::size_t i = 1; i < model.levels.size(); i++) {
    const double moving = i < block.memory.level_ns.size() ? block.memory.level_ns[i] : 0;
    const double waiting = serial > 0 ? block.memory.dependent_ns * memory.serial_ns[i] / serial : 0;
    const double moved = part * memory.level_moved[i], waited = part * memory.level_waited[i], all = moved + waited;
    const double beside = all > 0 ? moving * waited / all : 0;  // of the moving, that of lines which are waited for
    const double exposed = waiting + beside > 0 ? waited * waiting / (waiting + beside) : 0;
    amounts.add(mode + "/level:" + model.levels[i].name, 1e-9 * moving, all - exposed);
    amounts.add(mode + "/dependent:" + model.levels[i].name, 1e-9 * waiting, exposed);
    waiting_left -= waiting, far += all;
  }
  if (waiting_left > 1e-9 * block.memory.dependent_ns) amounts.add(mode + "/walks", 1e-9 * waiting_left, 0);
}

bool is_far(const Observable& o, const std::string& mode) { return o.key.starts_with(mode + "/level:") || o.key.starts_with(mode + "/dependent:"); }

// An operand from a level beyond the first is one of the executed loads and stores: it is counted there, not twice, and so is
// its place in the flow, `slot` seconds at most. So operands that come in time are no faster than the peak.
void move_operands(std::vector<Observable>& all, const std::string& mode, double operands, double slot) {
  auto is_access = [&](const Observable& o) { return o.key.starts_with(mode + "/load:") || o.key.starts_with(mode + "/store:"); };
  double near = 0, seconds = 0;
  for (const Observable& o : all)
    if (is_access(o)) near += o.demand, seconds += o.seconds;
  if (near <= 0) return;
  const double kept = std::max(0.0, 1 - operands / near);
  slot = std::min(slot, seconds / near);
  for (Observable& o : all) {
    if (is_access(o)) o.demand *= kept, o.seconds *= seconds > 0 ? 1 - slot * (1 - kept) * near / seconds : 1;
    if (is_far(o, mode)) o.seconds += slot * o.demand;
  }
}

}  // namespace

Observed observe_compiled(const engine::CompiledCost& cost, const Profile& profile, const Machine& machine, bool alone) {
  Observed observed;
  observed.program = profile.program, observed.machine = machine.name, observed.unit = "instructions";
  Amounts amounts;
  double width = std::max(1.0, machine.core->front_end.rename_width.value);
  std::map<std::string, double> accesses, far;  // by mode: loads and stores; operands from beyond the first level
  for (const CompiledBlock& b : cost.blocks) {
    std::string mode = mode_of(b);
    Flow flow = flow_of(b.core, width);
    for (std::size_t k = 0; k < engine::instruction_classes; k++) {
      auto kind = static_cast<InstructionClass>(k);
      add_class(b.core.uses[k], flow, mode + "/" + engine::name_of(kind), 1e-9 * cost.ns_per_cycle, amounts);
      if (kind == InstructionClass::load || kind == InstructionClass::store) accesses[mode] += b.core.uses[k].instructions;
    }
    if (b.region < 0) continue;
    const engine::RegionCost& region = cost.region_costs[static_cast<std::size_t>(b.region)];
    const double part = region.core_ns > 0 ? (b.core.cycles - b.core.by_cause[mispredicting]) * cost.ns_per_cycle / region.core_ns : 0;
    if (!region.memory.level_moved.empty()) add_levels(b, part, region.memory, *machine.memory, mode, amounts, far[mode]);
  }
  observed.peak_rate = 1e9 * machine.core->clock_ghz.value * width;
  for (const auto& [mode, count] : far) {
    // More operands than accesses: the profile's accesses and the code's loads do not agree; the accesses are what runs.
    if (count > accesses[mode])
      for (Observable& o : amounts.list())
        if (is_far(o, mode)) o.demand *= accesses[mode] / count;
    move_operands(amounts.list(), mode, std::min(count, accesses[mode]), 1 / observed.peak_rate);
  }

  const engine::OutsideTime& outside = cost.outside;
  double calls = 0;  // of the routines that take the time: what was traced is code like any other
  for (const auto& [name, count] : engine::calls_beyond(*profile.machine))
    if (auto routine = outside.routines_ns.find(name); routine != outside.routines_ns.end() && routine->second > 0) calls += count;
  if (outside.library_ns > 0) amounts.add("library", 1e-9 * outside.library_ns, calls);
  amounts.add("page faults", 1e-9 * outside.faults_ns, outside.faults_ns > 0 ? profile.run.page_faults : 0);
  if (outside.system_ns > 0) amounts.add("system:calls", 1e-9 * outside.system_ns, profile.run.system->calls);
  amounts.add("start", 1e-9 * outside.start_ns, outside.start_ns > 0 ? 1 : 0);
  const double neighbours = alone ? 0 : 1e-9 * engine::neighbours_ns(cost, machine);
  amounts.add("neighbours", neighbours, 0);
  observed.all = std::move(amounts.list());
  observed.seconds = cost.seconds() + neighbours;
  if (!machine.memory) observed.remarks.push_back(machine.name + " has no memory levels: every operand is taken to come from the first cache");
  if (alone && engine::usual_sharing(machine).value > 0)
    observed.remarks.push_back("on a core nobody else uses: what neighbours on " + machine.name + " usually take is left out");
  return observed;
}

namespace {
const char* group_of(const std::string& operation) {
  const SourceOperationKind* kind = find_operation(operation);
  switch (kind ? kind->group : OperationGroup::library) {
    case OperationGroup::arithmetic: return "arithmetic";
    case OperationGroup::logical: return "logical";
    case OperationGroup::control: return "control";
    case OperationGroup::array: return "array";
    case OperationGroup::intrinsic: return "intrinsic";
    case OperationGroup::conversion: return "conversion";
    case OperationGroup::memory: return "memory";
    case OperationGroup::call: return "call";
    case OperationGroup::library: return "library";
  }
  return "library";
}
}  // namespace

Result<Observed> observe_source(const Profile& profile, const Machine& machine) {
  ensure(profile.source.has_value(), "the profile has a source level");
  Observed observed;
  observed.program = profile.program, observed.machine = machine.name, observed.unit = "operations";
  engine::Costs costs(engine::cost_sets(machine, profile.run, observed.remarks), machine);
  double missing = 0, all = 0;
  for (const auto& [operation, executions] : dynamic_usage(*profile.source)) {
    auto cost = costs.of(operation);
    all += executions;
    if (!cost) missing += executions;
    else observed.all.push_back({std::string(group_of(operation)) + "/" + operation, 1e-9 * executions * cost->value, executions});
  }
  if (all <= 0 || missing > 0.5 * all)
    return unfit("most source operations of this program have no cost on " + machine.name, profile.program, "another --machine");
  if (missing > 0)
    observed.remarks.push_back(std::to_string(static_cast<int>(std::ceil(100 * missing / all))) + " % of the operations have no cost here and are left out");
  if (machine.system && machine.system->process_start_ns) observed.all.push_back({"start", 1e-9 * machine.system->process_start_ns->value, 1});
  for (const Observable& o : observed.all) observed.seconds += o.seconds;
  return observed;
}

double capacity_of(double processors, double loss, std::optional<double> ceiling) {
  double capacity = processors * std::pow(1 - loss, processors - 1);
  return ceiling ? std::min(capacity, *ceiling) : capacity;
}

Observed observe_demand(const DemandProfile& profile) {
  Observed observed;
  observed.program = profile.program, observed.unit = profile.seconds ? whole_work : whole_work_untimed;
  double relative = 0;
  for (const DemandMode& mode : profile.modes) relative += mode.demand / capacity_of(mode.active, profile.loss, profile.ceiling);
  double unit = profile.seconds && relative > 0 ? *profile.seconds / relative : 1;  // one processor's time for the whole work
  for (const DemandMode& mode : profile.modes)
    observed.all.push_back({"mode:" + std::to_string(mode.active),
                            unit * mode.demand / capacity_of(mode.active, profile.loss, profile.ceiling), mode.demand});
  if (profile.synchronisation > 0) observed.all.push_back({"synchronisation:waiting", profile.synchronisation, 0});
  observed.seconds = unit * relative + profile.synchronisation;
  observed.peak_rate = capacity_of(profile.processors, profile.loss, profile.ceiling) / unit;
  if (!profile.seconds) observed.remarks.push_back("no time was measured: seconds are in units of one processor's time for the whole work");
  return observed;
}

double accounted_seconds(const DilatedTimes& t) { return t.user + t.system + t.send + t.wait_receive + t.collective + t.other; }

Observed observe_dilation(const Dilation& dilation) {
  Observed observed;
  observed.program = dilation.program, observed.unit = "seconds";
  if (dilation.points.empty()) return observed;
  const DilationPoint& first = dilation.points.front();
  const DilatedTimes& t = first.times;
  // Clocks of several ranks may say a little more than what elapsed.
  const double all = accounted_seconds(t), scale = all > first.elapsed ? first.elapsed / all : 1;
  auto add = [&](const char* key, double seconds) { observed.all.push_back({key, scale * seconds, scale * seconds}); };
  add("user", t.user), add("system", t.system), add("send", t.send);
  double wait = t.wait_receive + t.collective;
  if (dilation.transport_share && dilation.logic_share) {
    double transport = std::clamp(*dilation.transport_share * first.elapsed - t.send, 0.0, wait);
    add("wait:transport", transport), add("wait:logical", wait - transport);
  } else {
    add("wait_receive", t.wait_receive), add("collective", t.collective);
  }
  add("other", t.other);
  observed.seconds = first.elapsed;
  observed.peak_rate = 1;
  return observed;
}

}  // namespace perfcast::tree

#include "engine/resolve.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <unordered_map>

#include "engine/values.h"

namespace perfcast::engine {
namespace {

// What LLVM's tables mean by ports, after taking out of each group what its sub-groups already count.
struct LlvmUse {
  std::uint32_t ports = 0;
  int cycles = 1;
};
std::vector<LlvmUse> llvm_uses(const CoreTables& tables, const InstructionForm& form) {
  std::map<std::uint32_t, int> sums;
  for (const auto& use : form.resources)
    if (auto mask = tables.llvm_mask(use.ports)) sums[mask] = std::max(sums[mask], use.cycles);  // groups that are one here
  std::vector<LlvmUse> groups, own;
  for (auto [mask, cycles] : sums) groups.push_back({mask, cycles});
  std::ranges::sort(groups, {}, [](const LlvmUse& use) { return std::pair(std::popcount(use.ports), use.ports); });
  for (auto& group : groups) {
    int left = group.cycles;
    for (const auto& smaller : own)
      if ((smaller.ports & group.ports) == smaller.ports) left -= smaller.cycles;
    if (left > 0) own.push_back({group.ports, left});
  }
  return own;
}

bool within(std::uint32_t ports, std::uint32_t all) { return ports && (ports & ~all) == 0; }

bool divides(const std::string& opcode) {
  return opcode.find("DIV") != std::string::npos || opcode.find("SQRT") != std::string::npos;
}

// All rules that hold for one instruction, best first, with the first answer to each question.
class Answers {
 public:
  Answers(const CoreTables& tables, const Candidate& candidate) {
    for (const auto& rule : tables.rules)
      if (rule.match.holds(candidate)) matching_.push_back(&rule);
  }
  // The first matching rule that states `member`, or nullptr.
  template <class Member>
  const InstructionRule* first(Member member) {
    for (const auto* rule : matching_)
      if (stated(rule->rule->*member)) {
        best_ = best_ ? std::min(*best_, rule->origin) : rule->origin;
        return rule->rule;
      }
    return nullptr;
  }
  std::optional<Origin> best() const { return best_; }

 private:
  static bool stated(const std::string& text) { return !text.empty(); }
  template <class T>
  static bool stated(const std::optional<T>& value) { return value.has_value(); }
  template <class T>
  static bool stated(const std::vector<T>& value) { return !value.empty(); }
  std::vector<const CoreTables::Rule*> matching_;
  std::optional<Origin> best_;
};

void add_ops(StaticInstruction& out, const CoreTables& tables, const std::vector<PortNeed>& needs, Part part) {
  for (const auto& need : needs)
    if (auto mask = tables.port_mask(need.ports))
      for (int k = 0; k < need.count; k++)
        out.micro_ops.push_back({mask, std::max(1, static_cast<int>(std::lround(need.occupancy))), part});
}

template <class Rules>
const auto* first_match(const std::vector<CompiledMatch>& matches, const Rules& rules, const Candidate& candidate) {
  for (std::size_t k = 0; k < matches.size(); k++)
    if (matches[k].holds(candidate)) return &rules[k];
  return static_cast<decltype(&rules[0])>(nullptr);
}

std::uint32_t all_matches(const std::vector<CompiledMatch>& matches, const Candidate& candidate) {
  std::uint32_t mask = 0;
  for (std::size_t k = 0; k < matches.size() && k < 32; k++)
    if (matches[k].holds(candidate)) mask |= 1u << k;
  return mask;
}

// A default rule's ports, as often as LLVM counts such micro-operations (a load of two vectors counts two).
void add_default(StaticInstruction& out, const CoreTables& tables, const std::vector<PortNeed>& needs, Part part,
                 int llvm_count) {
  if (llvm_count > 1 && needs.size() == 1) {
    PortNeed need = needs[0];
    need.count = std::max(need.count, llvm_count);
    return add_ops(out, tables, {need}, part);
  }
  add_ops(out, tables, needs, part);
}

void choose_micro_ops(StaticInstruction& out, const CoreTables& tables, const Candidate& candidate, Answers& answers) {
  const auto& [form, instruction, remembered] = candidate;
  if (form.nop) return;
  auto uses = llvm_uses(tables, form);
  int llvm_loads = 0, llvm_addresses = 0, llvm_data = 0;
  std::vector<LlvmUse> compute;
  const bool loads = out.load || out.takes_return, stores = out.store || out.leaves_return;
  for (const auto& use : uses) {
    if (loads && within(use.ports, tables.load_ports)) llvm_loads += use.cycles;
    else if (stores && within(use.ports, tables.store_address_ports)) llvm_addresses += use.cycles;
    else if (stores && within(use.ports, tables.store_data_ports)) llvm_data += use.cycles;
    else if ((loads || stores) && within(use.ports, tables.load_ports | tables.store_address_ports)) continue;
    else compute.push_back(use);
  }
  if (const auto* rule = answers.first(&InstructionRule::ports)) {
    add_ops(out, tables, *rule->ports, Part::compute);
  } else {
    bool long_use = divides(form.opcode);
    for (const auto& use : compute) {
      if (long_use && use.cycles > 1) out.micro_ops.push_back({use.ports, use.cycles, Part::compute});
      else out.micro_ops.insert(out.micro_ops.end(), static_cast<std::size_t>(use.cycles), {use.ports, 1, Part::compute});
    }
  }
  out.computes = !out.micro_ops.empty();
  if (out.computes && form.write_back && (out.load || out.store)) {  // all that such a one computes is its new address
    out.computes = false, out.updates_address = true;
    for (MicroOp& op : out.micro_ops) op.part = Part::address_update;
  }
  if (loads) {
    const auto* rule = answers.first(&InstructionRule::load_ports);
    const auto* usual = first_match(tables.loads, tables.core().memory.loads, candidate);
    if (rule) add_ops(out, tables, *rule->load_ports, Part::load);
    else if (usual) add_default(out, tables, usual->ports, Part::load, llvm_loads);
  }
  if (stores) {
    const auto* usual = first_match(tables.stores, tables.core().memory.stores, candidate);
    if (const auto* rule = answers.first(&InstructionRule::store_address_ports))
      add_ops(out, tables, *rule->store_address_ports, Part::store_address);
    else if (usual) add_default(out, tables, usual->address_ports, Part::store_address, llvm_addresses);
    if (const auto* rule = answers.first(&InstructionRule::store_data_ports))
      add_ops(out, tables, *rule->store_data_ports, Part::store_data);
    else if (usual) add_default(out, tables, usual->data_ports, Part::store_data, llvm_data);
  }
}

// LLVM gives the latency of a load and its operation together; what is left for the operation, at least 1.
double llvm_compute_latency(const StaticInstruction& out, const InstructionForm& form, std::size_t definition) {
  if (form.latency.empty()) return 1;
  int whole = form.latency[std::min(definition, form.latency.size() - 1)];
  return out.load ? std::max(1.0, whole - out.load_latency) : whole;
}

bool updates_stack(const std::string& opcode) {
  for (const char* name : {"PUSH", "POP1", "POP3", "POP6", "POPF", "CALL", "RET", "LEAVE"})
    if (opcode.starts_with(name)) return true;
  return false;
}

void choose_latencies(StaticInstruction& out, const CoreTables& tables, const Candidate& candidate, Answers& answers) {
  const auto& [form, instruction, remembered] = candidate;
  if (out.load) {
    const auto* usual = first_match(tables.loads, tables.core().memory.loads, candidate);
    const auto* rule = answers.first(&InstructionRule::load_latency);
    out.load_latency = rule ? rule->load_latency->value : usual ? usual->latency.value : 5;
  }
  const auto* by_definition = answers.first(&InstructionRule::latency_by_definition);
  const auto* latency = answers.first(&InstructionRule::latency);
  const auto* update = answers.first(&InstructionRule::address_latency);
  bool stack = updates_stack(form.opcode);
  auto is_update = [&](const RegisterUse& def) {
    if (!form.write_back && !stack) return false;
    return std::ranges::any_of(instruction.uses, [&](const RegisterUse& use) {
      return use.unit == def.unit && (use.address || stack);
    });
  };
  int first_operand = instruction.defs.empty() ? 0 : instruction.defs.front().operand;
  for (const auto& def : instruction.defs) {
    Destination result;
    result.unit = def.unit;
    auto place = static_cast<std::size_t>(def.operand);
    result.flags = def.operand != first_operand;
    result.address_update = is_update(def);
    if (result.address_update) result.latency = update ? *update->address_latency : 1;
    else if (by_definition && place < by_definition->latency_by_definition.size())
      result.latency = by_definition->latency_by_definition[place];
    else if (latency) result.latency = latency->latency->value;
    else result.latency = llvm_compute_latency(out, form, place);
    out.results.push_back(result);
  }
}

// What takes as long as its operands are difficult.
bool depends_on_data(const std::string& opcode) { return divides(opcode) && opcode.find("RSQRT") == std::string::npos; }

// Of the usual cycles, what is left for the easiest operands where nobody measured or documents it: Arm's dividers need 7 cycles
// at least of 16 at most for a square root, and 5 of 12 for a division of integers.
constexpr double least_share = 0.4;

void take_least(StaticInstruction& out, const Candidate& candidate, Answers& answers) {
  const auto* by_latency = answers.first(&InstructionRule::least_latency);
  const auto* by_throughput = answers.first(&InstructionRule::least_throughput);
  auto first = std::ranges::find(out.results, false, &Destination::address_update);
  if (first == out.results.end() || (!by_latency && !by_throughput && !depends_on_data(candidate.form.opcode))) return;
  const double usual = std::max(1.0, first->latency);
  const double least = std::clamp(by_latency ? by_latency->least_latency->value : least_share * usual, 1.0, usual);
  for (Destination& result : out.results)
    if (!result.address_update) result.latency = std::max(1.0, result.latency - (usual - least));
  auto unit = std::ranges::max_element(out.micro_ops, {}, &MicroOp::occupancy);
  if (unit == out.micro_ops.end()) return;
  // Where the throughput is not known the unit is taken to be free sooner by the same share.
  const double kept = by_throughput ? by_throughput->least_throughput->value * std::popcount(unit->ports) : unit->occupancy * least / usual;
  constexpr double rounding = 0.05;  // what a measured number of whole cycles may fall short of it
  unit->occupancy = std::clamp(static_cast<int>(std::floor(kept + rounding)), 1, unit->occupancy);
}

// When the result leaves the port, of what is one operation.
void note_result(StaticInstruction& out) {
  auto computes = [](const MicroOp& op) { return op.part == Part::compute; };
  if (out.results.empty() || std::ranges::count_if(out.micro_ops, computes) != 1) return;
  std::ranges::find_if(out.micro_ops, computes)->result_after = std::max(1, static_cast<int>(std::lround(out.results.front().latency)));
}

void choose_sources(StaticInstruction& out, const CoreTables& tables, const Candidate& candidate, Answers& answers) {
  const auto& [form, instruction, remembered] = candidate;
  int accumulator = -2;
  if (const auto* rule = answers.first(&InstructionRule::accumulator)) {
    accumulator = *rule->accumulator;
    if (accumulator == -1)
      for (const auto& use : instruction.uses)
        if (!use.address) accumulator = std::max(accumulator, use.operand);
  }
  bool in_memory = form.load || form.store;
  const auto* kept = answers.first(&InstructionRule::kept_latency);
  const double later = kept && !out.results.empty() ? std::max(0.0, out.results.front().latency - *kept->kept_latency) : 0;
  // What the destination held comes first among the operands, where it is one of them to LLVM.
  auto is_kept = [&](const RegisterUse& use) { return use.operand == 0 && std::ranges::any_of(instruction.defs, [&](const RegisterUse& def) { return def.unit == use.unit; }); };
  for (const auto& use : instruction.uses)
    out.sources.push_back({use.unit, use.address && in_memory, use.operand == accumulator && !use.address, is_kept(use) ? later : 0});
  bool waits = std::ranges::any_of(tables.false_dependences, [&](auto& m) { return m.holds(candidate); });
  if (waits)
    for (const auto& def : instruction.defs)
      if (std::ranges::none_of(out.sources, [&](const Source& s) { return s.unit == def.unit; }))
        out.sources.push_back({def.unit, false, false, later});
}

bool moves_between_registers(const Instruction& instruction) {
  return std::ranges::none_of(instruction.defs, [&](const RegisterUse& def) {
    return std::ranges::any_of(instruction.uses, [&](const RegisterUse& use) { return use.unit == def.unit; });
  });
}

bool folds(const CoreTables& tables, const Candidate& candidate) {
  const Instruction& instruction = candidate.instruction;
  for (std::size_t k = 0; k < tables.folded.size(); k++) {
    if (!tables.folded[k].holds(candidate)) continue;
    auto amount = instruction.immediate ? instruction.immediate : instruction.displacement;
    return std::abs(amount.value_or(1)) < tables.core().rename.folded[k].immediate_below;
  }
  return false;
}

// A divider or another port that keeps no queue is no micro-operation of its own.
int micro_ops_in_queues(const StaticInstruction& out, const CoreTables& tables) {
  if (tables.schedulers.empty()) return static_cast<int>(out.micro_ops.size());
  std::uint32_t queued = 0;
  for (const auto& scheduler : tables.schedulers) queued |= scheduler.ports;
  return static_cast<int>(std::ranges::count_if(out.micro_ops, [&](const MicroOp& op) { return op.ports & queued; }));
}

void choose_slots(StaticInstruction& out, const CoreTables& tables, const Candidate& candidate, Answers& answers) {
  const auto& [form, instruction, remembered] = candidate;
  auto any = [&](const std::vector<CompiledMatch>& list) {
    return std::ranges::any_of(list, [&](const CompiledMatch& m) { return m.holds(candidate); });
  };
  out.slots = 1;
  if (tables.core().rename.micro_fusion) {
    int fused = ((out.load || out.takes_return) && out.computes ? 1 : 0) + (out.store || out.leaves_return ? 1 : 0);
    out.slots = std::max(1, micro_ops_in_queues(out, tables) - fused);
  }
  if (const auto* rule = answers.first(&InstructionRule::slots)) out.slots = *rule->slots;
  if (const auto* extra = first_match(tables.extra_slots, tables.core().rename.extra_slots, candidate))
    out.slots += extra->slots, out.comes_apart = extra->slots > 0;
  out.zero_idiom = instruction.same_sources && any(tables.zero_idioms);
  out.eliminated = !out.zero_idiom && any(tables.eliminated) && moves_between_registers(instruction);
  out.folded = !out.zero_idiom && !out.eliminated && folds(tables, candidate);
  if (out.zero_idiom) out.sources.clear();
  if (out.zero_idiom || out.eliminated || out.folded) out.micro_ops.clear(), out.computes = false, out.comes_apart = false, out.slots = 1;
  out.fetch_slots = out.slots;
  if (any(tables.no_slot)) out.slots = 0;
}

// The register with the upper half of the dividend: the last operand of a division of x86-64, by the highest of its units.
int upper_half(const Instruction& division) {
  int operand = -1, unit = -1;
  for (const RegisterUse& use : division.uses)
    if (std::pair(use.operand, use.unit) > std::pair(operand, unit)) operand = use.operand, unit = use.unit;
  return unit;
}

}  // namespace

struct Resolver::Cache {
  std::vector<std::vector<signed char>> remembered;  // by form
};

Resolver::Resolver(const CoreTables& tables, const std::vector<InstructionForm>& forms)
    : tables_(tables), forms_(forms), cache_(std::make_unique<Cache>()) {
  cache_->remembered.resize(forms.size());
}
Resolver::~Resolver() = default;

StaticInstruction Resolver::resolve(const Instruction& instruction) {
  ensure(instruction.form >= 0 && static_cast<std::size_t>(instruction.form) < forms_.size(),
         "an instruction names a form that the profile holds");
  const InstructionForm& form = forms_[static_cast<std::size_t>(instruction.form)];
  StaticInstruction out;
  Candidate candidate{form, instruction, cache_->remembered[static_cast<std::size_t>(instruction.form)]};
  Answers answers(tables_, candidate);
  out.branch = form.branch || form.call || form.ret;
  // A jump through memory waits for its target; nobody waits for where to return to, which is foreseen.
  out.load = form.load && (!out.branch || (form.indirect && !form.ret)), out.store = form.store && !out.branch;
  out.leaves_return = form.call && form.memory_bytes > 0, out.takes_return = form.ret && form.memory_bytes > 0;
  out.conditional = form.conditional, out.call = form.call, out.ret = form.ret, out.indirect = form.indirect;
  out.memory_bytes = form.load && form.store ? std::max(1, form.memory_bytes) : form.memory_bytes;
  choose_micro_ops(out, tables_, candidate, answers);
  choose_latencies(out, tables_, candidate, answers);
  if (tables_.core().luckiest) take_least(out, candidate, answers);
  if (tables_.core().one_result_per_port && !form.floating) note_result(out);
  choose_sources(out, tables_, candidate, answers);
  choose_slots(out, tables_, candidate, answers);
  if (const auto* rule = answers.first(&InstructionRule::kind)) out.kind = tables_.kind_of(rule->kind);
  out.fuses_first = all_matches(tables_.fusion_first, candidate);
  out.fuses_second = all_matches(tables_.fusion_second, candidate);
  if (out.load) out.forwards_load = all_matches(tables_.forward_load, candidate);
  if (out.store) out.forwards_store = all_matches(tables_.forward_store, candidate);
  bool writes = std::ranges::any_of(out.results, [](const Destination& r) { return !r.flags; });
  out.writes_vector = writes && form.floating, out.writes_integer = writes && !form.floating;
  describe_values(out, form, instruction);
  if (tables_.core().wide_division && form.opcode.starts_with("DIV64")) out.upper_half = upper_half(instruction);
  out.moves_stack = updates_stack(form.opcode), out.names_stack = !out.moves_stack && instruction.text.find("%rsp") != std::string::npos;
  out.place = instruction.address, out.size = instruction.size;
  bool settled = out.zero_idiom || out.eliminated || out.folded || form.nop || (!out.computes && !out.updates_address && (out.load || out.store));
  out.origin = settled ? Origin::pattern : answers.best().value_or(Origin::llvm);
  return out;
}

std::vector<StaticInstruction> resolve_all(const CoreTables& tables, const std::vector<InstructionForm>& forms,
                                           const std::vector<Instruction>& code) {
  Resolver resolver(tables, forms);
  std::vector<StaticInstruction> resolved;
  resolved.reserve(code.size());
  for (const auto& instruction : code) resolved.push_back(resolver.resolve(instruction));
  return resolved;
}

int register_units(const std::vector<StaticInstruction>& code) {
  int units = 1;
  for (const auto& instruction : code) {
    for (const auto& source : instruction.sources) units = std::max(units, source.unit + 1);
    for (const auto& result : instruction.results) units = std::max(units, result.unit + 1);
  }
  return units;
}

}  // namespace perfcast::engine

#include "methods/characterize/instructions/against_llvm.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/core_tables.h"
#include "methods/characterize/instructions/form_table.h"

namespace perfcast::instructions {
namespace {

constexpr double latency_off = 0.45, throughput_off = 0.25;

// What the first measured rule that matches and states the property says.
template <class Property>
std::optional<double> measured(const engine::CoreTables& tables, const DescribedForm& d, Property property) {
  std::vector<signed char> remembered;
  for (auto& rule : tables.rules)
    if (rule.match.holds({d.form, d.instruction, remembered}))
      if (const auto& value = rule.rule->*property) {
        if (value->how == How::measured) return value->value;
        return {};
      }
  return {};
}

// LLVM counts a unit inside each group that holds it: the busiest smallest group decides.
std::optional<double> llvm_throughput(const engine::CoreTables& tables, const InstructionForm& form) {
  double busiest = 0;
  for (auto& use : form.resources)
    if (auto mask = tables.llvm_mask(use.ports)) busiest = std::max(busiest, double(use.cycles) / std::popcount(mask));
  if (busiest == 0) return {};
  return busiest;
}

}  // namespace

Result<AgainstLlvm> against_llvm(const CoreModel& core, const std::string& isa, std::optional<DescribedForms> own) {
  TRY(auto table, bundled_form_table(isa));
  DescribedForms described;
  if (own) described = std::move(*own);
  else {
    TRY(described, bundled_described_forms(isa));
  }
  engine::CoreTables tables(core);
  AgainstLlvm result;
  result.llvm_cpu = described.llvm_cpu;
  if (core.llvm_cpu != described.llvm_cpu) result.own_cpu = core.llvm_cpu;
  for (auto& form : table.forms) {
    auto it = described.of.find(form.name);
    if (it == described.of.end() || form.opcodes.empty()) continue;
    const auto& d = it->second;
    const auto latency = d.form.load ? std::optional<double>{} : measured(tables, d, &InstructionRule::latency);
    const auto throughput = measured(tables, d, &InstructionRule::throughput);
    if (!latency && !throughput) continue;
    result.compared++;
    Disagreement row{form.name, d.form.opcode, {}, {}, {}, {}};
    if (latency && !d.form.latency.empty() && std::abs(*latency - d.form.latency.front()) > latency_off)
      row.latency = latency, row.llvm_latency = d.form.latency.front();
    if (auto llvm = llvm_throughput(tables, d.form); llvm && throughput && std::abs(*throughput / *llvm - 1) > throughput_off)
      row.throughput = throughput, row.llvm_throughput = llvm;
    if (row.latency || row.throughput) result.rows.push_back(std::move(row));
  }
  return result;
}

}  // namespace perfcast::instructions

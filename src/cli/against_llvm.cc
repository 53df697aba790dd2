#include "cli/against_llvm.h"

#include "frontends/decoded_assembly.h"

namespace perfcast::cli {
namespace {

// What LLVM says of every form for this CPU.
Result<instructions::DescribedForms> tables_of(const std::string& isa, const std::string& cpu) {
  TRY(auto table, instructions::bundled_form_table(isa));
  const auto list = instructions::list_benchmarks(table, instructions::one_of_each());
  TRY(auto decoded, decode_assembly(instructions::write_assembly(table, list), isa, cpu));
  return instructions::describe_forms(table, list, decoded.forms, decoded.functions, cpu);
}

}  // namespace

Result<instructions::AgainstLlvm> against_llvm(const Machine& machine) {
  TRY(auto bundled, instructions::bundled_described_forms(machine.isa));
  std::optional<instructions::DescribedForms> tables;
  if (const std::string& cpu = machine.core->llvm_cpu; !cpu.empty() && cpu != bundled.llvm_cpu)
    if (auto own = tables_of(machine.isa, cpu)) tables = std::move(*own);
  return instructions::against_llvm(*machine.core, machine.isa, tables ? std::move(tables) : std::move(bundled));
}

Json against_llvm_json(const Machine& machine, const instructions::AgainstLlvm& result) {
  Json rows = Json::array();
  for (const auto& row : result.rows) {
    Json json = {{"form", row.form}, {"opcode", row.opcode}};
    if (row.latency) json["latency"] = *row.latency, json["llvm_latency"] = *row.llvm_latency;
    if (row.throughput) json["throughput"] = *row.throughput, json["llvm_throughput"] = *row.llvm_throughput;
    rows.push_back(std::move(json));
  }
  Json json = {{"machine", machine.name}, {"llvm_cpu", result.llvm_cpu}, {"compared", result.compared}, {"disagreements", rows}};
  if (!result.own_cpu.empty()) json["own_llvm_cpu"] = result.own_cpu;
  return json;
}

}  // namespace perfcast::cli

#include "frontends/machine_code/machine_graph.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/brief_name.h"
#include "frontends/machine_code/claims.h"
#include "frontends/machine_code/loops.h"

namespace perfcast::machine_code {
namespace {

using llvm_ir::FunctionCounts;

// ---------------------------------------------------------------------------------------------- the code of a block

// In an object, fields that the linker will fill hold nothing yet; the engine wants to know what they will speak of.
void apply_relocation(const Relocation& r, Decoded& d, const InstructionForm& form) {
  Instruction& i = d.instruction;
  const auto target = static_cast<std::int64_t>(r.target);
  if (form.opcode == "ADRP") {
    i.immediate = (target >> 12) - static_cast<std::int64_t>(i.address >> 12);
  } else if (r.low_bits) {
    (i.displacement && (form.load || form.store) ? i.displacement : i.immediate) = target & 0xfff;
  } else if (r.relative && i.displacement) {
    i.displacement = target;
  } else if (!r.relative && i.displacement && (form.load || form.store)) {
    i.displacement = *i.displacement + target;  // table(,%rax,8)
  } else if (!r.relative && i.immediate) {
    i.immediate = target;
  }
}

class UnitBuilder {
 public:
  UnitBuilder(const ElfImage& image, Decoder& decoder, FormTable& forms, std::vector<Gap>& gaps)
      : image_(image), decoder_(decoder), forms_(forms), gaps_(gaps) {}

  Function build(const CodeSymbol& symbol, const MappedFunction& map, const std::vector<MachineBlockOrigin>& origins,
                 const FunctionCounts& counts) {
    Function f;
    f.name = counts.unique.empty() ? symbol.name : counts.unique, f.readable = readable_name(symbol.name), f.at = image_.declared_at(symbol.address);
    f.calls.value = counts.entries;
    starts_.clear(), targets_.clear();
    for (const auto& block : map.blocks) starts_.push_back(block.address);
    std::map<std::string, int> used;
    std::vector<bool> unlikely;
    std::vector<std::size_t> first_gap;
    for (std::size_t k = 0; k < origins.size(); ++k) {
      Block b;
      b.from = origins[k].ir_block;
      b.name = b.from.value_or("machine." + std::to_string(origins[k].id));
      if (int copy = used[b.name]++) b.name += "#" + std::to_string(copy + 1);
      const std::uint64_t end = k + 1 < map.blocks.size() ? map.blocks[k + 1].address : map.blocks[k].address + map.blocks[k].size;
      first_gap.push_back(gaps_.size());
      decode(map.blocks[k], end, symbol, origins[k].successors.empty(), b);
      unlikely.push_back(!b.from && is_slow_path(b));
      f.blocks.push_back(std::move(b));
    }
    first_gap.push_back(gaps_.size());
    const FlowProblem problem = claims_of(origins, counts, unlikely);
    const FlowSolution flow = solve_flow(problem);
    int estimated = 0;
    double estimated_executions = 0;
    for (std::size_t k = 0; k < origins.size(); ++k) {
      Block& b = f.blocks[k];
      b.count = {flow.blocks[k], "", flow.exact[k] ? Certainty::counted : Certainty::ratio};
      for (std::size_t g = first_gap[k]; g < first_gap[k + 1]; ++g) gaps_[g].weight = b.count.value;
      if (!flow.exact[k] && b.count.value > 0) estimated++, estimated_executions += b.count.value;
    }
    if (estimated)
      gaps_.push_back({"how often " + std::to_string(estimated) + " of " + std::to_string(origins.size()) + " blocks of machine code of " +
                           brief_name(f.readable.empty() ? f.name : f.readable, 60) + " ran is an estimate", {}, estimated_executions});
    for (std::size_t e = 0; e < problem.edges.size(); ++e)
      f.blocks[problem.edges[e].from].next.push_back(
          {problem.edges[e].to, {flow.edges[e], "", flow.edge_exact[e] ? Certainty::counted : Certainty::ratio}});
    for (std::size_t b = 0; b < f.blocks.size(); ++b) split_after_branch(f, b);
    find_loops(f);
    return f;
  }

 private:
  // What the code generator adds for a rare case: a call of the routine whose usual case is inlined (sqrt).
  static bool is_slow_path(const Block& b) { return !b.calls.empty(); }

  // LLVM's blocks may end in a conditional branch and a jump; the jump runs only when the branch is not taken. Cut
  // behind the first branch; the rest, appended as a block of its own, is looked at in its turn.
  void split_after_branch(Function& f, std::size_t b) {
    Block& whole = f.blocks[b];
    std::size_t cut = 0;
    while (cut < whole.code.size() && !forms_[whole.code[cut].form].conditional) ++cut;
    if (cut + 1 >= whole.code.size()) return;
    auto target = targets_.find(whole.code[cut].address);
    if (target == targets_.end()) return;
    auto taken = std::find_if(whole.next.begin(), whole.next.end(), [&](const Edge& e) { return start_of(f, e.to) == target->second; });
    if (taken == whole.next.end()) return;
    Block rest;
    rest.name = whole.name + ".else", rest.at = whole.at, rest.from = whole.from, rest.count = whole.count;
    rest.count.value = std::max(0.0, whole.count.value - taken->count.value);
    if (taken->count.certainty != Certainty::counted) rest.count.certainty = taken->count.certainty;
    rest.code.assign(std::make_move_iterator(whole.code.begin() + cut + 1), std::make_move_iterator(whole.code.end()));
    whole.code.resize(cut + 1);
    for (const Edge& e : whole.next)
      if (e.to != taken->to) rest.next.push_back(e);
    whole.next = {*taken, {static_cast<int>(f.blocks.size()), rest.count}};
    f.blocks.push_back(std::move(rest));
  }

  // Where a block's code begins; of an empty block, that of what follows it.
  std::uint64_t start_of(const Function& f, int b) const { return b < static_cast<int>(starts_.size()) ? starts_[b] : f.blocks[b].code.front().address; }

  std::span<const std::uint8_t> bytes_at(std::uint64_t address, std::uint64_t size) const {
    for (const auto& section : image_.code())
      if (address >= section.address && address + size <= section.address + section.bytes.size())
        return section.bytes.subspan(address - section.address, size);
    return {};
  }

  // Decodes a block and, if it can fall through, the padding before the next.
  void decode(const MappedBlock& place, std::uint64_t end, const CodeSymbol& symbol, bool leaves, Block& b) {
    auto code = decoder_.decode(bytes_at(place.address, place.size), place.address, forms_);
    const bool stays = !code.instructions.empty() && code.instructions.back().barrier;
    const std::uint64_t padding = place.address + place.size;
    if (!stays && end > padding) {
      auto more = decoder_.decode(bytes_at(padding, end - padding), padding, forms_);
      for (auto& d : more.instructions) code.instructions.push_back(std::move(d));
    }
    for (auto& gap : code.gaps) gap.what += " in " + symbol.name, gaps_.push_back(std::move(gap));
    for (auto& d : code.instructions) {
      const InstructionForm& form = forms_[d.instruction.form];
      const Relocation* relocation = image_.relocation_in(d.instruction.address, d.instruction.size);
      if (relocation) apply_relocation(*relocation, d, form);
      if (d.target && form.conditional) targets_[d.instruction.address] = *d.target;
      note_call(d, form, relocation, symbol, leaves, b);
      note_line(d.instruction, form.conditional, b);
      b.code.push_back(std::move(d.instruction));
    }
  }

  // Calls, and branches that leave the function (tail calls).
  void note_call(const Decoded& d, const InstructionForm& form, const Relocation* relocation, const CodeSymbol& here,
                 bool leaves, Block& b) {
    if (!form.call && !form.branch) return;
    std::string callee = form.call || (form.indirect && leaves) ? "*" : "";
    if (relocation && !relocation->symbol.empty() && relocation->symbol[0] != '.') {
      callee = relocation->symbol;
    } else if (relocation || d.target) {  // a section and an offset, or resolved by the assembler
      const CodeSymbol* target = image_.function_at(relocation ? relocation->target : *d.target);
      if (target && (form.call || target->address != here.address)) callee = target->name;
    }
    if (!callee.empty()) b.calls.push_back({callee, 1});  // one for each instruction, in their order
  }

  void note_line(Instruction& i, bool conditional, Block& b) const {
    const Location line = image_.line_at(i.address);
    if (!line.known()) return;
    if (!b.at.known()) b.at = line;
    i.line = line.line;
    if (conditional) i.column = line.column;
    if (line.file != b.at.file) i.file = line.file;
  }

  const ElfImage& image_;
  Decoder& decoder_;
  FormTable& forms_;
  std::vector<Gap>& gaps_;
  std::vector<std::uint64_t> starts_;                // of the blocks of the function being built
  std::map<std::uint64_t, std::uint64_t> targets_;   // of conditional branches, by address
};

}  // namespace

Status add_unit(const GeneratedCode& code, const llvm_ir::UnitCounts& counts, Decoder& decoder, FormTable& forms,
                Graph& graph, std::vector<Gap>& gaps) {
  TRY(const ElfImage image, ElfImage::from_bytes(code.object, "the generated object"));
  UnitBuilder builder(image, decoder, forms, gaps);
  for (const MappedFunction& map : image.block_map()) {
    const CodeSymbol* symbol = image.function_at(map.address);
    if (!symbol) continue;
    const auto origins = code.blocks.find(symbol->name);
    if (origins == code.blocks.end() || origins->second.size() != map.blocks.size()) {
      gaps.push_back({"the blocks of " + symbol->name + " could not be told apart", image.declared_at(map.address), 0});
      continue;
    }
    const FunctionCounts* counted = counts.find(symbol->name);
    if (counted && counted->duplicate) continue;
    FunctionCounts none;
    if (!counted) none.name = symbol->name, gaps.push_back({symbol->name + " was not counted", image.declared_at(map.address), 0});
    graph.functions.push_back(builder.build(*symbol, map, origins->second, counted ? *counted : none));
  }
  return {};
}

CodegenOptions codegen_options(const llvm_ir::Unit& unit) {
  CodegenOptions options;
  const std::string& level = unit.optimisation;
  const char letter = level.size() > 2 ? level[2] : level == "-O" ? '1' : '0';
  options.optimization = letter >= '0' && letter <= '9' ? std::min(letter - '0', 3) : letter == 'f' ? 3 : letter == 'g' ? 1 : 2;
  options.fast_contract = level == "-Ofast";
  for (const auto& flag : unit.flags) {
    if (flag == "-ffast-math" || flag == "-ffp-contract=fast") options.fast_contract = true;
    if (flag == "-ffp-contract=off" || flag == "-ffp-contract=on" || flag == "-fno-fast-math") options.fast_contract = false;
  }
  return options;
}

Result<MachineLevel> machine_level(const llvm_ir::CompiledProgram& program,
                                   const std::vector<llvm_ir::UnitCounts>& counts, const MachineOptions& options) {
  MachineLevel level;
  FormTable forms;
  std::optional<Decoder> decoder;
  for (std::size_t k = 0; k < program.units.size(); ++k) {
    TRY(const GeneratedCode code, generate_code_from_file(program.units[k].final_bitcode, codegen_options(program.units[k])));
    if (!decoder) {
      TRY(auto made, Decoder::make(code.triple, options.tables_cpu));
      decoder.emplace(std::move(made));
    }
    CHECK_OK(add_unit(code, counts.at(k), *decoder, forms, level.graph, level.gaps));
  }
  level.forms = forms.take();
  return level;
}

Result<std::vector<Graph>> machine_graphs(const llvm_ir::CompiledProgram& program,
                                          const std::vector<std::vector<llvm_ir::UnitCounts>>& runs) {
  std::vector<Graph> graphs(runs.size());
  std::vector<Gap> gaps;
  std::optional<Decoder> decoder;
  FormTable forms;
  for (std::size_t k = 0; k < program.units.size(); ++k) {
    TRY(const GeneratedCode code, generate_code_from_file(program.units[k].final_bitcode, codegen_options(program.units[k])));
    if (!decoder) {
      TRY(auto made, Decoder::make(code.triple, {}));
      decoder.emplace(std::move(made));
    }
    for (std::size_t r = 0; r < runs.size(); ++r) CHECK_OK(add_unit(code, runs[r].at(k), *decoder, forms, graphs[r], gaps));
  }
  return graphs;
}

double executed_instructions(const Function& function) {
  double sum = 0;
  for (const auto& b : function.blocks) sum += b.count.value * static_cast<double>(b.code.size());
  return sum;
}

double executed_instructions(const Graph& graph) {
  double sum = 0;
  for (const auto& f : graph.functions) sum += executed_instructions(f);
  return sum;
}

}  // namespace perfcast::machine_code

#include "engine/memory/ir_origins.h"

#include <algorithm>
#include <set>

#include "record/successors.h"

namespace perfcast::engine {
namespace {

bool loads(const Block& machine, const std::vector<InstructionForm>& forms) {
  return std::ranges::any_of(machine.code, [&](const Instruction& i) { return forms[static_cast<std::size_t>(i.form)].load; });
}

}  // namespace

IrOrigins::IrOrigins(const Function& ir, const Function& machine, const std::vector<InstructionForm>& forms) : machine_(machine) {
  std::set<std::string> at_home;
  for (const Block& block : machine.blocks)
    if (block.from && loads(block, forms)) at_home.insert(*block.from);
  for (const Block& block : ir.blocks) {
    by_name_[block.name] = &block;
    if (!block.accesses.empty() && block.next.size() > 1 && !at_home.contains(block.name)) homeless_.push_back(&block);
  }
}

std::vector<int> IrOrigins::pieces_before(int machine_block, const std::string& ir) const {
  std::vector<int> pieces;
  for (std::size_t b = 0; b < machine_.blocks.size(); b++)
    if (const Block& block = machine_.blocks[b]; block.from == ir && static_cast<int>(b) != machine_block &&
                                                 std::ranges::any_of(block.next, [&](const Edge& edge) { return edge.to == machine_block; }))
      pieces.push_back(static_cast<int>(b));
  return pieces;
}

std::vector<IrOrigins::Origin> IrOrigins::of(int machine_block) const {
  constexpr double more = 1.01;
  const Block& block = machine_.blocks[static_cast<std::size_t>(machine_block)];
  const auto named = block.from ? by_name_.find(*block.from) : by_name_.end();
  if (named == by_name_.end()) return {};
  const Block& own = *named->second;
  std::vector<Origin> origins{{&own, 1, {}}};
  if (block.count.value <= more * own.count.value) return origins;
  for (const Block* other : homeless_)
    if (other != &own && successors(*other) == successors(own))
      origins.push_back({other, std::min(1.0, other->count.value / block.count.value), pieces_before(machine_block, other->name)});
  if (origins.size() > 1) origins[0].part = own.count.value / block.count.value, origins[0].arriving_from = pieces_before(machine_block, own.name);
  return origins;
}

void visit_origins(const Profile& profile, const OriginVisitor& visit) {
  if (!profile.machine || !profile.ir) return;
  std::map<std::string, const Function*> ir_functions;
  for (const Function& function : profile.ir->functions) ir_functions[function.name] = &function;
  for (std::size_t f = 0; f < profile.machine->functions.size(); f++) {
    const Function& function = profile.machine->functions[f];
    const auto ir = ir_functions.find(function.name);
    if (ir == ir_functions.end()) continue;
    const IrOrigins origins(*ir->second, function, profile.forms);
    for (std::size_t b = 0; b < function.blocks.size(); b++)
      if (const Block& block = function.blocks[b]; block.count.value > 0)
        for (const IrOrigins::Origin& origin : origins.of(static_cast<int>(b))) visit(static_cast<int>(f), static_cast<int>(b), block, origin);
  }
}

std::vector<std::pair<int, int>> match_loads(const std::vector<int>& machine_bytes, const std::vector<int>& ir_bytes) {
  // The longest common subsequence by size.
  std::size_t m = machine_bytes.size(), n = ir_bytes.size();
  std::vector<std::vector<int>> length(m + 1, std::vector<int>(n + 1, 0));
  for (std::size_t i = m; i-- > 0;)
    for (std::size_t j = n; j-- > 0;)
      length[i][j] = machine_bytes[i] == ir_bytes[j] ? length[i + 1][j + 1] + 1 : std::max(length[i + 1][j], length[i][j + 1]);
  std::vector<std::pair<int, int>> pairs;
  for (std::size_t i = 0, j = 0; i < m && j < n;)
    if (machine_bytes[i] == ir_bytes[j]) pairs.emplace_back(i++, j++);
    else if (length[i + 1][j] >= length[i][j + 1]) i++;
    else j++;
  return pairs;
}

MatchedLoads matched_loads(const Block& machine, const std::vector<InstructionForm>& forms, const Block& ir) {
  MatchedLoads matched;
  std::vector<int> machine_bytes, ir_bytes;
  for (std::size_t k = 0; k < machine.code.size(); k++)
    if (const auto& form = forms[static_cast<std::size_t>(machine.code[k].form)]; form.load)
      matched.places.push_back(static_cast<int>(k)), machine_bytes.push_back(form.memory_bytes);
  for (const Access& access : ir.accesses)
    if (!access.store) matched.accesses.push_back(&access), ir_bytes.push_back(access.bytes);
  matched.pairs = match_loads(machine_bytes, ir_bytes);
  return matched;
}

}  // namespace perfcast::engine

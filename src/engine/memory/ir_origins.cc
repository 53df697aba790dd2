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

}  // namespace perfcast::engine

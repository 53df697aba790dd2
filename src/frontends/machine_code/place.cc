#include "frontends/machine_code/place.h"

#include <algorithm>

namespace perfcast::machine_code {
namespace {

struct Extent {
  std::uint64_t first = ~std::uint64_t{0}, last = 0;
};
Extent extent_of(const Function& function) {
  Extent extent;
  for (const Block& block : function.blocks)
    for (const Instruction& i : block.code)
      extent.first = std::min(extent.first, i.address), extent.last = std::max(extent.last, i.address + static_cast<std::uint64_t>(i.size));
  return extent;
}

std::uint64_t distance(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

}  // namespace

Placement::Placement(const ElfImage& linked) {
  for (const auto& symbol : linked.functions()) symbols_[symbol.name].push_back(symbol);
}

std::optional<std::uint64_t> Placement::moved(const Function& function) {
  const Extent extent = extent_of(function);
  if (extent.first >= extent.last) return {};
  auto it = symbols_.find(function.name.substr(0, function.name.find('@')));
  if (it == symbols_.end()) return {};
  auto& same_name = it->second;
  auto best = std::ranges::min_element(same_name, {}, [&](const CodeSymbol& s) { return distance(s.size, extent.last - extent.first); });
  const std::uint64_t moved = best->address - extent.first;
  if (same_name.size() > 1) same_name.erase(best);  // static functions of one name
  return moved;
}

Status place(const std::string& executable, Graph& machine) {
  TRY(const ElfImage image, ElfImage::open(executable));
  Placement placement(image);
  for (Function& function : machine.functions) {
    const auto moved = function.library ? std::nullopt : placement.moved(function);
    if (!moved) continue;
    for (Block& block : function.blocks)
      for (Instruction& instruction : block.code) instruction.address += *moved;
  }
  return {};
}

}  // namespace perfcast::machine_code

#include "engine/memory/load_aliases.h"

#include "engine/memory/ir_origins.h"

namespace perfcast::engine {

LoadAliases::LoadAliases(const Profile& profile) {
  if (!profile.machine) return;
  const auto& functions = profile.machine->functions;
  for (std::size_t f = 0; f < functions.size(); f++)  // watched as machine code
    for (std::size_t b = 0; b < functions[f].blocks.size(); b++)
      for (const Access& access : functions[f].blocks[b].accesses)
        if (!access.aliases.empty()) loads_[{static_cast<int>(f), static_cast<int>(b), access.index}] = access.aliases;
  visit_origins(profile, [&](int function, int block, const Block& machine, const IrOrigins::Origin& origin) {
    const MatchedLoads loads = matched_loads(machine, profile.forms, *origin.ir);
    for (auto [load, access] : loads.pairs)
      if (const auto& aliases = loads.accesses[static_cast<std::size_t>(access)]->aliases; !aliases.empty())
        loads_[{function, block, loads.places[static_cast<std::size_t>(load)]}] = aliases;
  });
}

std::uint64_t LoadAliases::draw(int function, int block, int instruction) {
  if (loads_.empty()) return 0;
  const auto at = loads_.find({function, block, instruction});
  if (at == loads_.end()) return 0;
  std::uint64_t stores = 0;
  for (const DistanceBin& bin : at->second) {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
    const double drawn = static_cast<double>(state_ >> 11) / 9007199254740992.0;
    if (drawn < bin.share && bin.distance >= 1 && bin.distance <= 64) stores |= std::uint64_t{1} << (static_cast<int>(bin.distance) - 1);
  }
  return stores;
}

}  // namespace perfcast::engine

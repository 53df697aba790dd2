#include "engine/memory/load_meetings.h"

#include <algorithm>

#include "engine/memory/ir_origins.h"

namespace perfcast::engine {

// Where the address comes from data, the code tells nothing of what it meets. An address computed from induction variables says by
// itself what it meets always, at one distance; what it meets now and then is data's doing again.
void LoadMeetings::add(int function, int block, int instruction, const Access& access) {
  constexpr double always = 0.5;
  const bool by_data = access.kind != AddressKind::regular;
  const bool told_by_code = std::ranges::any_of(access.meetings, [](const DistanceBin& bin) { return bin.share > always; });
  if (access.store || !access.meetings_seen || (!by_data && (told_by_code || access.meetings.empty()))) return;
  meetings_[{function, block, instruction}] = {access.meetings, by_data};
}

LoadMeetings::LoadMeetings(const Profile& profile) {
  if (!profile.machine) return;
  const auto& functions = profile.machine->functions;
  for (std::size_t f = 0; f < functions.size(); f++)
    for (std::size_t b = 0; b < functions[f].blocks.size(); b++)
      for (const Access& access : functions[f].blocks[b].accesses)  // watched as machine code
        add(static_cast<int>(f), static_cast<int>(b), access.index, access);
  visit_origins(profile, [&](int function, int block, const Block& machine, const IrOrigins::Origin& origin) {
    const MatchedLoads loads = matched_loads(machine, profile.forms, *origin.ir);
    for (auto [load, access] : loads.pairs)
      add(function, block, loads.places[static_cast<std::size_t>(load)], *loads.accesses[static_cast<std::size_t>(access)]);
  });
}

std::optional<int> LoadMeetings::draw(int function, int block, int instruction) {
  if (meetings_.empty()) return {};
  const auto at = meetings_.find({function, block, instruction});
  if (at == meetings_.end()) return {};
  state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
  double chance = static_cast<double>(state_ >> 11) / 9007199254740992.0;
  for (const DistanceBin& bin : at->second.met)
    if ((chance -= bin.share) < 0) return static_cast<int>(bin.distance);
  return at->second.no_others ? std::optional(0) : std::nullopt;
}

}  // namespace perfcast::engine

#include "engine/memory/load_meetings.h"

#include "engine/memory/ir_origins.h"

namespace perfcast::engine {

LoadMeetings::LoadMeetings(const Profile& profile) {
  visit_origins(profile, [&](int function, int block, const Block& machine, const IrOrigins::Origin& origin) {
    const MatchedLoads loads = matched_loads(machine, profile.forms, *origin.ir);
    for (auto [load, access] : loads.pairs)
      if (const Access& seen = *loads.accesses[static_cast<std::size_t>(access)]; seen.meetings_seen || !seen.meetings.empty())
        meetings_[{function, block, loads.places[static_cast<std::size_t>(load)]}] = {seen.meetings, seen.meetings_seen};
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

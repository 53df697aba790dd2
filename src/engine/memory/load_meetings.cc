#include "engine/memory/load_meetings.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/memory/ir_origins.h"

namespace perfcast::engine {

// Where its address comes from data, the code tells nothing of what a load meets. An address computed from induction variables tells by
// itself what it meets always, at one distance, and all that stores to such addresses wrote; what it meets now and then where others
// store by data is data's doing again.
void LoadMeetings::add(int function, int block, int instruction, const Access& access) {
  constexpr double always = 0.5, furthest = 64, near = 8;  // stores back: more than any profile looks, and those it counts one by one
  const bool by_data = access.kind != AddressKind::regular;
  const bool told_by_code = !store_by_data_.contains(function) || std::ranges::any_of(access.meetings, [](const DistanceBin& bin) { return bin.share > always; });
  if (access.store || !access.meetings_seen || (!by_data && access.meetings.empty())) return;
  Load load{access.meetings, by_data, !by_data && told_by_code, {}};
  std::erase_if(load.met, [&](const DistanceBin& bin) { return !(bin.distance >= 1 && bin.distance <= (load.code_first ? near : furthest)); });
  if (load.code_first && load.met.empty()) return;
  std::ranges::sort(load.met, {}, &DistanceBin::distance);
  loads_[{function, block, instruction}] = std::move(load);
}

LoadMeetings::LoadMeetings(const Profile& profile) {
  if (!profile.machine) return;
  const auto& functions = profile.machine->functions;
  auto visit_machine = [&](auto&& visit) {  // watched as machine code
    for (std::size_t f = 0; f < functions.size(); f++)
      for (std::size_t b = 0; b < functions[f].blocks.size(); b++)
        for (const Access& access : functions[f].blocks[b].accesses) visit(static_cast<int>(f), static_cast<int>(b), access);
  };
  auto note_store = [&](int function, const Access& access) {
    if (access.store && access.kind != AddressKind::regular) store_by_data_.insert(function);
  };
  visit_machine([&](int function, int, const Access& access) { note_store(function, access); });
  visit_origins(profile, [&](int function, int, const Block&, const IrOrigins::Origin& origin) {
    for (const Access& access : origin.ir->accesses) note_store(function, access);
  });
  visit_machine([&](int function, int block, const Access& access) { add(function, block, access.index, access); });
  visit_origins(profile, [&](int function, int block, const Block& machine, const IrOrigins::Origin& origin) {
    const MatchedLoads loads = matched_loads(machine, profile.forms, *origin.ir);
    for (auto [load, access] : loads.pairs)
      add(function, block, loads.places[static_cast<std::size_t>(load)], *loads.accesses[static_cast<std::size_t>(access)]);
  });
  find_hot_addresses(*profile.machine, profile.forms);
}

// Block by block. Of a load that its loop was unrolled into copies of, all copies go to the same addresses.
void LoadMeetings::find_hot_addresses(const Graph& machine, const std::vector<InstructionForm>& forms) {
  for (auto at = loads_.begin(); at != loads_.end();) {
    const auto [function, number, instruction] = at->first;
    std::vector<Load*> here;
    for (; at != loads_.end() && std::get<0>(at->first) == function && std::get<1>(at->first) == number; ++at)
      if (!at->second.met.empty() && !at->second.code_first) here.push_back(&at->second);
    const auto& code = machine.functions[static_cast<std::size_t>(function)].blocks[static_cast<std::size_t>(number)].code;
    const double stores = static_cast<double>(std::ranges::count_if(code, [&](const Instruction& i) { return forms[static_cast<std::size_t>(i.form)].store; }));
    if (const auto all = HotAddresses::fit(mean_of(here)); all && here.size() > 1 && std::floor(stores / all->step()) == static_cast<double>(here.size())) {
      for (Load* load : here) load->hot = hot_.size(), load->met = all->others(std::move(load->met));
      hot_.push_back(*all);
      continue;
    }
    for (Load* load : here) {
      const auto own = HotAddresses::fit(load->met);
      if (!own || stores >= 2 * own->step()) continue;
      load->hot = hot_.size(), load->met = own->others(std::move(load->met));
      hot_.push_back(*own);
    }
  }
}

std::vector<DistanceBin> LoadMeetings::mean_of(const std::vector<Load*>& loads) {
  std::map<double, double> shares;
  for (const Load* load : loads)
    for (const DistanceBin& bin : load->met) shares[bin.distance] += bin.share / static_cast<double>(loads.size());
  std::vector<DistanceBin> mean;
  mean.reserve(shares.size());
  for (auto [distance, share] : shares) mean.push_back({distance, share, 0});
  return mean;
}

std::optional<LoadMeetings::Meeting> LoadMeetings::draw(int function, int block, int instruction) {
  if (loads_.empty()) return {};
  const auto at = loads_.find({function, block, instruction});
  if (at == loads_.end()) return {};
  const Load& load = at->second;
  const std::optional<Meeting> nothing = load.no_others ? std::optional(Meeting{}) : std::nullopt;
  double drawn = chance();
  if (load.hot) {
    HotAddresses& hot = hot_[*load.hot];
    if (drawn < hot.share()) {
      const int back = hot.draw(drawn, stores_);
      return back ? std::optional(Meeting{back, false}) : nothing;
    }
    drawn -= hot.share();
  }
  for (const DistanceBin& bin : load.met) {
    drawn -= bin.share;
    if (drawn < 0) return Meeting{static_cast<int>(bin.distance), load.code_first};
  }
  return nothing;
}

double LoadMeetings::chance() {
  state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
  return static_cast<double>(state_ >> 11) / 9007199254740992.0;
}

}  // namespace perfcast::engine

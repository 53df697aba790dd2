// Which loads read what a store just before them wrote, where their address comes from data and the code does not tell: the
// counter of a histogram that the element before has just raised, the sums of a few clusters. Drawn from what was seen of the
// load's counterpart in the IR; the simulated core then makes it wait for that store. Most loads of a few addresses are drawn as
// such (hot_addresses.h), the others by distance. Where the code does tell, it tells what the walk can follow: behind a loop that ends
// by its own count, the walk's last element is not the run's, so what was seen stands in where the code finds no store.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "engine/memory/hot_addresses.h"
#include "record/profile.h"

namespace perfcast::engine {

class LoadMeetings {
 public:
  explicit LoadMeetings(const Profile& profile);
  struct Meeting {
    int back = 0;             // how many stores ago the value was stored, 1 for the last one; 0: longer ago
    bool code_first = false;  // only where the address that the code implies was not stored to lately
  };
  // For the next execution of this load (indices into the machine graph). Nothing where the addresses that the code implies are to
  // decide.
  std::optional<Meeting> draw(int function, int block, int instruction);
  // A store was executed, of those that are watched: not on the stack.
  void stored() { stores_++; }

 private:
  void add(int function, int block, int instruction, const Access& access);
  struct Load {
    std::vector<DistanceBin> met;  // by distance
    bool no_others = false, code_first = false;
    std::optional<std::size_t> hot;
  };
  void find_hot_addresses(const Graph& machine, const std::vector<InstructionForm>& forms);
  static std::vector<DistanceBin> mean_of(const std::vector<Load*>& loads);
  double chance();
  std::map<std::tuple<int, int, int>, Load> loads_;
  std::set<int> store_by_data_;  // functions that do
  std::vector<HotAddresses> hot_;
  std::uint64_t stores_ = 0;
  std::uint64_t state_ = 0x2545F4914F6CDD1Dull;
};

}  // namespace perfcast::engine

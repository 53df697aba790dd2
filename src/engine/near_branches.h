// The small table of branches that a core foresees without a bubble: one for each block of so many bytes of code, found by
// the block's place. Every other taken branch waits for the large table. An entry is given to another branch when others
// have come twice since it was last of use, so that of two branches that share a place one keeps it.
#pragma once

#include <cstdint>
#include <vector>

namespace perfcast::engine {

class NearBranches {
 public:
  NearBranches(int branches, int block_bytes) : block_bytes_(static_cast<std::uint64_t>(block_bytes > 0 ? block_bytes : 1)), entries_(static_cast<std::size_t>(branches > 0 ? branches : 0)) {}

  bool limited() const { return !entries_.empty(); }
  // A branch at `place` was taken: whether the table knew it.
  bool know(std::uint64_t place) {
    Entry& entry = entries_[(place / block_bytes_) % entries_.size()];
    const bool known = entry.place == place;
    if (known || !entry.useful) entry = {place, true};
    else entry.useful = false;
    return known;
  }

 private:
  struct Entry {
    std::uint64_t place = ~std::uint64_t{0};
    bool useful = false;
  };
  std::uint64_t block_bytes_;
  std::vector<Entry> entries_;
};

}  // namespace perfcast::engine

// What recent stores left behind: their data, for loads that follow (store-to-load forwarding), and the values
// that address arithmetic may read back. Keyed by eight-byte words; old entries give way to new ones.
#pragma once

#include <cstdint>
#include <vector>

namespace perfcast::engine {

struct StoreEntry {
  std::uint64_t word = ~std::uint64_t{0};
  std::uint64_t address = 0;
  std::uint64_t value = 0;        // of the word's register, as values.h computes it
  double data = 0, commit = 0;    // when the data is known; when it has left the store buffer
  double leaves = 0;              // when it may begin to leave: all before it is done
  std::uint32_t rules = 0;        // forwarding rules that the store fits
  int bytes = 0;
  mutable bool loaded = false;    // a load has had its value: see Pipeline::forwarded
};

class StoreMemory {
 public:
  StoreMemory() : entries_(size) {}
  const StoreEntry* find(std::uint64_t word) const {
    const StoreEntry& entry = entries_[slot(word)];
    return entry.word == word ? &entry : nullptr;
  }
  void put(const StoreEntry& entry) { entries_[slot(entry.word)] = entry; }

 private:
  static constexpr std::size_t size = 1 << 14;
  static std::size_t slot(std::uint64_t word) { return (word * 0x9e3779b97f4a7c15u) >> 50; }
  std::vector<StoreEntry> entries_;
};

}  // namespace perfcast::engine

// What recent stores left behind: their data, for loads that follow (store-to-load forwarding), and the values
// that address arithmetic may read back. Keyed by words of four bytes, as the variables of unoptimised code lie side by side;
// old entries give way to new ones.
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
  std::uint32_t mispredictions = 0;  // before it
  bool changed_at_once = false;   // the value was loaded, and changed in a cycle
  bool not_renamed = false;       // since a constant began it (MemoryRules::constants_end_renaming)
  mutable int waiting = 0;        // loads that were there before its data
};

class StoreMemory {
 public:
  static constexpr std::uint64_t word_bytes = 4;
  static std::uint64_t word_of(std::uint64_t address) { return address / word_bytes; }

  StoreMemory() : sets_(sets), entries_(sets * ways) {}
  const StoreEntry* find(std::uint64_t word) const {
    const std::size_t set = set_of(word);
    for (std::size_t way = 0; way < ways; way++)
      if (sets_[set].words[way] == word) return &entries_[set * ways + way];
    return nullptr;
  }
  // In place of the word itself or the one that was longest not stored to: a counter that every iteration stores to stays.
  void put(const StoreEntry& entry) {
    const std::size_t set = set_of(entry.word);
    Set& here = sets_[set];
    std::size_t place = 0;
    for (std::size_t way = 0; way < ways; way++) {
      if (here.words[way] == entry.word) {
        place = way;
        break;
      }
      if (here.stored[way] < here.stored[place]) place = way;
    }
    here.words[place] = entry.word, here.stored[place] = ++clock_;
    entries_[set * ways + place] = entry;
  }

 private:
  static constexpr std::size_t sets = 1 << 12, ways = 4;
  struct Set {
    std::uint64_t words[ways] = {~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}};
    std::uint64_t stored[ways] = {};
  };
  static std::size_t set_of(std::uint64_t word) { return (word * 0x9e3779b97f4a7c15u) >> 52; }
  std::vector<Set> sets_;
  std::vector<StoreEntry> entries_;
  std::uint64_t clock_ = 0;
};

}  // namespace perfcast::engine

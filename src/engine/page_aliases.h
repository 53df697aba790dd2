// Which store last went to each place of a page, whatever page it was. A core that compares the low bits of addresses first takes
// such a store for the one that a load must wait for, until it has compared the rest.
#pragma once

#include <array>
#include <cstdint>

namespace perfcast::engine {

class PageAliases {
 public:
  // A store of so many bytes, and when it has left the store buffer.
  void store(std::uint64_t address, std::uint64_t bytes, double gone) {
    for (std::uint64_t word = address / word_bytes; word <= (address + bytes - 1) / word_bytes; word++) last_[word % last_.size()] = {word, gone};
  }
  // When the last store to the same place of another page is gone; 0: none, or a younger one went to this very page.
  double gone(std::uint64_t address, std::uint64_t bytes) const {
    double latest = 0;
    bool elsewhere = false;
    for (std::uint64_t word = address / word_bytes; word <= (address + bytes - 1) / word_bytes; word++)
      if (const Store& store = last_[word % last_.size()]; store.gone > latest) latest = store.gone, elsewhere = store.word != word;
    return elsewhere ? latest : 0;
  }

 private:
  static constexpr std::uint64_t word_bytes = 8, page_bytes = 4096;
  struct Store {
    std::uint64_t word = 0;
    double gone = 0;
  };
  std::array<Store, page_bytes / word_bytes> last_{};
};

}  // namespace perfcast::engine

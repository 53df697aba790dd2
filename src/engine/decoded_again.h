// Code that is decoded each time it comes. Some cores keep what they have decoded by blocks of code, and since an erratum of theirs not
// those where a jump crosses or ends at the end of the block. What is decoded comes by fewer bytes a cycle.
#pragma once

#include <cstdint>
#include <vector>

namespace perfcast::engine {

class DecodedAgain {
 public:
  // Blocks of so many bytes; 0: whatever was decoded is kept.
  explicit DecodedAgain(int block_bytes) : block_bytes_(static_cast<std::uint64_t>(block_bytes)), blocks_(block_bytes ? table : 0, ~std::uint64_t{0}) {}
  bool any() const { return block_bytes_ > 0; }
  // A jump, with what is fused to it, lies from `first` to before `end`.
  void jump(std::uint64_t first, std::uint64_t end) {
    if (first / block_bytes_ == end / block_bytes_) return;
    for (std::uint64_t block = first / block_bytes_; block <= (end - 1) / block_bytes_; block++) blocks_[block % table] = block;
  }
  bool holds(std::uint64_t place) const { return blocks_[place / block_bytes_ % table] == place / block_bytes_; }

 private:
  static constexpr std::uint64_t table = 1 << 12;
  std::uint64_t block_bytes_;
  std::vector<std::uint64_t> blocks_;
};

}  // namespace perfcast::engine

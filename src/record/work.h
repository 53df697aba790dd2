// Work that unrolling and vectorising do not change: what the source asks for and what the code does can be compared by it.
#pragma once

#include "record/profile.h"

namespace perfcast {

// In the whole run.
struct Work {
  double flops = 0, bytes_stored = 0, bytes_loaded = 0;

  void add(const Block& block) {
    auto of = [&](const char* what) {
      auto it = block.usage.find(what);
      return it == block.usage.end() ? 0.0 : it->second * block.count.value;
    };
    flops += of("flops"), bytes_stored += of("bytes_stored"), bytes_loaded += of("bytes_loaded");
  }
  void add(const Work& other, double times = 1) {
    flops += times * other.flops, bytes_stored += times * other.bytes_stored, bytes_loaded += times * other.bytes_loaded;
  }
  double sum() const { return flops + bytes_stored + bytes_loaded; }

  // The share of what was asked for that is done, by the kind that tells best: the compiler neither invents nor drops floating-point
  // operations and stores of distinct elements, but it may load one more than once. None: nothing was asked for.
  std::optional<double> share_of(const Work& asked) const {
    if (asked.flops > 0) return flops / asked.flops;
    if (asked.bytes_stored > 0) return bytes_stored / asked.bytes_stored;
    if (asked.bytes_loaded > 0) return bytes_loaded / asked.bytes_loaded;
    return {};
  }
};

inline Work asked_for(const SourceLoop& source) {
  Work work;
  work.flops = source.flops * source.iterations;
  for (const Reference& reference : source.references)
    (reference.store ? work.bytes_stored : work.bytes_loaded) += reference.elements * reference.element_bytes * source.iterations;
  return work;
}

// What a group's blocks of the IR (function, block) do.
inline Work done_by(const Profile& profile, const std::vector<std::pair<int, int>>& ir_blocks) {
  Work work;
  for (auto [f, b] : ir_blocks) work.add(profile.ir->functions[static_cast<std::size_t>(f)].blocks[static_cast<std::size_t>(b)]);
  return work;
}

}  // namespace perfcast

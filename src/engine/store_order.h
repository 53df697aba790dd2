// The order of loads and stores. Loads pass stores whose addresses are not yet known; a load that met one of them lately does not
// any more, and waits until the addresses of all stores before it are known, for as long as the core stays cautious.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace perfcast::engine {

class StoreOrder {
 public:
  struct Store {
    std::optional<std::uint64_t> address;
    double known = 0;  // when its address is
    double gone = 0;   // when it has left the store buffer
    std::uint64_t bytes = 1;
  };

  // `cautious`: for how many executions a load waits after it met a store too early; 0: such a core does not wait.
  explicit StoreOrder(int cautious) : cautious_(std::min<int>(cautious, UINT8_MAX)) { calm_.fill(UINT8_MAX); }

  // The next store. A variable on the stack is not among those a load is seen to meet.
  void store(const Store& made, bool variable) {
    all_known_ = std::max(all_known_, made.known);
    if (!variable) last_[count_++ % last_.size()] = made;
  }
  // The store so many stores ago, 1 for the last one; none where that is too long ago, or 0.
  const Store* back(std::uint64_t stores) const {
    if (stores == 0 || stores > std::min<std::uint64_t>(count_, last_.size())) return nullptr;
    return &last_[(count_ - stores) % last_.size()];
  }
  // When the load at this place of the code may begin.
  double allowed_from(std::uint64_t place) const {
    constexpr double seen = 1;  // cycles until a load knows of an address
    return calm_[place % calm_.size()] < cautious_ ? all_known_ + seen : 0;
  }
  // It was ready to begin then and met this store, or none.
  void loaded(std::uint64_t place, const Store* met, double ready) {
    if (!cautious_) return;
    std::uint8_t& calm = calm_[place % calm_.size()];
    if (met && met->known > ready) calm = 0;
    else if (calm < UINT8_MAX) calm++;
  }

 private:
  int cautious_;
  std::array<Store, 64> last_;
  std::uint64_t count_ = 0;
  double all_known_ = 0;
  std::array<std::uint8_t, 256> calm_;  // by place of a load: executions since it met a store too early
};

}  // namespace perfcast::engine

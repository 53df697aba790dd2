// What waits at one receiver: messages that it has not asked for yet, or receives that nothing came for. Found by who sent it
// under which tag, so that a program which takes its messages in another order than they come is not gone through again for
// each of them; of those that fit, the first is taken.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace perfcast::engine {

constexpr int any_rank = -1, no_rank = -2;
constexpr int any_tag = -1;
constexpr long blocked = -1;   // no request of the program's: the rank itself waits

// A message under way, or one asked for.
struct Offer {
  int source = 0, tag = 0, group = 0;
  double bytes = 0, start = 0;   // when the send began, or the receive was asked for
  int rank = 0;                  // who waits for its end
  long request = blocked;        // number of the request
  bool meet = false;             // the sender waits for its receiver
};

class Mailbox {
 public:
  void add(const Offer& offer) { waiting_[key_of(offer)].push_back({next_++, offer}); }

  // A message for a receive, which may take any source or tag.
  std::optional<Offer> take_for(const Offer& asked) {
    if (asked.source != any_rank && asked.tag != any_tag) return take_first(std::array<Key, 1>{key_of(asked)});
    std::vector<Key> fitting;
    for (const auto& [key, queue] : waiting_)
      if (key[0] == asked.group && (asked.source == any_rank || key[1] == asked.source) && (asked.tag == any_tag || key[2] == asked.tag)) fitting.push_back(key);
    return take_first(fitting);
  }
  // A receive for a message.
  std::optional<Offer> take_who_asked(const Offer& sent) {
    return take_first(std::array<Key, 4>{key_of(sent), Key{sent.group, sent.source, any_tag}, Key{sent.group, any_rank, sent.tag}, Key{sent.group, any_rank, any_tag}});
  }

  std::size_t size() const {
    std::size_t sum = 0;
    for (const auto& [key, queue] : waiting_) sum += queue.size();
    return sum;
  }

 private:
  using Key = std::array<int, 3>;  // group, source, tag
  struct Waiting {
    long number;  // in the order they came
    Offer offer;
  };
  static Key key_of(const Offer& offer) { return {offer.group, offer.source, offer.tag}; }

  std::optional<Offer> take_first(std::span<const Key> keys) {
    auto first = waiting_.end();
    for (const Key& key : keys)
      if (auto it = waiting_.find(key); it != waiting_.end() && (first == waiting_.end() || it->second.front().number < first->second.front().number)) first = it;
    if (first == waiting_.end()) return {};
    Offer taken = first->second.front().offer;
    first->second.pop_front();
    if (first->second.empty()) waiting_.erase(first);
    return taken;
  }

  std::map<Key, std::deque<Waiting>> waiting_;  // no queue is empty
  long next_ = 0;
};

}  // namespace perfcast::engine

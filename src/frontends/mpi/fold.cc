#include "frontends/mpi/fold.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace perfcast::mpi {
namespace {

void mix(std::size_t& hash, std::size_t value) { hash ^= value + 0x9e3779b97f4a7c15ull + (hash << 6) + (hash >> 2); }

bool same_call(const Step& a, const Step& b) {
  return a.act == b.act && a.site == b.site && a.bytes == b.bytes && a.to == b.to && a.from == b.from && a.tag == b.tag && a.from_tag == b.from_tag &&
         a.group == b.group && a.later == b.later && a.requests == b.requests && a.times == b.times;
}

}  // namespace

std::size_t Folder::hash_of(const Step& s) {
  std::size_t hash = static_cast<std::size_t>(s.act);
  for (std::size_t v : {static_cast<std::size_t>(s.site), std::hash<double>()(s.bytes), static_cast<std::size_t>(s.to.kind),
                        static_cast<std::size_t>(s.to.rank), static_cast<std::size_t>(s.from.kind), static_cast<std::size_t>(s.from.rank),
                        static_cast<std::size_t>(s.tag), static_cast<std::size_t>(s.group), std::hash<double>()(s.times)})
    mix(hash, v);
  for (int r : s.requests) mix(hash, static_cast<std::size_t>(r));
  return hash;
}

void Folder::rehash(Item& loop) {
  loop.hash = hash_of(loop.step);
  for (const auto& item : loop.body) mix(loop.hash, item.hash);
}

bool Folder::equal(const Item& a, const Item& b) {
  return a.hash == b.hash && same_call(a.step, b.step) && std::equal(a.body.begin(), a.body.end(), b.body.begin(), b.body.end(), equal);
}

void Folder::merge(Item& into, const Item& other) {
  into.seconds += other.seconds, into.merged += other.merged;
  for (std::size_t i = 0; i < into.body.size(); i++) merge(into.body[i], other.body[i]);
}

bool Folder::fold_once() {
  const std::size_t n = items_.size();
  for (std::size_t length = 1; length <= longest_ && length < n; length++) {
    auto tail = items_.end() - static_cast<std::ptrdiff_t>(length);
    Item& before = *(tail - 1);
    if (before.step.act == Act::loop && before.body.size() == length && std::equal(tail, items_.end(), before.body.begin(), equal)) {
      for (std::size_t i = 0; i < length; i++) merge(before.body[i], *(tail + static_cast<std::ptrdiff_t>(i)));
      before.step.times++;
      rehash(before);
      items_.erase(tail, items_.end());
      return true;
    }
    if (2 * length > n || !equal(items_.back(), *(tail - 1))) continue;
    auto first = tail - static_cast<std::ptrdiff_t>(length);
    if (!std::equal(tail, items_.end(), first, equal)) continue;
    Item loop;
    loop.step.act = Act::loop, loop.step.times = 2;
    loop.body.assign(first, tail);
    for (std::size_t i = 0; i < length; i++) merge(loop.body[i], *(tail + static_cast<std::ptrdiff_t>(i)));
    rehash(loop);
    items_.erase(first, items_.end());
    items_.push_back(std::move(loop));
    return true;
  }
  return false;
}

void Folder::add(Step step) {
  Item item;
  item.seconds = step.seconds;
  item.hash = hash_of(step);
  item.step = std::move(step);
  items_.push_back(std::move(item));
  while (fold_once()) {}
}

std::vector<Step> Folder::steps_of(const std::vector<Item>& items) {
  std::vector<Step> steps;
  for (const auto& item : items) {
    Step step = item.step;
    step.seconds = step.act == Act::loop ? 0 : item.seconds / item.merged;
    step.body = steps_of(item.body);
    steps.push_back(std::move(step));
  }
  return steps;
}

std::vector<Step> Folder::finish() { return steps_of(items_); }

std::vector<Step> fold(const std::vector<Step>& steps, std::size_t most) {
  auto folded = [](const std::vector<Step>& list) {
    Folder folder;
    for (const auto& step : list) folder.add(step);
    return folder.finish();
  };
  auto result = folded(steps);
  if (result.size() <= most) return result;
  // The mean size of each call to each partner instead of every size.
  using Key = std::tuple<int, Act, Peer, Peer, int>;
  std::map<Key, std::pair<double, double>> sums;
  auto key = [](const Step& s) { return Key{s.site, s.act, s.to, s.from, s.group}; };
  for (const auto& s : steps) sums[key(s)].first += s.bytes, sums[key(s)].second++;
  auto coarse = steps;
  for (auto& s : coarse) s.bytes = sums[key(s)].first / sums[key(s)].second;
  return folded(coarse);
}

}  // namespace perfcast::mpi

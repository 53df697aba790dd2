#include "frontends/machine_code/loops.h"

#include <algorithm>
#include <map>
#include <vector>

namespace perfcast::machine_code {
namespace {

struct Shape {
  std::vector<std::vector<int>> next, previous;
  std::vector<int> order;  // reverse postorder of the reachable blocks
  std::vector<int> place;  // in `order`; -1: unreachable
  std::vector<int> dominator;
};

Shape shape_of(const Function& f) {
  const int n = static_cast<int>(f.blocks.size());
  Shape s;
  s.next.resize(n), s.previous.resize(n), s.place.assign(n, -1), s.dominator.assign(n, -1);
  for (int b = 0; b < n; ++b)
    for (const auto& edge : f.blocks[b].next) s.next[b].push_back(edge.to), s.previous[edge.to].push_back(b);
  std::vector<bool> seen(n);
  std::vector<std::pair<int, std::size_t>> stack;
  if (n) stack.push_back({0, 0}), seen[0] = true;
  while (!stack.empty()) {
    auto& [b, k] = stack.back();
    if (k < s.next[b].size()) {
      const int to = s.next[b][k++];
      if (!seen[to]) seen[to] = true, stack.push_back({to, 0});
    } else {
      s.order.push_back(b), stack.pop_back();
    }
  }
  std::reverse(s.order.begin(), s.order.end());
  for (std::size_t k = 0; k < s.order.size(); ++k) s.place[s.order[k]] = static_cast<int>(k);
  return s;
}

// Cooper, Harvey, Kennedy: A simple, fast dominance algorithm.
void find_dominators(Shape& s) {
  if (s.order.empty()) return;
  s.dominator[0] = 0;
  auto meet = [&](int a, int b) {
    while (a != b) {
      while (s.place[a] > s.place[b]) a = s.dominator[a];
      while (s.place[b] > s.place[a]) b = s.dominator[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (int b : s.order) {
      if (b == 0) continue;
      int found = -1;
      for (int from : s.previous[b])
        if (s.place[from] >= 0 && s.dominator[from] >= 0) found = found < 0 ? from : meet(from, found);
      if (found != s.dominator[b]) s.dominator[b] = found, changed = true;
    }
  }
}

bool dominates(const Shape& s, int a, int b) {
  while (s.place[b] > s.place[a]) b = s.dominator[b];
  return a == b;
}

// Blocks that reach `from` without passing `header`, header included. An irreducible body may pass other entries.
void grow(const Shape& s, int header, int from, std::vector<bool>& body) {
  std::vector<int> work;
  body[header] = true;
  if (!body[from]) body[from] = true, work.push_back(from);
  while (!work.empty()) {
    const int b = work.back();
    work.pop_back();
    for (int p : s.previous[b])
      if (s.place[p] >= 0 && !body[p]) body[p] = true, work.push_back(p);
  }
}

// Blocks both reached from `header` and reaching it, through blocks not before it in order.
void grow_irreducible(const Shape& s, int header, int from, std::vector<bool>& body) {
  const int n = static_cast<int>(s.next.size());
  auto closure = [&](int start, const std::vector<std::vector<int>>& step) {
    std::vector<bool> reached(n);
    std::vector<int> work{start};
    reached[start] = true;
    while (!work.empty()) {
      const int b = work.back();
      work.pop_back();
      for (int o : step[b])
        if (s.place[o] >= s.place[header] && !reached[o]) reached[o] = true, work.push_back(o);
    }
    return reached;
  };
  const auto ahead = closure(header, s.next), behind = closure(from, s.previous);
  for (int b = 0; b < n; ++b)
    if (ahead[b] && behind[b]) body[b] = true;
  body[header] = true;
}

}  // namespace

void find_loops(Function& f) {
  f.loops.clear();
  for (auto& block : f.blocks) block.loop.reset();
  Shape s = shape_of(f);
  find_dominators(s);
  struct Found {
    std::vector<bool> body;
    bool irreducible = false;
    int size = 0;
  };
  std::map<int, Found> found;  // by header's place, so that outer loops come first
  for (int from : s.order)
    for (int to : s.next[from])
      if (s.place[to] <= s.place[from]) {
        Found& loop = found[s.place[to]];
        loop.body.resize(f.blocks.size());
        if (dominates(s, to, from)) grow(s, to, from, loop.body);
        else loop.irreducible = true, grow_irreducible(s, to, from, loop.body);
      }
  std::vector<const Found*> all;
  for (auto& [place, loop] : found) {
    loop.size = static_cast<int>(std::count(loop.body.begin(), loop.body.end(), true));
    const int header = s.order[place];
    Loop record;
    record.header = header, record.irreducible = loop.irreducible, record.at = f.blocks[header].at;
    record.iterations = f.blocks[header].count;
    record.entries.value = header == 0 ? f.calls.value : 0;
    for (std::size_t b = 0; b < f.blocks.size(); ++b)
      for (const auto& edge : f.blocks[b].next)
        if (edge.to == header && !loop.body[b]) record.entries.value += edge.count.value;
    record.entries.certainty = record.iterations.certainty;
    for (std::size_t k = 0; k < all.size(); ++k)  // the smallest loop found so far that holds this header
      if (all[k]->body[header] && (!record.parent || all[k]->size < all[*record.parent]->size)) record.parent = static_cast<int>(k);
    all.push_back(&loop);
    f.loops.push_back(record);
  }
  for (std::size_t b = 0; b < f.blocks.size(); ++b)
    for (std::size_t k = 0; k < all.size(); ++k)
      if (all[k]->body[b] && (!f.blocks[b].loop || all[k]->size < all[*f.blocks[b].loop]->size)) f.blocks[b].loop = static_cast<int>(k);
}

}  // namespace perfcast::machine_code

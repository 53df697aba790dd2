#include "methods/tree/build.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>

#include "base/text.h"

namespace perfcast::tree {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string with_star(std::string pattern, const std::string& star) {
  if (auto at = pattern.rfind('*'); at != std::string::npos) pattern.replace(at, 1, star);
  return pattern;
}

// A node and all below it, with what the * stands for.
SkeletonNode spelled_out(SkeletonNode node, const std::string& star) {
  if (node.name == "*") node.name = star;
  node.change = with_star(node.change, star), node.meaning = with_star(node.meaning, star);
  for (auto& pattern : node.takes) pattern = with_star(pattern, star);
  for (auto& child : node.children) child = spelled_out(child, star);
  return node;
}

void expand_into(const SkeletonNode& node, const Observed& observed, std::vector<SkeletonNode>& siblings) {
  if (node.name != "*") {
    SkeletonNode copy = node;
    copy.children.clear();
    for (const auto& child : node.children) expand_into(child, observed, copy.children);
    siblings.push_back(std::move(copy));
    return;
  }
  std::vector<std::string> seen;
  for (const Observable& o : observed.all) {
    std::string star;
    if (!std::ranges::any_of(node.takes, [&](const std::string& pattern) { return fits(pattern, o.key, &star); })) continue;
    if (std::find(seen.begin(), seen.end(), star) != seen.end()) continue;
    seen.push_back(star);
    siblings.push_back(spelled_out(node, star));
  }
}

// What each observable is taken by: the first leaf in the order of the file, then the innermost node that asks for it.
using Takers = std::map<const SkeletonNode*, Observable>;
void list_takers(const SkeletonNode& node, std::vector<const SkeletonNode*>& order) {
  for (const auto& child : node.children) list_takers(child, order);
  order.push_back(&node);
}
Takers assign(const SkeletonNode& root, const Observed& observed) {
  std::vector<const SkeletonNode*> order;
  list_takers(root, order);
  Takers takers;
  for (const Observable& o : observed.all) {
    auto taker = std::find_if(order.begin(), order.end(), [&](const SkeletonNode* node) {
      return std::any_of(node->takes.begin(), node->takes.end(), [&](const std::string& pattern) { return fits(pattern, o.key); });
    });
    Observable& sum = takers[taker == order.end() ? &root : *taker];
    sum.seconds += o.seconds, sum.demand += o.demand;
  }
  return takers;
}

UseNode grow(const SkeletonNode& skeleton, const Takers& takers) {
  UseNode node;
  node.name = skeleton.name, node.meaning = skeleton.meaning;
  if (auto own = takers.find(&skeleton); own != takers.end()) node.seconds = own->second.seconds, node.demand = own->second.demand;
  if (!skeleton.children.empty()) node.residue = node.seconds;
  for (const auto& child : skeleton.children) {
    node.children.push_back(grow(child, takers));
    node.seconds += node.children.back().seconds, node.demand += node.children.back().demand;
  }
  return node;
}

double fastest_rate(const UseNode& node) {
  double best = node.children.empty() && node.seconds > 0 ? node.demand / node.seconds : 0;
  for (const auto& child : node.children) best = std::max(best, fastest_rate(child));
  return best;
}

void weigh(UseNode& node, double seconds, double demand, double peak, bool global) {
  node.share = seconds > 0 ? node.seconds / seconds : 0;
  node.frequency = !global ? node.share : demand > 0 ? node.demand / demand : 0;
  if (global && node.children.empty() && node.demand > 0)
    if (node.seconds > 0) node.capacity = std::min(1.0, node.demand / node.seconds / peak);
  for (auto& child : node.children) {
    weigh(child, seconds, demand, peak, global);
    if (child.capacity) node.capacity = std::max(node.capacity.value_or(0), *child.capacity);
  }
}

void weigh_arcs(UseNode& node, double peak) {
  if (peak > 0 && node.capacity && node.demand > 0 && node.seconds > 0)
    node.used = std::min(1.0, node.demand / node.seconds / peak / *node.capacity);
  for (auto& child : node.children) {
    child.arc = UseArc{node.frequency > 0 ? child.frequency / node.frequency : 0, {}};
    if (child.capacity && node.capacity) child.arc->capacity = *child.capacity / *node.capacity;
    weigh_arcs(child, peak);
  }
}

using Visit = std::function<void(const UseNode&, const std::string& path)>;
void visit_below(const UseNode& node, const std::string& path, const Visit& visit) {
  for (const auto& child : node.children) {
    std::string place = path.empty() ? child.name : path + "/" + child.name;
    visit(child, place);
    visit_below(child, place, visit);
  }
}

}  // namespace

Skeleton expand(const Skeleton& skeleton, const Observed& observed) {
  Skeleton result = skeleton;
  std::vector<SkeletonNode> roots;
  expand_into(skeleton.root, observed, roots);
  ensure(roots.size() == 1, "the root of a skeleton stands for itself");
  result.root = std::move(roots.front());
  return result;
}

double peak_rate_of(const UseNode& root, const Observed& observed) { return std::max(observed.peak_rate, fastest_rate(root)); }

UseNode decorate(const Skeleton& expanded, const Observed& observed) {
  UseNode root = grow(expanded.root, assign(expanded.root, observed));
  bool global = expanded.clock == TreeClock::global;
  double unaccounted = observed.seconds - root.seconds;
  if (std::abs(unaccounted) > 1e-12 * observed.seconds) root.residue += unaccounted, root.seconds = observed.seconds;
  double peak = peak_rate_of(root, observed);
  weigh(root, root.seconds, root.demand, peak, global);
  root.share = root.frequency = 1;
  root.capacity = 1;
  weigh_arcs(root, global ? peak : 0);
  return root;
}

std::vector<std::string> broken_fan_outs(const UseNode& root, double tolerance) {
  std::vector<std::string> broken;
  auto check = [&](const UseNode& node, const std::string& path) {
    if (node.children.empty()) return;
    double seconds = node.residue, demand = 0, capacity = 0, arcs = 0;
    bool multiplies = true;
    for (const auto& child : node.children) {
      seconds += child.seconds, demand += child.demand, capacity = std::max(capacity, child.capacity.value_or(0));
      double f = child.arc ? child.arc->frequency : 0;
      arcs += f;
      multiplies = multiplies && std::abs(f * node.frequency - child.frequency) <= tolerance;
      if (child.capacity && child.arc && child.arc->capacity)
        multiplies = multiplies && std::abs(*child.arc->capacity * *node.capacity - *child.capacity) <= tolerance * *child.capacity;
      if (child.capacity && (*child.capacity <= 0 || *child.capacity > 1 + tolerance)) multiplies = false;
    }
    bool conserved = std::abs(seconds - node.seconds) <= tolerance * std::max(root.seconds, 1e-300) &&
                     demand <= node.demand + tolerance * root.demand && arcs <= 1 + tolerance &&
                     capacity <= node.capacity.value_or(0) + tolerance;
    if (!conserved || !multiplies) broken.push_back(path);
  };
  check(root, root.name);
  visit_below(root, "", check);
  return broken;
}

std::vector<SignatureEntry> signature_of(const UseNode& root) {
  std::vector<SignatureEntry> signature;
  auto rest = [&](const UseNode& node, const std::string& path) {
    if (std::abs(node.residue) > 1e-9 * root.seconds) signature.push_back({path + "(residue)", node.residue / root.seconds, 0});
  };
  visit_below(root, "", [&](const UseNode& node, const std::string& path) {
    if (node.children.empty()) signature.push_back({path, node.share, node.frequency});
    else rest(node, path + "/");
  });
  rest(root, "");
  return signature;
}

Result<FoundNode> find_node(const UseNode& root, const std::string& name) {
  std::vector<FoundNode> found;
  std::string wanted = lower(name), all;
  visit_below(root, "", [&](const UseNode& node, const std::string& path) {
    all += (all.empty() ? "" : ", ") + path;
    if (lower(path) == wanted) found.insert(found.begin(), {path, &node});
    else if (lower("/" + path).ends_with("/" + wanted)) found.push_back({path, &node});
  });
  if (found.empty()) return wrong_usage("the tree has no node \"" + name + "\"", "one of: " + all);
  bool exact = lower(found.front().path) == wanted;
  if (found.size() > 1 && !exact) {
    std::string places;
    for (const auto& f : found) places += (places.empty() ? "" : " or ") + f.path;
    return wrong_usage("several nodes are called \"" + name + "\"", places);
  }
  return found.front();
}

UseNode sped_up(const UseNode& root, const FasterNodes& faster) {
  auto serve = [&](auto&& self, UseNode& node, const std::string& path) -> double {
    double factor = 1;
    for (const auto& [place, f] : faster)
      if (path == place || path.starts_with(place + "/")) factor *= f;
    double gained = (node.children.empty() ? node.seconds : node.residue) * (1 - 1 / factor);
    if (!node.children.empty()) node.residue -= gained;
    for (auto& child : node.children) gained += self(self, child, path.empty() ? child.name : path + "/" + child.name);
    node.seconds -= gained;
    return gained;
  };
  UseNode result = root;
  serve(serve, result, "");
  return result;
}

}  // namespace perfcast::tree

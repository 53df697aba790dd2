// A skeleton: the shape of a use-tree, without weights. It names the services of a kind of system that explain most of
// its performance, and says which observables each takes. Skeletons are data (data/trees), so that a user may draw
// another one.
#pragma once

#include <string>
#include <vector>

#include "record/use_tree.h"

namespace perfcast::tree {

// Observables have keys such as "scalar/integer:ports"; `takes` are patterns in which * stands for anything. An
// observable goes to the first node, in the order of the file, that takes it; what a node takes, those below it are asked for
// first. A node named "*" stands for as many nodes as the last * of its patterns has meanings; below it * means the same.
struct SkeletonNode {
  std::string name, meaning;
  std::vector<std::string> takes;
  std::string change;                    // what to change in a machine to make this node faster (change.h); "rate": itself
  std::vector<SkeletonNode> children;
};
template <class Fields>
void describe(Fields& f, SkeletonNode& n) {
  f.need("name", n.name), f("meaning", n.meaning), f("takes", n.takes), f("change", n.change), f("children", n.children);
}

// An upgrade that is not one node: a faster clock acts on several. "*" in the name and the change stands for each level
// of memory beyond the first.
struct SkeletonChange {
  std::string name, meaning, change;
  std::vector<std::string> nodes;        // the tree's arithmetic takes these as sped up
};
template <class Fields>
void describe(Fields& f, SkeletonChange& c) {
  f.need("name", c.name), f("meaning", c.meaning), f.need("change", c.change), f("nodes", c.nodes);
}

struct Skeleton {
  static constexpr const char* format = "perfcast.tree-skeleton";
  static constexpr int version = 1;
  std::string name, description;
  TreeClock clock = TreeClock::global;
  SkeletonNode root;
  std::vector<SkeletonChange> changes;
};
template <class Fields>
void describe(Fields& f, Skeleton& s) {
  f.need("name", s.name), f("description", s.description), f("clock", s.clock), f.need("root", s.root);
  f("changes", s.changes);
}

// A file, or the name of a bundled skeleton. An error where a word in it is not known, or a name is not one.
Result<Skeleton> find_skeleton(const std::string& name_or_file);
Result<Skeleton> skeleton_in(const Json& json, const std::string& name);
// An error where two nodes of one parent have one name: nobody could say which is meant.
Status check_siblings(const SkeletonNode& node, const std::string& skeleton);

// Whether the pattern fits the key; `star` is what its last * stands for.
bool fits(const std::string& pattern, const std::string& key, std::string* star = nullptr);

}  // namespace perfcast::tree

#include "methods/tree/skeleton.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/paths.h"
#include "base/text.h"
#include "methods/tree/change.h"

namespace perfcast::tree {
namespace {

std::unexpected<Error> misdrawn(const std::string& what, const std::string& skeleton) {
  return unfit(what, skeleton, "docs/tree.md describes skeletons, data/trees has examples");
}

// The keys a part of a skeleton may have: those its description names.
struct KeyNames {
  static constexpr bool reading = true;
  std::vector<std::string> names;
  template <class T>
  void operator()(const char* key, T&) { names.emplace_back(key); }
  template <class T>
  void need(const char* key, T&) { names.emplace_back(key); }
};

// A misspelt key would silently leave out what it holds.
template <class Part>
Status check_keys(const Json& json, std::vector<std::string> known, const std::string& skeleton) {
  KeyNames keys;
  Part part;
  describe(keys, part);
  std::ranges::move(keys.names, std::back_inserter(known));
  for (const auto& [key, value] : json.items())
    if (std::ranges::find(known, key) == known.end())
      return misdrawn("\"" + key + "\" is none of " + join(known, ", "), skeleton);
  return {};
}

Status check_node_keys(const Json& node, const std::string& skeleton) {
  CHECK_OK(check_keys<SkeletonNode>(node, {}, skeleton));
  if (auto children = node.find("children"); children != node.end())
    for (const Json& child : *children) CHECK_OK(check_node_keys(child, skeleton));
  return {};
}

Status check_change(const std::string& change, const std::string& name, const std::string& skeleton) {
  if (is_change(change)) return {};
  return misdrawn("\"" + change + "\" of \"" + name + "\" is no change of a machine", skeleton);
}

Status check_node(const SkeletonNode& node, const std::string& skeleton) {
  if (node.name.empty() || node.name.find_first_of("/=") != std::string::npos)
    return misdrawn("\"" + node.name + "\" cannot name a node: paths and upgrades are written with / and =", skeleton);
  if (node.name == "*" && (node.takes.empty() || node.takes.front().find('*') == std::string::npos))
    return misdrawn("a node named \"*\" takes no pattern with a * to name it by", skeleton);
  if (!node.change.empty()) CHECK_OK(check_change(node.change, node.name, skeleton));
  for (const auto& child : node.children) CHECK_OK(check_node(child, skeleton));
  return {};
}

Result<Skeleton> read_skeleton(const std::string& path) {
  TRY(Json json, read_json_file(path));
  return skeleton_in(json, path);
}

}  // namespace

Result<Skeleton> skeleton_in(const Json& json, const std::string& name) {
  TRY(Skeleton skeleton, record_from_json<Skeleton>(json, name));
  CHECK_OK(check_keys<Skeleton>(json, {"format", "version"}, name));
  CHECK_OK(check_node_keys(json["root"], name));
  for (const Json& change : json.value("changes", Json::array())) CHECK_OK(check_keys<SkeletonChange>(change, {}, name));
  if (skeleton.root.name == "*") return misdrawn("the root stands for the program and cannot be \"*\"", name);
  CHECK_OK(check_node(skeleton.root, name));
  CHECK_OK(check_siblings(skeleton.root, name));
  for (const auto& change : skeleton.changes) CHECK_OK(check_change(change.change, change.name, name));
  return skeleton;
}

Result<Skeleton> find_skeleton(const std::string& name) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(name, ignored)) return read_skeleton(name);
  std::string bundled = (bundled_data() / "trees" / (name + ".skeleton.json")).string();
  if (std::filesystem::is_regular_file(bundled, ignored)) return read_skeleton(bundled);
  return unfit("there is no such file and no bundled skeleton of this name", name,
               "core, source, vector-pipeline, parallel, message-passing or hypercube");
}

Status check_siblings(const SkeletonNode& node, const std::string& skeleton) {
  for (auto child = node.children.begin(); child != node.children.end(); ++child) {
    auto same = [&](const SkeletonNode& other) { return other.name == child->name; };
    if (std::any_of(node.children.begin(), child, same))
      return misdrawn("two children of \"" + node.name + "\" are called \"" + child->name + "\"", skeleton);
    CHECK_OK(check_siblings(*child, skeleton));
  }
  return {};
}

// Every * but the last stands for as little as possible.
bool fits(const std::string& pattern, const std::string& key, std::string* star) {
  const std::vector<std::string> pieces = split(pattern, '*');
  if (pieces.size() == 1) return pattern == key;
  if (!key.starts_with(pieces.front())) return false;
  std::size_t at = pieces.front().size();
  for (std::size_t i = 1; i + 1 < pieces.size(); i++) {
    at = key.find(pieces[i], at);
    if (at == std::string::npos) return false;
    at += pieces[i].size();
  }
  if (key.size() < at + pieces.back().size() || !key.ends_with(pieces.back())) return false;
  if (star) *star = key.substr(at, key.size() - pieces.back().size() - at);
  return true;
}

}  // namespace perfcast::tree

#include "engine/network/network.h"

#include <algorithm>
#include <filesystem>

#include "base/paths.h"
#include "expr/parse.h"

namespace perfcast::engine {
namespace fs = std::filesystem;
namespace {

std::string plain_name(std::string name) {
  std::ranges::replace(name, '-', '_');
  std::ranges::replace(name, ' ', '_');
  static const std::map<std::string, std::string> other = {
      {"neighbor", "neighbour"},   {"neighbor_write", "neighbour_write"}, {"reduce", "reduction"}, {"bcast", "broadcast"},
      {"alltoall", "all_to_all"},  {"p2p", "point_to_point"},             {"send", "point_to_point"}, {"random_write", "random"}};
  auto it = other.find(name);
  return it == other.end() ? name : it->second;
}

Result<expr::Expr> read_part(const std::string& text, const std::string& where) {
  if (text.empty()) return expr::Expr(0);
  TRY(expr::Expr e, expr::parse(text, where));
  for (const auto& name : expr::symbols_of(e))
    if (name != "P" && name != "bytes") return unfit("unknown name \"" + name + "\"", where, "patterns are written in P and bytes");
  return e;
}

Result<PatternCounts> read_pattern(const Network& network, const std::string& name, const PatternCost& cost) {
  std::string where = "network " + network.name + ", " + name;
  PatternCounts counts;
  TRY(counts.startups, read_part(cost.startups, where + ", startups"));
  TRY(counts.bytes, read_part(cost.bytes, where + ", bytes"));
  TRY(counts.hops, read_part(cost.hops, where + ", hops"));
  return counts;
}

}  // namespace

std::vector<NamedNetwork> list_networks() {
  std::vector<NamedNetwork> all;
  const std::string ending = ".network.json";
  for (const fs::path& folder : {user_data() / "networks", bundled_data() / "networks"}) {
    std::error_code error;
    std::vector<NamedNetwork> found;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      std::string file = entry.path().filename().string();
      if (!file.ends_with(ending)) continue;
      std::string name = file.substr(0, file.size() - ending.size());
      if (std::ranges::none_of(all, [&](const auto& n) { return n.name == name; })) found.push_back({name, entry.path().string()});
    }
    std::ranges::sort(found, {}, &NamedNetwork::name);
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

Status check_network(const Network& network, const std::string& where) {
  if (network.patterns.empty()) return unfit("the network has no patterns", where);
  for (const auto& [name, cost] : network.patterns) CHECK_OK(read_pattern(network, name, cost));
  return {};
}

Result<Network> find_network(const std::string& name) {
  std::error_code ignored;
  std::string path = fs::is_regular_file(name, ignored) ? name : "", known;
  for (const auto& network : list_networks()) {
    if (path.empty() && network.name == name) path = network.path;
    known += (known.empty() ? "" : ", ") + network.name;
  }
  if (path.empty()) return unfit("there is no network of this name and no such file", name, "one of " + known);
  TRY(Network network, read_record<Network>(path));
  CHECK_OK(check_network(network, path));
  return network;
}

Result<PatternCounts> pattern_counts(const Network& network, const std::string& pattern) {
  auto it = network.patterns.find(pattern);
  if (it == network.patterns.end()) it = network.patterns.find(plain_name(pattern));
  if (it == network.patterns.end()) {
    std::string known;
    for (const auto& [name, cost] : network.patterns) known += (known.empty() ? "" : ", ") + name;
    return unfit("the network " + network.name + " has no pattern \"" + pattern + "\"", {}, "one of " + known);
  }
  return read_pattern(network, it->first, it->second);
}

Result<expr::Expr> pattern_seconds(const Network& network, const std::string& pattern) {
  TRY(PatternCounts counts, pattern_counts(network, pattern));
  return counts.startups * expr::symbol("startup") + counts.bytes * expr::symbol("per_byte") + counts.hops * expr::symbol("per_hop");
}

Result<double> pattern_seconds(const Network& network, const std::string& pattern, double processors, double bytes,
                               const std::map<std::string, double>& costs) {
  TRY(expr::Expr seconds, pattern_seconds(network, pattern));
  std::map<std::string, double> values{{"P", processors}, {"bytes", bytes}, {"per_hop", 0}};
  for (const auto* given : {&network.costs, &costs})
    for (const auto& [name, value] : *given) values[name] = value;
  for (const char* name : {"startup", "per_byte"})
    if (!values.contains(name)) return unfit(std::string("no value for ") + name, "network " + network.name, "a machine with measured messages, or costs in the network's file");
  return expr::evaluate(seconds, values);
}

}  // namespace perfcast::engine

// Closed forms for regular communication: the time of a pattern on a network, as an expression. Networks are files
// (record/network.h): data/networks, the user's own networks folder, or any path.
#pragma once

#include <string>
#include <vector>

#include "expr/expr.h"
#include "record/network.h"

namespace perfcast::engine {

struct NamedNetwork {
  std::string name, path;
};
// The user's own first (folder networks/ of the user's data), then the bundled ones.
std::vector<NamedNetwork> list_networks();

// By name or file; every expression in it is read and checked: only P and bytes may occur.
Result<Network> find_network(const std::string& name_or_file);
Status check_network(const Network& network, const std::string& where);

// Seconds of one use of the pattern, an expression in P, bytes, startup, per_byte and per_hop; `hops` without a cost
// in the network are still there (give per_hop = 0 to leave them out). American spelling and "_"/"-" are forgiven.
Result<expr::Expr> pattern_seconds(const Network& network, const std::string& pattern);

// The parts of it: counts that a machine's costs multiply (Clement's X_St and X_Bw).
struct PatternCounts {
  expr::Expr startups, bytes, hops;
};
Result<PatternCounts> pattern_counts(const Network& network, const std::string& pattern);

// The numbers put in: startup, per_byte and per_hop from `costs`, then from the network's own defaults, per_hop 0.
Result<double> pattern_seconds(const Network& network, const std::string& pattern, double processors, double bytes,
                               const std::map<std::string, double>& costs);

}  // namespace perfcast::engine

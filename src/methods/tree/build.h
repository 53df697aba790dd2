// From a skeleton and observables to a decorated tree, and the law it must obey.
#pragma once

#include <string>
#include <vector>

#include "methods/tree/observe.h"
#include "methods/tree/skeleton.h"

namespace perfcast::tree {

// The skeleton with its "*" nodes spelled out for these observables.
Skeleton expand(const Skeleton& skeleton, const Observed& observed);

// Decorates an expanded skeleton. Interpretation of the weights (paper, "Use-Tree with Global Clock"): a leaf's F is its
// part of the demand, its C its rate relative to the peak, so that the time is (demand / peak rate) x sum of F/C. An
// inner node's C is that of its fastest leaf; the root's is 1; how much of it is used tells what the slower leaves below cost.
// Leaves without demand (waiting for others) add their time to that. With a local clock only times are known: F is the share of
// the time and there is no C.
UseNode decorate(const Skeleton& expanded, const Observed& observed);

// Demand per second at C = 1: the machine's peak, or that of a leaf that is faster still (fused instructions).
double peak_rate_of(const UseNode& root, const Observed& observed);

// What is observed is conserved at every fan-out: a node's seconds are its residue and its children's, its demand at
// least its children's, and the arcs multiply to the nodes' weights. Returns the paths where that fails.
std::vector<std::string> broken_fan_outs(const UseNode& root, double tolerance = 1e-9);

// Percentages per leaf, residues included, so that they add up to 1.
std::vector<SignatureEntry> signature_of(const UseNode& root);

// A node by its path ("operands/DRAM/latency") or the end of it ("DRAM/latency", "DRAM"), where only one has it; capitals do not
// matter.
struct FoundNode {
  std::string path;
  const UseNode* node = nullptr;
};
Result<FoundNode> find_node(const UseNode& root, const std::string& name);

// The seconds of a tree when everything below these nodes is served faster by these factors; its weights stay as they are.
using FasterNodes = std::vector<std::pair<std::string, double>>;  // paths
UseNode sped_up(const UseNode& root, const FasterNodes& faster);

}  // namespace perfcast::tree

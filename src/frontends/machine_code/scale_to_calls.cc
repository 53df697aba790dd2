#include "frontends/machine_code/scale_to_calls.h"

#include <algorithm>

namespace perfcast::machine_code {
namespace {

// Functions of one name in several modules (stubs of the same routine) are one node.
struct Node {
  double calls = 0;                       // seen
  std::map<std::string, double> callers;  // calls seen from each of them
  double outside = 0, outside_whole = 0;  // calls seen from the program's own code; in the whole run
  double factor = 1;
  bool fixed = false;
};
using Nodes = std::map<std::string, Node>;

bool is_loader(const Function& function) { return function.library_name.starts_with("ld-linux"); }

Nodes nodes_of(const Graph& graph) {
  Nodes nodes;
  for (const auto& function : graph.functions) {
    Node& node = nodes[function.name];
    node.calls += function.calls.value;
    node.fixed = node.fixed || is_loader(function);  // the dynamic linker's work is done at the start and stays
  }
  for (const auto& function : graph.functions)
    for (const auto& block : function.blocks)
      for (const auto& call : block.calls)
        if (auto callee = nodes.find(call.callee); callee != nodes.end())
          callee->second.callers[function.name] += block.count.value * call.per_execution;
  return nodes;
}

void multiply(Count& count, double factor) { count.value *= factor, count.certainty = Certainty::ratio; }

void multiply(Function& function, double factor) {
  multiply(function.calls, factor);
  for (auto& block : function.blocks) {
    multiply(block.count, factor);
    for (auto* mispredicted : {&block.mispredicted, &block.mispredicted_calls})
      if (*mispredicted) **mispredicted *= factor;
    for (auto& edge : block.next) multiply(edge.count, factor);
    for (auto& access : block.accesses) access.count *= factor;
  }
  for (auto& loop : function.loops) multiply(loop.entries, factor), multiply(loop.iterations, factor);
}

}  // namespace

void scale_to_calls(Graph& library, const std::map<std::string, double>& known_calls) {
  Nodes nodes = nodes_of(library);
  double seen = 0, whole = 0;
  for (auto& [name, node] : nodes) {
    double inside = 0;
    for (const auto& [caller, calls] : node.callers) inside += calls;
    node.outside = std::max(0.0, node.calls - inside);
    // The program calls a routine of a shared library by way of its stub.
    bool stub = name.ends_with("@plt"), has_stub = nodes.contains(name + "@plt");
    auto known = has_stub ? known_calls.end() : known_calls.find(stub ? name.substr(0, name.size() - 4) : name);
    if (known == known_calls.end() || node.outside <= 0) continue;
    node.outside_whole = std::max(known->second, node.outside);
    seen += node.outside, whole += node.outside_whole;
  }
  // Calls from the program that nobody counted, such as through pointers, grow like those that were.
  const double usual = seen > 0 ? whole / seen : 1;
  for (auto& [name, node] : nodes) {
    if (node.outside_whole <= 0) node.outside_whole = node.outside * usual;
    if (!node.fixed) node.factor = usual;
  }
  constexpr int rounds = 40;  // deeper than calls nest in practice; cycles settle
  for (int round = 0; round < rounds; ++round)
    for (auto& [name, node] : nodes) {
      if (node.fixed) continue;
      double before = node.outside, after = node.outside_whole;
      for (const auto& [caller, calls] : node.callers) before += calls, after += nodes.at(caller).factor * calls;
      if (before > 0) node.factor = after / before;
    }
  for (auto& function : library.functions)
    if (!is_loader(function)) multiply(function, nodes.at(function.name).factor);
}

}  // namespace perfcast::machine_code

#include "report/call_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace perfcast::report {
namespace {

const Graph* graph_for(const Profile& profile, Model model) {
  switch (model) {
    case Model::icc: return profile.machine ? &*profile.machine : nullptr;
    case Model::intcc: return profile.ir ? &*profile.ir : nullptr;
    default: return profile.source ? &*profile.source : nullptr;
  }
}

std::string shown_name(const Function& function) { return function.readable.empty() ? function.name : function.readable; }

void sort_frames(std::vector<Frame>& frames) {
  std::ranges::sort(frames, [](const Frame& a, const Frame& b) { return std::tuple(-a.seconds, a.name) < std::tuple(-b.seconds, b.name); });
}

// Functions and how often each calls which other; without the edges that close a recursion.
class CallGraph {
 public:
  explicit CallGraph(const Graph& graph) : functions_(graph.functions), calls_(graph.functions.size()) {
    for (std::size_t i = 0; i < functions_.size(); i++) index_.try_emplace(functions_[i].name, i);
    std::vector<double> through_pointers(functions_.size());
    for (std::size_t i = 0; i < functions_.size(); i++)
      for (const Block& block : functions_[i].blocks)
        for (const Call& call : block.calls) {
          double times = block.count.value * call.per_execution;
          if (times <= 0) continue;
          if (call.callee == "*") through_pointers[i] += times;
          else if (auto it = index_.find(call.callee); it != index_.end() && it->second != i) calls_[i][it->second] += times;
        }
    std::vector<int> state(functions_.size());
    for (std::size_t i : starts()) drop_recursion(i, state);
    for (std::size_t i = 0; i < functions_.size(); i++) drop_recursion(i, state);
    give_pointer_calls(through_pointers);
    called_.assign(functions_.size(), 0);
    for (const auto& edges : calls_)
      for (const auto& [to, times] : edges) called_[to] += times;
  }

  const std::map<std::size_t, double>& calls(std::size_t from) const { return calls_[from]; }
  double called(std::size_t function) const { return called_[function]; }

 private:
  bool is_start(const Function& f) const { return f.name == "main" || f.name == "_QQmain" || f.name == "MAIN__" || f.name == "MAIN"; }
  std::vector<std::size_t> starts() const {
    std::vector<std::size_t> list;
    for (std::size_t i = 0; i < functions_.size(); i++)
      if (is_start(functions_[i])) list.push_back(i);
    return list;
  }
  void drop_recursion(std::size_t at, std::vector<int>& state) {
    if (state[at]) return;
    state[at] = 1;
    for (auto it = calls_[at].begin(); it != calls_[at].end();) {
      if (state[it->first] == 1) {
        it = calls_[at].erase(it);
        continue;
      }
      drop_recursion(it->first, state);
      ++it;
    }
    state[at] = 2;
  }
  // Who is executed but called by nobody was called through a pointer, by those who do such calls; or, in a library and
  // once, by the system that starts and ends the program.
  void give_pointer_calls(const std::vector<double>& through_pointers) {
    std::vector<bool> named(functions_.size(), false);
    for (const auto& edges : calls_)
      for (const auto& [to, times] : edges) named[to] = true;
    double total = 0;
    for (double times : through_pointers) total += times;
    if (total <= 0) return;
    for (std::size_t i = 0; i < functions_.size(); i++) {
      const bool by_system = functions_[i].library && functions_[i].calls.value <= 1;
      if (named[i] || by_system || is_start(functions_[i]) || functions_[i].calls.value <= 0) continue;
      for (std::size_t from = 0; from < functions_.size(); from++)
        if (through_pointers[from] > 0 && from != i && !reaches(i, from)) calls_[from][i] += functions_[i].calls.value * through_pointers[from] / total;
    }
  }
  bool reaches(std::size_t from, std::size_t to) const {
    std::vector<std::size_t> left = {from};
    std::set<std::size_t> seen;
    while (!left.empty()) {
      std::size_t at = left.back();
      left.pop_back();
      if (at == to) return true;
      if (!seen.insert(at).second) continue;
      for (const auto& [next, times] : calls_[at]) left.push_back(next);
    }
    return false;
  }

  const std::vector<Function>& functions_;
  std::map<std::string, std::size_t> index_;
  std::vector<std::map<std::size_t, double>> calls_;
  std::vector<double> called_;
};

class TreeMaker {
 public:
  TreeMaker(const Graph& graph, const ModelPrediction& prediction, double least)
      : functions_(graph.functions), calls_(graph), least_(least * prediction.seconds), self_(graph.functions.size()), total_(graph.functions.size(), -1) {
    std::map<std::string, double> times;
    if (auto view = prediction.views.find("function"); view != prediction.views.end())
      for (const Part& part : view->second) times[part.name] += part.seconds;
    for (std::size_t i = 0; i < functions_.size(); i++)
      if (auto it = times.find(shown_name(functions_[i])); it != times.end()) self_[i] = it->second, times.erase(it);
  }
  bool knows_times() const { return std::ranges::any_of(self_, [](double s) { return s > 0; }); }
  std::vector<Frame> roots() {
    std::vector<Frame> list;
    for (std::size_t i = 0; i < functions_.size(); i++)
      if (calls_.called(i) <= 0 && total_of(i) > 0) list.push_back(frame_of(i, 1));
    return list;
  }

 private:
  // A function's time with all it calls, in all its calls.
  double total_of(std::size_t function) {
    if (total_[function] >= 0) return total_[function];
    double sum = self_[function];
    for (const auto& [to, times] : calls_.calls(function)) sum += total_of(to) * times / calls_.called(to);
    return total_[function] = sum;
  }
  Frame frame_of(std::size_t function, double part) {
    Frame frame{shown_name(functions_[function]), part * total_of(function), part * self_[function], {}};
    for (const auto& [to, times] : calls_.calls(function)) {
      double share = part * times / calls_.called(to);
      if (share * total_of(to) >= least_) frame.children.push_back(frame_of(to, share));
      else frame.self += share * total_of(to);
    }
    sort_frames(frame.children);
    return frame;
  }

  const std::vector<Function>& functions_;
  CallGraph calls_;
  double least_;
  std::vector<double> self_, total_;
};

void write_stacks(const Frame& frame, const std::string& above, std::string& text) {
  std::string name = frame.name;
  std::ranges::replace(name, ';', ':');
  std::string stack = above.empty() ? name : above + ";" + name;
  if (double ns = std::round(1e9 * frame.self); ns >= 1) text += fmt::format("{} {:.0f}\n", stack, ns);
  for (const Frame& child : frame.children) write_stacks(child, stack, text);
}

}  // namespace

Frame call_tree(const Profile& profile, const ModelPrediction& prediction, double least_share) {
  Frame root{profile.program, prediction.seconds, 0, {}};
  if (const Graph* graph = graph_for(profile, prediction.model)) {
    TreeMaker maker(*graph, prediction, least_share);
    if (maker.knows_times()) root.children = maker.roots();
  }
  double known = 0;
  for (const Frame& child : root.children) known += child.seconds;
  // What lies outside all functions, by the names the prediction gives it.
  for (const Part& part : prediction.parts)
    if ((part.name == "library" || part.name == "page faults" || part.name == "system calls" || part.name == "start") && part.seconds >= least_share * prediction.seconds &&
        known + part.seconds <= prediction.seconds * (1 + 1e-9))
      root.children.push_back({"[" + part.name + "]", part.seconds, part.seconds, {}}), known += part.seconds;
  root.self = std::max(0.0, prediction.seconds - known);
  sort_frames(root.children);
  return root;
}

std::string collapsed_stacks(const Frame& root) {
  std::string text;
  write_stacks(root, "", text);
  return text;
}

}  // namespace perfcast::report

// What a graph means: how often each step is done, the timing formula, the checks, the Profile.
#include "methods/graph/graph.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <set>

#include "expr/parse.h"
#include "expr/print.h"
#include "record/operations.h"

namespace perfcast::graph {
namespace {

using expr::Expr;

constexpr double largest_number = 1e60;  // that a file may hold

Result<std::map<std::string, double>> values_of(const Design& design, const std::map<std::string, double>& set) {
  std::map<std::string, double> values = set;
  for (const auto& p : design.parameters) {
    if (set.contains(p.name)) continue;
    TRY(Expr parsed, expr::parse(p.expression, design.file));
    auto value = expr::evaluate(parsed, values);
    if (!value) return unfit("parameter " + p.name + " = " + p.expression + ": " + value.error().what, design.file);
    values[p.name] = *value;
  }
  return values;
}

std::string place(const Design& design, const Node& node) { return design.file + ":" + std::to_string(node.line); }

Result<double> value_of(const Design& design, const Node& node, const std::string& text, const std::map<std::string, double>& values) {
  TRY(Expr parsed, expr::parse(text, place(design, node)));
  auto value = expr::evaluate(parsed, values);
  if (!value) return unfit(value.error().what, place(design, node), "declare it: parameter NAME = VALUE");
  if (std::abs(*value) > largest_number) return unfit(text + " is too large", place(design, node));
  return *value;
}

constexpr int deepest = 100;        // of graphs that use graphs
constexpr int most_steps = 50'000;  // of a design with the graphs it uses written out, as often as they are used

// Visits every step with how often it is done.
class Walk {
 public:
  using Visit = std::function<Status(const Node&, double count, const Expr& expression)>;
  Walk(const Design& design, std::map<std::string, double> values, Visit visit)
      : design_(design), values_(std::move(values)), visit_(std::move(visit)) {}

  Status operator()(const Node& node, double times, const Expr& expression, int depth = 0) {
    if (depth > deepest) return unfit("graphs use each other in a circle", place(design_, node));
    if (++visited_ > most_steps) return unfit("the design has more than 50000 steps when its graphs are written out", place(design_, node));
    if (!(times <= largest_number)) return unfit("a step is done too often", place(design_, node));
    switch (node.kind) {
      case NodeKind::step: return visit_(node, times, expression);
      case NodeKind::part: return (*this)(design_.parts.at(node.name), times, expression, depth + 1);
      case NodeKind::loop: {
        TRY(double iterations, value_of(design_, node, node.amount, values_));
        if (iterations < 0) return unfit("a loop is done " + node.amount + " times, which is negative", place(design_, node));
        TRY(Expr amount, expr::parse(node.amount));
        return below(node, times * iterations, expression * amount, depth);
      }
      case NodeKind::branch: {
        double sum = 0;
        for (const auto& arm : node.children) {
          TRY(double probability, value_of(design_, arm, arm.amount, values_));
          if (probability < -1e-9 || probability > 1 + 1e-9)
            return unfit(fmt::format("the probability {} is {:g}", arm.amount, probability), place(design_, arm), "probabilities lie between 0 and 1");
          sum += probability;
          if (sum > 1 + 1e-9)
            return unfit(fmt::format("the probabilities of a branch add up to {:g}", sum), place(design_, node), "one arm is taken: together they are at most 1");
          TRY(Expr amount, expr::parse(arm.amount));
          CHECK_OK(below(arm, times * std::max(0.0, probability), expression * amount, depth));
        }
        return {};
      }
      case NodeKind::sequence: return below(node, times, expression, depth);
    }
    return {};
  }

 private:
  Status below(const Node& node, double times, const Expr& expression, int depth) {
    for (const auto& child : node.children) CHECK_OK((*this)(child, times, expression, depth));
    return {};
  }

  const Design& design_;
  std::map<std::string, double> values_;
  Visit visit_;
  int visited_ = 0;
};

std::string grouped(const std::string& text) {
  return text.find_first_of("+- ") == text.npos ? text : "(" + text + ")";
}

// The formula as text; graphs are written out where they are used, up to a limit.
class Formula {
 public:
  explicit Formula(const Design& design) : design_(design) {}

  std::string of(const Node& node, int depth = 0) {
    if (depth > deepest || ++visited_ > most_steps) return "...";
    switch (node.kind) {
      case NodeKind::step: return "t(" + node.name + ")";
      case NodeKind::part: return grouped(sum(design_.parts.at(node.name).children, depth + 1));
      case NodeKind::loop: return grouped(node.amount) + "*" + grouped(sum(node.children, depth));
      case NodeKind::branch: {
        std::string text;
        for (const auto& arm : node.children) text += (text.empty() ? "" : " + ") + grouped(arm.amount) + "*" + grouped(sum(arm.children, depth));
        return text;
      }
      case NodeKind::sequence: return sum(node.children, depth);
    }
    return "";
  }

 private:
  std::string sum(const std::vector<Node>& nodes, int depth) {
    std::string text;
    for (const auto& node : nodes) {
      if (visited_ > most_steps) return text + " + ...";
      text += (text.empty() ? "" : " + ") + of(node, depth);
    }
    return text;
  }

  const Design& design_;
  int visited_ = 0;
};

void collect(const Node& node, std::vector<const Node*>& all) {
  all.push_back(&node);
  for (const auto& child : node.children) collect(child, all);
}

}  // namespace

std::string timing_formula(const Design& design) { return "t = " + Formula(design).of(design.root); }

Result<std::vector<CountedStep>> counted_steps(const Design& design, const std::map<std::string, double>& set) {
  std::vector<CountedStep> steps;
  TRY(const auto values, values_of(design, set));
  Walk walk(design, values, [&](const Node& step, double count, const Expr& expression) -> Status {
    steps.push_back({&step, count, expr::text(expression)});
    return {};
  });
  CHECK_OK(walk(design.root, 1, Expr(1)));
  return steps;
}

Result<Profile> profile_of(const Design& design, const ProfileOptions& options) {
  TRY(const auto values, values_of(design, options.set));
  for (const auto& [name, value] : options.set)
    if (!design.has_parameter(name)) return wrong_usage("the design has no parameter " + name, "parameters: see the head of " + design.file);
  Profile profile;
  profile.program = design.name;
  profile.made_by = made_here();
  profile.run.language = "c";
  for (const auto& p : design.parameters) profile.run.parameters[p.name] = values.at(p.name);
  Function function;
  function.name = design.name, function.calls.value = 1;
  TRY(std::vector<CountedStep> steps, counted_steps(design, options.set));
  std::map<std::string, int> seen;
  for (const auto& [step, count, expression] : steps) {
    Block block;
    int number = ++seen[step->name];
    block.name = number == 1 ? step->name : step->name + "#" + std::to_string(number);
    block.kind = "step", block.at = {design.file, step->line, 0};
    block.count.value = count;
    if (!design.parameters.empty()) block.count.expression = expression, block.count.certainty = Certainty::proved;
    if (auto it = options.code_seconds.find(step->name); it != options.code_seconds.end()) {
      block.usage["seconds"] = it->second;
    } else if (step->code) {
      profile.gaps.push_back({"step " + step->name + " stands for analysed code, which was not predicted", block.at, count});
    } else {
      for (const auto& [resource, amount] : step->usage) {
        TRY(block.usage[resource], value_of(design, *step, amount, values));
        if (block.usage[resource] < 0) return unfit("step " + step->name + " needs " + amount + " of " + resource + ", which is negative", place(design, *step));
      }
    }
    profile.regions.push_back({block.name, design.file, step->line, step->line});
    function.blocks.push_back(std::move(block));
  }
  // A step of a graph that is used in several places stands in one line: one region, with all its executions.
  std::set<int> known;
  std::erase_if(profile.regions, [&](const Region& r) { return !known.insert(r.first_line).second; });
  profile.source.emplace().functions.push_back(std::move(function));
  return profile;
}

std::vector<std::string> check(const Design& design, const std::map<std::string, double>& set) {
  std::vector<std::string> remarks;
  if (const auto known = values_of(design, set); !known) return {known.error().message()};
  std::vector<const Node*> all;
  collect(design.root, all);
  for (const auto& [name, part] : design.parts) collect(part, all);
  std::set<std::string> used_parts, unknown;
  for (const Node* node : all) {
    if (node->kind == NodeKind::part) used_parts.insert(node->name);
    if (node->kind == NodeKind::step)
      for (const auto& [resource, amount] : node->usage)
        if (resource != "seconds" && resource != "flops" && resource != "bytes" && !find_operation(resource)) unknown.insert(resource);
  }
  remarks.reserve(unknown.size());
  for (const auto& name : unknown) remarks.push_back("usage \"" + name + "\" is no known resource: seconds, flops, bytes, or a source operation");
  for (const auto& [name, part] : design.parts)
    if (!used_parts.contains(name)) remarks.push_back("graph " + name + " is not used");
  if (auto counted = counted_steps(design, set); !counted) remarks.push_back(counted.error().message());
  return remarks;
}

}  // namespace perfcast::graph

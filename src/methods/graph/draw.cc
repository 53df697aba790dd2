// Drawings of a graph: a tree in text, and Graphviz (figure 4 of the paper: boxes, circles, corrugated boxes).
#include <fmt/format.h>

#include "methods/graph/graph.h"

namespace perfcast::graph {
namespace {

std::string usage_text(const Node& step) {
  std::string text;
  for (const auto& [resource, amount] : step.usage) text += (text.empty() ? "" : ", ") + resource + " " + amount;
  if (step.code) {
    text = "code of " + step.code->profile;
    if (!step.code->function.empty()) text += ", function " + step.code->function;
    if (!step.code->region.empty()) text += ", region " + step.code->region;
  }
  if (!step.pattern.empty()) text += (text.empty() ? "" : "; ") + std::string("in parallel by ") + step.pattern;
  return text;
}

void draw(const std::vector<Node>& nodes, const std::string& margin, std::string& text);

void draw_node(const Node& node, const std::string& margin, bool last, std::string& text) {
  const std::string stem = margin + (last ? "└─ " : "├─ "), inner = margin + (last ? "   " : "│  ");
  switch (node.kind) {
    case NodeKind::step: text += stem + "▭ " + node.name + "   " + usage_text(node) + "\n"; break;
    case NodeKind::part: text += stem + "▣ " + node.name + "\n"; break;
    case NodeKind::loop:
      text += stem + "↻ " + node.amount + " times\n";
      draw(node.children, inner, text);
      break;
    case NodeKind::branch:
      text += stem + "◇ branch\n";
      for (std::size_t i = 0; i < node.children.size(); i++) {
        bool end = i + 1 == node.children.size();
        text += inner + (end ? "└─ " : "├─ ") + "when " + node.children[i].amount + "\n";
        draw(node.children[i].children, inner + (end ? "   " : "│  "), text);
      }
      break;
    case NodeKind::sequence: draw(node.children, margin, text); break;
  }
}

void draw(const std::vector<Node>& nodes, const std::string& margin, std::string& text) {
  for (std::size_t i = 0; i < nodes.size(); i++) draw_node(nodes[i], margin, i + 1 == nodes.size(), text);
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char c : text) result += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return result + "\"";
}

class Dot {
 public:
  // Draws the nodes in a row after `from`; the last one drawn is returned.
  int chain(const std::vector<Node>& nodes, int from, const std::string& label = "") {
    std::string on_edge = label;
    for (const auto& node : nodes) {
      from = one(node, from, on_edge);
      on_edge.clear();
    }
    return from;
  }
  int add(const std::string& label, const char* shape) {
    text += fmt::format("  n{} [label={}, shape={}];\n", next_, quoted(label), shape);
    return next_++;
  }
  void edge(int from, int to, const std::string& label = "", const char* style = "solid") {
    text += fmt::format("  n{} -> n{} [label={}, style={}];\n", from, to, quoted(label), style);
  }
  std::string text;

 private:
  int one(const Node& node, int from, const std::string& label) {
    switch (node.kind) {
      case NodeKind::step: {
        int self = add(node.name + "\n" + usage_text(node), "box");
        edge(from, self, label);
        return self;
      }
      case NodeKind::part: {
        int self = add(node.name, "box3d");
        edge(from, self, label);
        return self;
      }
      case NodeKind::loop: {
        int self = add(node.amount, "circle");
        edge(from, self, label);
        edge(chain(node.children, self), self, "", "dashed");
        return self;
      }
      case NodeKind::branch: {
        int self = add("", "diamond"), join = add("", "point");
        edge(from, self, label);
        for (const auto& arm : node.children) {
          int end = chain(arm.children, self, arm.amount);
          edge(end, join, end == self ? arm.amount : "");
        }
        edge(self, join, "else", "dotted");
        return join;
      }
      case NodeKind::sequence: return chain(node.children, from, label);
    }
    return from;
  }
  int next_ = 0;
};

}  // namespace

std::string draw_text(const Design& design) {
  std::string text = design.name + "\n";
  draw(design.root.children, "", text);
  for (const auto& [name, part] : design.parts) {
    text += "\n▣ " + name + "\n";
    draw(part.children, "", text);
  }
  return text;
}

std::string draw_dot(const Design& design) {
  Dot dot;
  dot.text = "digraph " + quoted(design.name) + " {\n  node [fontname=\"sans-serif\"];\n";
  dot.chain(design.root.children, dot.add(design.name, "ellipse"));
  for (const auto& [name, part] : design.parts) dot.chain(part.children, dot.add("graph " + name, "ellipse"));
  return dot.text + "}\n";
}

}  // namespace perfcast::graph

// Reads design files: lines, indentation, and expressions that are checked where they stand.
#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/files.h"
#include "base/outline.h"
#include "base/paths.h"
#include "base/text.h"
#include "expr/parse.h"
#include "methods/graph/graph.h"

namespace perfcast::graph {
namespace {

class Reader {
 public:
  Reader(const std::string& text, std::string file) : lines_(outline_lines(text)), file_(std::move(file)) {}

  Result<Design> read() {
    design_.file = file_;
    while (at_ < lines_.size() && lines_[at_].indent == 0) {
      auto [word, rest] = first_word(lines_[at_].text);
      if (word == "design") {
        if (!design_.name.empty()) return wrong("a file has one design");
        design_.name = rest;
        at_++;
      } else if (word == "parameter") {
        CHECK_OK(read_parameter(rest));
        at_++;
      } else if (word == "graph") {
        CHECK_OK(read_part(rest));
      } else {
        CHECK_OK(read_statement(design_.root));
      }
    }
    if (at_ < lines_.size()) return wrong("is indented, and nothing above it takes anything below");
    if (design_.name.empty()) return unfit("the file does not begin with \"design NAME\"", file_, "docs/parallel.md describes design files");
    if (design_.root.children.empty()) return unfit("the design does nothing: no step, loop, branch or `do` stands in it", file_, "docs/parallel.md describes design files");
    CHECK_OK(resolve(design_.root));
    for (auto& [name, part] : design_.parts) CHECK_OK(resolve(part));
    return std::move(design_);
  }

 private:
  std::unexpected<Error> wrong(const std::string& what) const {
    const OutlineLine& line = lines_[std::min(at_, lines_.size() - 1)];
    return unfit("\"" + line.text + "\": " + what, file_ + ":" + std::to_string(line.number), "docs/parallel.md describes design files");
  }

  Status check_expression(const std::string& text) const {
    auto parsed = expr::parse(text, file_ + ":" + std::to_string(lines_[at_].number));
    if (!parsed) return std::unexpected(parsed.error());
    return {};
  }

  Status read_parameter(const std::string& rest) {
    auto equals = rest.find('=');
    if (equals == rest.npos) return wrong("a parameter has a value: parameter N = 1000");
    Parameter parameter{trimmed(rest.substr(0, equals)), 0, lines_[at_].remark, trimmed(rest.substr(equals + 1))};
    if (!expr::is_symbol_name(parameter.name)) return wrong("\"" + parameter.name + "\" is not a name");
    if (design_.has_parameter(parameter.name)) return wrong("parameter " + parameter.name + " is given twice");
    TRY(expr::Expr value, expr::parse(parameter.expression, file_ + ":" + std::to_string(lines_[at_].number)));
    std::map<std::string, double> known;
    for (const auto& p : design_.parameters) known[p.name] = p.value;
    auto known_value = expr::evaluate(value, known);
    if (!known_value) return wrong(known_value.error().what + ": parameters are given by numbers and by parameters before them");
    parameter.value = *known_value;
    design_.parameters.push_back(parameter);
    return {};
  }

  Status read_part(std::string rest) {
    if (!rest.ends_with(':')) return wrong("a graph ends with a colon, and what it does stands indented below");
    rest.pop_back();
    Node part;
    part.name = trimmed(rest), part.line = lines_[at_].number;
    CHECK_OK(read_below(part));
    if (!design_.parts.emplace(part.name, part).second) return wrong("there are two graphs of this name");
    return {};
  }

  // The lines indented deeper than the current one become children of `node`.
  Status read_below(Node& node) {
    const int indent = lines_[at_].indent;
    at_++;
    if (at_ == lines_.size() || lines_[at_].indent <= indent) return (at_--, wrong("nothing stands indented below it"));
    const int inner = lines_[at_].indent;
    while (at_ < lines_.size() && lines_[at_].indent > indent) {
      if (lines_[at_].indent != inner) return wrong("is not indented like the lines above it");
      CHECK_OK(read_statement(node));
    }
    return {};
  }

  Status read_statement(Node& into) {
    Node node;
    CHECK_OK(read_one(lines_[at_].text, node, true));
    into.children.push_back(std::move(node));
    return {};
  }

  // One statement; `own_line` when lines may follow below it (not after "when P: step x").
  Status read_one(const std::string& text, Node& node, bool own_line) {
    auto [word, rest] = first_word(text);
    node.line = lines_[at_].number;
    if (word == "step") return read_step(rest, node);
    if (word == "do") {
      node.kind = NodeKind::part, node.name = rest;
      at_++;
      return {};
    }
    if (!own_line) return wrong("after a colon stands a step or a `do`");
    if (word == "loop") {
      if (!rest.ends_with(':')) return wrong("a loop ends with a colon: loop N:");
      node.kind = NodeKind::loop, node.amount = trimmed(rest.substr(0, rest.size() - 1));
      CHECK_OK(check_expression(node.amount));
      return read_below(node);
    }
    if (text == "branch:") return read_branch(node);
    return wrong("expected step, loop, branch, do, graph or parameter");
  }

  Status read_branch(Node& node) {
    node.kind = NodeKind::branch;
    const int indent = lines_[at_].indent;
    at_++;
    std::string rest_of_one = "1";
    while (at_ < lines_.size() && lines_[at_].indent > indent) {
      const std::string text = lines_[at_].text;
      auto colon = text.find(':');
      const bool other = text.starts_with("else:");
      if (colon == text.npos || (!other && !text.starts_with("when "))) return wrong("below a branch stands `when PROBABILITY:` or `else:`");
      Node arm;
      arm.line = lines_[at_].number;
      arm.amount = other ? rest_of_one : trimmed(text.substr(5, colon - 5));
      CHECK_OK(check_expression(arm.amount));
      rest_of_one += " - (" + arm.amount + ")";
      std::string after = trimmed(text.substr(colon + 1));
      if (after.empty()) {
        CHECK_OK(read_below(arm));
      } else {
        Node only;
        CHECK_OK(read_one(after, only, false));
        arm.children.push_back(std::move(only));
      }
      node.children.push_back(std::move(arm));
    }
    if (node.children.empty()) return wrong("a branch without `when`");
    return {};
  }

  // NAME [with TEMPLATE(A = x, B = y)] [from PROFILE [function F | region R]] [: RESOURCE AMOUNT, ...]
  Status read_step(const std::string& text, Node& node) {
    node.kind = NodeKind::step;
    std::string head = text, usage;
    if (auto colon = text.find(':'); colon != text.npos) head = trimmed(text.substr(0, colon)), usage = trimmed(text.substr(colon + 1));
    auto [name, rest] = first_word(head);
    node.name = name;
    if (name.empty()) return wrong("a step has a name");
    if (rest.starts_with("with ")) {
      auto open = rest.find('('), close = rest.find(')');
      if (open != rest.npos && (close == rest.npos || close < open)) return wrong("a parenthesis is not closed");
      node.pattern = trimmed(rest.substr(5, open == rest.npos ? rest.find(' ', 5) - 5 : open - 5));
      if (open != rest.npos) {
        for (const auto& setting : split(rest.substr(open + 1, close - open - 1), ',')) {
          auto equals = setting.find('=');
          if (equals == setting.npos) return wrong("a template is given its parameters by name: with halo(N = N)");
          std::string value = trimmed(setting.substr(equals + 1));
          CHECK_OK(check_expression(value));
          node.settings[trimmed(setting.substr(0, equals))] = value;
        }
        rest = trimmed(rest.substr(close + 1));
      } else {
        rest = trimmed(rest.substr(std::min(rest.size(), 5 + node.pattern.size())));
      }
    }
    if (rest.starts_with("from ")) {
      auto words = split_words(rest.substr(5));
      if (words.empty() || words.size() == 2 || words.size() > 3) return wrong("from PROFILE, from PROFILE function NAME, or from PROFILE region NAME");
      CodeReference code{words[0], "", ""};
      if (words.size() == 3 && words[1] == "function") code.function = words[2];
      else if (words.size() == 3 && words[1] == "region") code.region = words[2];
      else if (words.size() == 3) return wrong("from PROFILE function NAME, or from PROFILE region NAME");
      node.code = code;
    } else if (!rest.empty()) {
      return wrong("after the name stands `with`, `from` or a colon");
    }
    CHECK_OK(read_usage(usage, node));
    at_++;
    return {};
  }

  Status read_usage(const std::string& text, Node& node) {
    for (const auto& item : split_list(text)) {
      auto [resource, amount] = first_word(item);
      if (resource.empty()) continue;
      if (!std::isalpha(static_cast<unsigned char>(resource[0]))) return wrong("what is needed stands before how much of it: flops 100");
      if (amount.empty()) amount = "1";
      CHECK_OK(check_expression(amount));
      node.usage[resource] = node.usage.contains(resource) ? node.usage[resource] + " + " + amount : amount;
    }
    return {};
  }

  // A step named alone is the one described elsewhere; two descriptions of one name must agree.
  Status resolve(Node& node) {
    if (node.kind == NodeKind::step) {
      const bool described = !node.usage.empty() || node.code;
      auto [it, first] = described ? steps_.try_emplace(node.name, node) : std::pair(steps_.find(node.name), false);
      if (!described && it == steps_.end() && !find_described(node.name, node))
        return unfit("step " + node.name + " says nowhere what it needs", file_ + ":" + std::to_string(node.line), "step " + node.name + ": flops 100");
      if (!described && it != steps_.end()) node.usage = it->second.usage, node.code = it->second.code;
      if (described && !first && (it->second.usage != node.usage || it->second.code != node.code))
        return unfit("step " + node.name + " is described twice, differently", file_ + ":" + std::to_string(node.line));
    }
    if (node.kind == NodeKind::part && !design_.parts.contains(node.name))
      return unfit("there is no graph " + node.name, file_ + ":" + std::to_string(node.line));
    for (auto& child : node.children) CHECK_OK(resolve(child));
    return {};
  }

  // The description may stand below its first use.
  bool find_described(const std::string& name, Node& into) const {
    bool found = false;
    auto look = [&](auto&& self, const Node& node) -> void {
      if (!found && node.kind == NodeKind::step && node.name == name && (!node.usage.empty() || node.code))
        into.usage = node.usage, into.code = node.code, found = true;
      for (const auto& child : node.children) self(self, child);
    };
    look(look, design_.root);
    for (const auto& [part_name, part] : design_.parts) look(look, part);
    return found;
  }

  std::vector<OutlineLine> lines_;
  std::string file_;
  std::size_t at_ = 0;
  Design design_;
  std::map<std::string, Node> steps_;
};

}  // namespace

bool Design::has_parameter(const std::string& wanted) const {
  return std::ranges::any_of(parameters, [&](const Parameter& p) { return p.name == wanted; });
}

Result<Design> parse_design(const std::string& text, const std::string& file) {
  if (text.find_first_not_of(" \t\r\n") == text.npos) return unfit("the file is empty", file);
  return Reader(text, file).read();
}

Result<Design> read_design(const std::string& path) {
  TRY(std::string text, read_file(path));
  // A bundled one is known by its name alone.
  const bool bundled = path.starts_with(bundled_data().string());
  return parse_design(text, bundled ? std::filesystem::path(path).filename().string() : path);
}

}  // namespace perfcast::graph

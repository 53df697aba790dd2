// Reads template files.
#include <algorithm>
#include <filesystem>
#include <set>

#include "base/files.h"
#include "base/outline.h"
#include "base/paths.h"
#include "expr/parse.h"
#include "methods/parallel/templates.h"

namespace perfcast::parallel {
namespace fs = std::filesystem;
namespace {

using expr::Expr;

const std::set<std::string> kinds = {"compute", "message", "send", "receive", "broadcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall", "reduce_scatter", "scan", "barrier"};
const std::set<std::string> sections = {"communication", "waiting", "bottleneck", "skeleton"};

// Words of a line: "broadcast q bytes N^2 among q" as {"": "q", "bytes": "N^2", "among": "q"}.
std::map<std::string, std::string> clauses(const std::string& text, const std::vector<std::string>& words) {
  std::map<std::string, std::string> result;
  std::string key, padded = " " + text + " ";
  std::size_t begin = 0;
  while (true) {
    std::size_t next = padded.npos;
    std::string found;
    for (const auto& word : words)
      if (auto at = padded.find(" " + word + " ", begin); at < next) next = at, found = word;
    result[key] = trimmed(padded.substr(begin, next == padded.npos ? next : next - begin));
    if (next == padded.npos) return result;
    key = found, begin = next + 1 + found.size();
  }
}

class Reader {
 public:
  Reader(const std::string& text, std::string file) : lines_(outline_lines(text)), file_(std::move(file)) {}

  Result<Template> read() {
    template_.file = file_;
    bool computation = false;
    while (at_ < lines_.size()) {
      if (lines_[at_].indent > 0) return wrong("is indented, and nothing above it takes anything below");
      auto [word, rest] = first_word(lines_[at_].text);
      if (sections.contains(word)) {
        CHECK_OK(read_section(word));
        continue;
      }
      if (word == "template") {
        template_.name = rest;
      } else if (word == "parameter") {
        CHECK_OK(read_parameter(rest));
      } else if (word == "set") {
        auto equals = rest.find('=');
        if (equals == rest.npos) return wrong("set NAME = EXPRESSION");
        TRY(Expr value, expression(rest.substr(equals + 1)));
        template_.sets.emplace_back(trimmed(rest.substr(0, equals)), value);
      } else if (word == "whole") {
        TRY(Expr value, expression(rest));
        template_.wholes.emplace_back(value, lines_[at_].remark);
      } else if (word == "computation") {
        TRY(template_.computation, expression(rest));
        computation = true;
      } else {
        return wrong("expected template, parameter, set, whole, computation, communication, waiting, bottleneck or skeleton");
      }
      at_++;
    }
    if (template_.name.empty() || !computation)
      return unfit("a template has a name and says what each rank computes", file_, "template NAME, computation 1/P");
    if (std::ranges::none_of(template_.parameters, [](const auto& p) { return p.name == "P"; }))
      return unfit("a template has the parameter P, the number of ranks", file_);
    return std::move(template_);
  }

 private:
  std::string place() const { return file_ + ":" + std::to_string(lines_[std::min(at_, lines_.size() - 1)].number); }
  std::unexpected<Error> wrong(const std::string& what) const {
    return unfit("\"" + lines_[std::min(at_, lines_.size() - 1)].text + "\": " + what, place(), "docs/parallel.md describes templates");
  }
  Result<Expr> expression(const std::string& text) const { return expr::parse(trimmed(text), place()); }

  Status read_parameter(const std::string& rest) {
    auto equals = rest.find('=');
    TemplateParameter parameter{trimmed(rest.substr(0, equals)), lines_[at_].remark, {}};
    if (!expr::is_symbol_name(parameter.name)) return wrong("\"" + parameter.name + "\" is not a name");
    if (equals != rest.npos) {
      TRY(Expr value, expression(rest.substr(equals + 1)));
      TRY(parameter.value, expr::evaluate(value, {}));
    }
    template_.parameters.push_back(parameter);
    return {};
  }

  Status read_section(const std::string& section) {
    at_++;
    const int indent = at_ < lines_.size() ? lines_[at_].indent : 0;
    if (indent == 0) return (at_--, wrong("nothing stands indented below it"));
    if (section == "skeleton") return read_body(template_.skeleton, indent);
    auto& terms = section == "communication" ? template_.communication : section == "waiting" ? template_.waiting : template_.bottleneck;
    for (; at_ < lines_.size() && lines_[at_].indent > 0; at_++) {
      auto [kind, rest] = first_word(lines_[at_].text);
      if (!kinds.contains(kind)) return wrong("expected compute or a kind of message: message, broadcast, reduce, ...");
      auto parts = clauses(rest, {"bytes", "among"});
      Term term;
      term.kind = kind;
      TRY(term.times, expression(parts[""]));
      if (parts.contains("bytes")) {
        TRY(term.bytes, expression(parts["bytes"]));
      }
      term.among_given = parts.contains("among");
      if (term.among_given) {
        TRY(term.among, expression(parts["among"]));
      }
      terms.push_back(std::move(term));
    }
    return {};
  }

  Status read_body(std::vector<SkeletonLine>& body, int indent) {
    while (at_ < lines_.size() && lines_[at_].indent >= indent) {
      if (lines_[at_].indent > indent) return wrong("is not indented like the lines above it");
      SkeletonLine line;
      CHECK_OK(read_line(lines_[at_].text, line));
      body.push_back(std::move(line));
    }
    return {};
  }

  // What stands below a line that ends with a colon, or after the colon.
  Status read_inner(SkeletonLine& line, const std::string& after) {
    if (!after.empty()) {
      SkeletonLine only;
      CHECK_OK(read_line(after, only));
      line.body.push_back(std::move(only));
      return {};
    }
    const int outer = lines_[at_].indent;
    at_++;
    if (at_ == lines_.size() || lines_[at_].indent <= outer) return (at_--, wrong("nothing stands indented below it"));
    return read_body(line.body, lines_[at_].indent);
  }

  Status read_line(const std::string& text, SkeletonLine& line) {
    line.line = lines_[at_].number;
    auto [word, rest] = first_word(text);
    if (word == "loop" || word == "when") {
      auto colon = rest.find(':');
      if (colon == rest.npos) return wrong("a " + word + " ends with a colon");
      std::string head = rest.substr(0, colon), after = trimmed(rest.substr(colon + 1));
      CHECK_OK(word == "loop" ? read_loop(head, line) : read_condition(head, line));
      return read_inner(line, after);
    }
    CHECK_OK(read_call(word, rest, line));
    at_++;
    return {};
  }

  Status read_loop(const std::string& head, SkeletonLine& line) {
    line.kind = LineKind::loop;
    auto equals = head.find('=');
    if (equals != head.npos) line.name = trimmed(head.substr(0, equals));
    TRY(Expr times, expression(equals == head.npos ? head : head.substr(equals + 1)));
    line.values = {times};
    return {};
  }

  Status read_condition(const std::string& head, SkeletonLine& line) {
    line.kind = LineKind::when;
    for (const char* op : {"<=", ">=", "!=", "=", "<", ">"})
      if (auto at = head.find(op); at != head.npos) {
        line.name = op;
        TRY(Expr left, expression(head.substr(0, at)));
        TRY(Expr right, expression(head.substr(at + line.name.size())));
        line.values = {left, right};
        return {};
      }
    return wrong("a condition compares: when rank > 0:");
  }

  Status read_call(const std::string& word, const std::string& rest, SkeletonLine& line) {
    line.name = word;
    if (word == "compute") {
      line.kind = LineKind::compute;
      TRY(Expr share, expression(rest));
      line.values = {share};
      return {};
    }
    if (word == "message" || (word != "exchange" && !kinds.contains(word))) return wrong("expected loop, when, compute or a call");
    auto parts = clauses(rest, {"bytes", "tag", "among", "from", "step"});
    for (const auto& peer : split_list(parts[""])) {
      TRY(Expr value, expression(peer));
      line.values.push_back(value);
    }
    auto take = [&](const char* key, Expr& into) -> Status {
      if (!parts.contains(key)) return {};
      TRY(into, expression(parts[key]));
      return {};
    };
    CHECK_OK(take("bytes", line.bytes));
    CHECK_OK(take("tag", line.tag));
    line.among = parts.contains("among"), line.stride = Expr(1);
    CHECK_OK(take("among", line.count));
    CHECK_OK(take("from", line.first));
    CHECK_OK(take("step", line.stride));
    const std::size_t wanted = word == "exchange" ? 2 : word == "send" || word == "receive" || word == "broadcast" || word == "reduce" || word == "gather" || word == "scatter" ? 1 : 0;
    if (line.values.size() != wanted) return wrong("a " + word + " names " + std::to_string(wanted) + " ranks");
    return {};
  }

  std::vector<OutlineLine> lines_;
  std::string file_;
  std::size_t at_ = 0;
  Template template_;
};

}  // namespace

Result<Template> parse_template(const std::string& text, const std::string& file) {
  if (outline_lines(text).empty()) return unfit("the file is empty", file);
  TRY(Template parsed, Reader(text, file).read());
  // The remark at the top is the summary.
  for (const auto& line : {text}) {
    std::string top = line.substr(0, line.find("\ntemplate"));
    for (char& c : top)
      if (c == '\n' || c == '#') c = ' ';
    std::string summary;
    for (char c : top)
      if (c != ' ' || (!summary.empty() && summary.back() != ' ')) summary += c;
    if (text.starts_with("#")) parsed.summary = trimmed(summary);
  }
  return parsed;
}

std::vector<NamedTemplate> list_templates() {
  std::vector<NamedTemplate> all;
  for (const fs::path& folder : {user_data() / "templates", bundled_data() / "templates"}) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.path().extension() != ".template") continue;
      std::string name = entry.path().stem().string();
      if (std::ranges::any_of(all, [&](const auto& t) { return t.name == name; })) continue;
      auto text = read_file(entry.path().string());
      auto parsed = text ? parse_template(*text, entry.path().string()) : Result<Template>(std::unexpected(text.error()));
      all.push_back({name, entry.path().string(), parsed ? parsed->summary : "unreadable: " + parsed.error().message()});
    }
  }
  std::ranges::sort(all, {}, &NamedTemplate::name);
  return all;
}

Result<Template> find_template(const std::string& name) {
  std::string path = name;
  if (!name.ends_with(".template")) {
    std::string known;
    path.clear();
    for (const auto& t : list_templates()) {
      if (t.name == name) path = t.path;
      known += (known.empty() ? "" : ", ") + t.name;
    }
    if (path.empty()) return unfit("there is no template " + name, "", "one of " + known + ", or a file that ends with .template");
  }
  TRY(std::string text, read_file(path));
  const bool bundled = path.starts_with(bundled_data().string());  // known by its name alone
  return parse_template(text, bundled ? fs::path(path).filename().string() : path);
}

}  // namespace perfcast::parallel

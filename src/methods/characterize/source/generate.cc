#include "methods/characterize/source/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>

namespace perfcast::characterize {
namespace {

constexpr int chain_variables = 4;

// Where the initial value of an operand lies in its type's table (c_unit.c).
int place_of(const Operand& operand) {
  switch (operand.role) {
    case 'x': return operand.number;
    case 'a': return 4 + operand.number;
    case 'b': return 6 + operand.number;
    case 'k': return 8;
    case 'u': return 9;
    default: return 10;
  }
}

Operand operand_of(char placeholder, const std::string& type, const std::string& storage, int j) {
  Operand operand{"", type};
  operand.global = storage == "G";
  switch (placeholder) {
    case 'd': operand.number = j % chain_variables, operand.written = true; break;
    case 's': operand.number = (j + chain_variables - dependence_distance) % chain_variables; break;
    case 'a': case 'b': operand.role = placeholder, operand.number = j / dependence_distance % 2; break;
    default: operand.role = placeholder;
  }
  bool numbered = operand.role == 'x' || operand.role == 'a' || operand.role == 'b';
  operand.name = fmt::format("{}{}{}{}", operand.global ? 'g' : 'l', type, operand.role,
                             numbered ? std::to_string(operand.number) : "");
  return operand;
}

bool holds_word(const std::string& text, const std::string& word) {
  auto part = [&](std::size_t at) { return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_'); };
  for (std::size_t at = 0; (at = text.find(word, at)) != text.npos; at++)
    if ((at == 0 || !part(at - 1)) && !part(at + word.size())) return true;
  return false;
}

// Writes one language; the two below differ in spelling only.
class Writer {
 public:
  explicit Writer(const ExperimentSet& set) : set_(set) {}
  virtual ~Writer() = default;
  virtual void head() = 0;
  virtual void function(const Body& body, const std::string& name, int repetitions) = 0;
  GeneratedSource out;

 protected:
  const ExperimentSet& set_;
  std::size_t current_ = std::string::npos;
  void line(const std::string& text) {
    out.bodies += text + "\n";
    out.line_of.push_back(current_);
  }
  friend GeneratedSource perfcast::characterize::generate(const ExperimentSet&, const std::string&, const std::vector<bool>&);

  struct Expansion {
    std::vector<std::string> statements;
    std::vector<Operand> operands;  // each once
    std::vector<std::string> kept;  // the operand each statement writes; empty: none
  };
  static Expansion expand_all(const Body& body, int repetitions) {
    Expansion all;
    for (int j = 0; j < repetitions; j++) {
      std::vector<Operand> used;
      all.statements.push_back(expand(body, j, used));
      std::string kept;
      for (auto& operand : used) {
        if (operand.written) kept = operand.name;
        auto seen = std::find_if(all.operands.begin(), all.operands.end(), [&](auto& o) { return o.name == operand.name; });
        if (seen == all.operands.end()) all.operands.push_back(operand);
        else seen->written |= operand.written;
      }
      all.kept.push_back(kept);
    }
    return all;
  }
};

class CWriter : public Writer {
 public:
  CWriter(const ExperimentSet& set, bool cxx) : Writer(set), cxx_(cxx) {}
  void head() override { line("#include \"c_unit.h\""); }
  void function(const Body& body, const std::string& name, int repetitions) override {
    auto all = expand_all(body, repetitions);
    line(fmt::format("{}void {}(long n) {{", cxx_ ? "extern \"C\" " : "", name));
    for (const auto& local : set_.locals)
      if (holds_word(body.statement, local.name)) line("  " + local.declaration);
    for (const auto& operand : all.operands)
      line(fmt::format("  {0}{1} = i{2}[{3}];", operand.global ? "" : operand.type + " ", operand.name, operand.type,
                       place_of(operand)));
    line("  for (long iteration = 0; iteration < n; iteration++) {");
    for (std::size_t j = 0; j < all.statements.size(); j++)
      line("    " + all.statements[j] + keep(all.kept[j]));
    line("  }");
    for (const auto& operand : all.operands)
      if (!operand.global) line(fmt::format("  k{}[{}] = {};", operand.type, place_of(operand), operand.name));
    line("}");
  }

 private:
  bool cxx_;
  static std::string keep(const std::string& name) {
    if (name.empty()) return "";
    return fmt::format(" KEEP_{}({});", name[1] == 'R' ? "REAL" : "INTEGER", name);
  }
};

class FortranWriter : public Writer {
 public:
  using Writer::Writer;
  void head() override {}
  void function(const Body& body, const std::string& name, int repetitions) override {
    auto all = expand_all(body, repetitions);
    line(fmt::format("subroutine {0}(n) bind(c, name='{0}')", name));
    line("  implicit none");
    line("  integer(8), value :: n");
    line("  integer(8) :: iteration");
    auto locals = locals_of(body.statement);
    for (const auto& local : locals) line("  " + part(local.declaration, false));
    std::vector<std::string> types;
    for (const auto& operand : all.operands) {
      if (std::find(types.begin(), types.end(), operand.type) == types.end()) types.push_back(operand.type);
      if (!operand.global) line(fmt::format("  {} :: {}", kind_of(operand.type), operand.name));
    }
    for (const auto& type : types) commons(type);
    for (const auto& local : locals)
      if (auto first = part(local.declaration, true); !first.empty()) line("  " + first);
    for (const auto& operand : all.operands)
      line(fmt::format("  {} = i{}({})", operand.name, operand.type, place_of(operand) + 1));
    line("  do iteration = 1, n");
    for (const auto& statement : all.statements)
      for (std::size_t from = 0, to; from <= statement.size(); from = to + 2) {
        to = std::min(statement.find("\\n", from), statement.size());
        line("    " + statement.substr(from, to - from));
      }
    line("  end do");
    for (const auto& operand : all.operands)
      if (!operand.global) line(fmt::format("  k{}({}) = {}", operand.type, place_of(operand) + 1, operand.name));
    line("end subroutine");
  }

 private:
  static std::string kind_of(const std::string& type) {
    if (type == "RS") return "real(4)";
    if (type == "RD") return "real(8)";
    if (type == "LG") return "logical(4)";
    return type == "IL" ? "integer(8)" : "integer(4)";
  }
  // A local's declaration, or the statement that gives it its first value.
  static std::string part(const std::string& declaration, bool first_value) {
    auto arrow = declaration.find(" => ");
    if (!first_value) return declaration.substr(0, arrow);
    return arrow == declaration.npos ? "" : declaration.substr(arrow + 4);
  }
  // Those the statement names, and those their first values name.
  std::vector<Local> locals_of(const std::string& statement) const {
    std::vector<Local> found;
    std::string text = statement;
    for (const auto& local : set_.locals)
      if (holds_word(statement, local.name)) text += " " + part(local.declaration, true);
    for (const auto& local : set_.locals)
      if (holds_word(text, local.name)) found.push_back(local);
    return found;
  }
  void commons(const std::string& type) {
    std::string kind = kind_of(type);
    line(fmt::format("  {0} :: i{1}(16), k{1}(16)", kind, type));
    line(fmt::format("  {0} :: g{1}x0, g{1}x1, g{1}x2, g{1}x3, g{1}a0, g{1}a1, g{1}b0, g{1}b1, g{1}k, g{1}u, g{1}v", kind, type));
    line(fmt::format("  common /i{0}/ i{0}", type));
    line(fmt::format("  common /k{0}/ k{0}", type));
    line(fmt::format("  common /g{0}/ g{0}x0, g{0}x1, g{0}x2, g{0}x3, g{0}a0, g{0}a1, g{0}b0, g{0}b1, g{0}k, g{0}u, g{0}v", type));
  }
};

std::unique_ptr<Writer> writer_for(const ExperimentSet& set, const std::string& language) {
  if (language == "fortran") return std::make_unique<FortranWriter>(set);
  return std::make_unique<CWriter>(set, language == "c++");
}

}  // namespace

std::string expand(const Body& body, int j, std::vector<Operand>& operands) {
  const std::string& text = body.statement;
  std::string out;
  for (std::size_t i = 0; i < text.size(); i++) {
    if (text[i] != '$' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    char placeholder = text[++i];
    if (placeholder == 'j') { out += std::to_string(j); continue; }
    if (placeholder == 'l') { out += std::to_string(100 + j); continue; }
    if (placeholder == 'n') { out += std::to_string((7 * j + 3) % 64); continue; }
    std::string type = body.type;
    if (i + 1 < text.size() && text[i + 1] == '{') {
      auto close = text.find('}', i);
      type = text.substr(i + 2, close - i - 2);
      i = close;
    }
    operands.push_back(operand_of(placeholder, type, body.storage, j));
    out += operands.back().name;
  }
  return out;
}

GeneratedSource generate(const ExperimentSet& set, const std::string& language, const std::vector<bool>& left_out) {
  auto writer = writer_for(set, language);
  writer->head();
  std::string declarations, entries;
  for (std::size_t i = 0; i < set.bodies.size(); i++) {
    if (i < left_out.size() && left_out[i]) {
      entries += "  {nothing, nothing},\n";
      continue;
    }
    writer->current_ = i;
    const Body& body = set.bodies[i];
    std::string once = fmt::format("body{}_once", i), twice = fmt::format("body{}_twice", i);
    writer->function(body, once, body.repetitions);
    writer->function(body, twice, 2 * body.repetitions);
    declarations += fmt::format("void {}(long), {}(long);\n", once, twice);
    entries += fmt::format("  {{{}, {}}},\n", once, twice);
  }
  writer->out.table = declarations + "static void nothing(long n) { (void)n; }\nstruct Pair { void (*once)(long), (*twice)(long); };\n" +
                     "const struct Pair perfcast_experiments[] = {\n" + entries + "};\nconst int perfcast_experiment_count = " +
                     std::to_string(set.bodies.size()) + ";\n";
  return std::move(writer->out);
}

}  // namespace perfcast::characterize

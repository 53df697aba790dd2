#include "methods/characterize/instructions/form_table.h"

#include <charconv>
#include <cstdint>
#include <algorithm>
#include <functional>
#include <regex>

#include "base/files.h"
#include "base/paths.h"
#include "base/text.h"

namespace perfcast::instructions {
namespace {

std::string trim(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}
std::vector<std::string> columns(const std::string& line) {
  // " | " separates; a bar inside a regular expression has no blanks around it.
  std::vector<std::string> parts;
  std::size_t start = 0;
  for (std::size_t bar; (bar = line.find(" |", start)) != std::string::npos;) {
    if (bar + 2 < line.size() && line[bar + 2] != ' ') { start = bar + 2; continue; }
    parts.push_back(trim(line.substr(start, bar - start)));
    start = bar + 2;
  }
  parts.push_back(trim(line.substr(start)));
  for (auto& part : parts)
    if (part == "-") part.clear();
  return parts;
}
std::vector<std::string> words_of(const std::string& text, char separator = ' ') {
  std::vector<std::string> words;
  for (auto& word : split(text, separator))
    if (!trim(word).empty()) words.push_back(trim(word));
  return words;
}
std::optional<int> number(const std::string& text) {
  int value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

bool is_expression(const std::string& text) {
  try {
    static_cast<void>(std::regex(text));
    return true;
  } catch (const std::regex_error&) {
    return false;
  }
}

// "12", or "8..64:4" for 8, 12, ... 64.
bool add_parameters(const std::string& word, std::vector<int>& parameters) {
  if (auto one = number(word)) return parameters.push_back(*one), true;
  const auto dots = word.find(".."), colon = word.find(':');
  if (dots == std::string::npos || colon == std::string::npos || colon < dots) return false;
  const auto first = number(word.substr(0, dots)), last = number(word.substr(dots + 2, colon - dots - 2));
  const auto step = number(word.substr(colon + 1));
  if (!first || !last || !step || *step < 1) return false;
  constexpr std::int64_t most = 10'000;
  if ((std::int64_t{*last} - *first) / *step >= most) return false;
  for (std::int64_t n = *first; n <= *last; n += *step) parameters.push_back(static_cast<int>(n));
  return true;
}

// Characters of a text whose repetitions "@3(body)" are written out (benchmarks.h: expand); none where one has no number or no
// end. A copy of a register or an offset is taken to be as long as its key.
std::optional<double> expanded_size(const std::string& text, int around = 0) {
  constexpr int deepest = 8;
  if (around > deepest) return {};
  double size = 0;
  for (std::size_t at = 0; at < text.size(); at++) {
    size++;
    if (text[at] != '@') continue;
    const auto open = text.find('(', at);
    if (open == std::string::npos) return {};
    int depth = 0;
    std::size_t close = open;
    for (; close < text.size(); close++) {
      if (text[close] == '(') depth++;
      if (text[close] == ')' && --depth == 0) break;
    }
    const auto count = number(text.substr(at + 1, open - at - 1));
    const auto body = close < text.size() ? expanded_size(text.substr(open + 1, close - open - 1), around + 1) : std::nullopt;
    if (!count || *count < 0 || !body) return {};
    size += *count * (*body + 1);
    at = close;
  }
  return size;
}

class Parser {
 public:
  Parser(const std::string& text, std::string name) : lines_(split(text, '\n')), name_(std::move(name)) {}

  Result<FormTable> parse() {
    for (at_ = 0; at_ < lines_.size(); at_++) {
      const std::string line = trim(lines_[at_]);
      if (line.empty() || line[0] == '#') continue;
      if (line.front() == '[' && line.back() == ']') {
        section_ = line.substr(1, line.size() - 2);
        continue;
      }
      CHECK_OK(read(line));
    }
    CHECK_OK(check());
    return std::move(table_);
  }

 private:
  Status read(const std::string& line) {
    if (section_.empty()) return head(line);
    if (section_ == "forms") return form(line);
    if (section_ == "cases") return special(line);
    if (section_ == "clocks") return clock(line);
    if (section_ == "references") return reference(line);
    if (section_ == "moves") return move(line);
    if (section_ == "fusions") return fusion(line);
    if (section_ == "bypasses") return bypass(line);
    if (section_ == "results") return other_result(line);
    if (section_ == "easy") return easy(line);
    if (section_ == "canary") { table_.canary = line; return {}; }
    if (section_ == "filler") { table_.filler = line == "-" ? "" : line; return {}; }
    return wrong("unknown section [" + section_ + "]");
  }

  Status head(const std::string& line) {
    if (line.ends_with("<<")) {
      std::string& block = table_.words[trim(line.substr(0, line.size() - 2))];
      while (++at_ < lines_.size() && trim(lines_[at_]) != ">>") block += lines_[at_] + "\n";
      return at_ < lines_.size() ? Status{} : wrong("a block without its end >>");
    }
    const auto colon = line.find(':');
    if (colon == std::string::npos) return wrong("expected `key: value`");
    const std::string key = trim(line.substr(0, colon)), value = trim(line.substr(colon + 1));
    if (key == "isa") table_.isa = value;
    else if (key.starts_with("set ")) table_.registers[key.substr(4)] = words_of(value);
    else table_.words[key] = value;
    return {};
  }

  Status form(const std::string& line) {
    auto part = columns(line);
    if (part.size() < 5) return wrong("a form has at least five columns");
    part.resize(7);
    Form f;
    f.name = part[0], f.opcodes = part[1], f.kind = part[2], f.chain = part[3], f.stream = part[4];
    f.accumulate = part[6];
    if (table_.find(f.name)) return wrong("form " + f.name + " is given twice");
    CHECK_OK(settings(part[5], [&](const std::string& key, const std::string& value) {
      if (key == "text") f.text = value;
      else if (key == "minus") f.minus = words_of(value, ',');
      else if (key == "partner") f.partner = value;
      else if (key == "setup") f.setup = value;
      else if (key == "per" && number(value).value_or(0) > 0) f.per = *number(value);
      else if (key == "dependent") f.dependent = true;
      else return false;
      return true;
    }));
    for (const auto& expression : {f.opcodes, f.text})
      if (!is_expression(expression)) return wrong("not a regular expression: " + expression);
    table_.forms.push_back(std::move(f));
    return {};
  }

  Status special(const std::string& line) {
    auto part = columns(line);
    if (part.size() != 5) return wrong("a case has five columns");
    Case c;
    c.kind = part[0], c.name = part[1], c.body = part[4];
    for (auto& word : words_of(part[2]))
      if (!add_parameters(word, c.parameters)) return wrong("not a number or a range like 8..64:4: " + word);
    if (c.parameters.empty()) return wrong("a case without parameters");
    CHECK_OK(settings(part[3], [&](const std::string& key, const std::string& value) {
      if (key == "setup") c.setup = value;
      else if (key == "before") c.before = value;
      else if (key == "load") c.load = value;
      else if (key == "store") c.store = value;
      else if (key == "text" && is_expression(value)) c.text = value;
      else if (key == "minus") c.minus = words_of(value, ',');
      else if (key == "per" && number(value).value_or(0) > 0) c.per = *number(value);
      else if (key == "iterations" && number(value)) c.iterations = *number(value);
      else if (key == "late") c.late = true;
      else if (key == "long") c.after_long_chain = true;
      else return false;
      return true;
    }));
    table_.cases.push_back(std::move(c));
    return {};
  }

  Status clock(const std::string& line) {
    auto part = columns(line);
    if (part.size() != 2 || !number(part[0])) return wrong("a clock is `cycles | chain`");
    table_.clocks.push_back({*number(part[0]), part[1]});
    return {};
  }

  Status reference(const std::string& line) {
    const auto equal = line.find(" = ");
    const std::string name = trim(line.substr(0, equal));
    const Form* form = table_.find(name);
    if (!form || form->stream.empty()) return wrong("no form with a stream is called " + name);
    table_.references.push_back({name, equal == std::string::npos ? form->stream : trim(line.substr(equal + 3))});
    return {};
  }

  // `benchmark opcodes ...`, of which the benchmark is one of the cases above.
  Result<std::vector<std::string>> shown(const std::string& line, std::size_t words, const char* form) {
    auto part = words_of(line);
    if (part.size() != words) return wrong(form);
    if (!table_.case_of(part[0])) return wrong("no case makes the benchmark " + part[0]);
    for (std::size_t k = 1; k < words; k++)
      if (!is_expression(part[k])) return wrong("not a regular expression: " + part[k]);
    return part;
  }
  Status move(const std::string& line) {
    TRY(auto part, shown(line, 2, "a move is `benchmark opcodes`"));
    table_.moves.push_back({part[0], part[1]});
    return {};
  }
  Status fusion(const std::string& line) {
    TRY(auto part, shown(line, 3, "a fusion is `benchmark first second`"));
    table_.fusions.push_back({part[0], part[1], part[2]});
    return {};
  }

  Status bypass(const std::string& line) {
    TRY(auto part, shown(line, 3, "a bypass is `benchmark kind chain`"));
    table_.beside.push_back({part[0], part[1], part[2]});
    return {};
  }

  Status other_result(const std::string& line) {
    constexpr int most = 8;
    TRY(auto part, shown(line, 3, "a result is `benchmark form definition`"));
    const auto definition = part[2] == "kept" ? std::optional(OtherResult::kept) : number(part[2]);
    if (!table_.find(part[1])) return wrong("no form is called " + part[1]);
    if (!definition || *definition < OtherResult::kept || *definition > most) return wrong("not the place of a definition: " + part[2]);
    table_.results.push_back({part[0], part[1], *definition});
    return {};
  }

  Status easy(const std::string& line) {
    auto part = columns(line);
    if (part.size() != 4) return wrong("easy operands are `form | chain | stream | settings`");
    EasyOperands e{part[0], part[1], part[2]};
    if (!table_.find(e.form)) return wrong("no form is called " + e.form);
    CHECK_OK(settings(part[3], [&](const std::string& key, const std::string& value) {
      if (key == "setup") e.setup = value;
      return key == "setup";
    }));
    table_.easy.push_back(std::move(e));
    return {};
  }

  Status settings(const std::string& text, const std::function<bool(const std::string&, const std::string&)>& take) {
    for (auto& word : words_of(text)) {
      const auto equal = word.find('=');
      if (equal == std::string::npos || !take(word.substr(0, equal), word.substr(equal + 1)))
        return wrong("unknown setting " + word);
    }
    return {};
  }

  // Repetitions are well written and do not multiply beyond what an assembler takes.
  Status check_text(const std::string& text, const std::string& of) {
    constexpr double most = 64e6;
    const auto size = expanded_size(text);
    if (!size) return unfit(of + ": a repetition is written @3(body): " + text, name_);
    written_ += *size;
    if (written_ > most) return unfit(of + ": repetitions make more text than an assembler takes", name_);
    return {};
  }
  Status check_texts() {
    for (auto& form : table_.forms)
      for (auto* text : {&form.chain, &form.stream, &form.accumulate}) CHECK_OK(check_text(*text, "form " + form.name));
    for (auto& e : table_.easy)
      for (auto* text : {&e.chain, &e.stream}) CHECK_OK(check_text(*text, "easy operands of " + e.form));
    for (auto& clock : table_.clocks) CHECK_OK(check_text(clock.chain, "a clock"));
    for (auto& reference : table_.references) CHECK_OK(check_text(reference.stream, "reference " + reference.name));
    for (auto* text : {"guard", "guard avx", "guard avx512"}) CHECK_OK(check_text(table_.word(text), text));
    CHECK_OK(check_text(table_.canary, "the canary"));
    for (auto& c : table_.cases)
      for (int n : c.parameters) {
        std::string body = (c.after_long_chain ? table_.word("long") + ";" : "") + c.body;
        for (std::size_t at; (at = body.find("<n>")) != std::string::npos;) body.replace(at, 3, std::to_string(n));
        CHECK_OK(check_text(body, "case " + c.name));
      }
    return {};
  }

  Status check() {
    for (auto& [name, registers] : table_.registers)
      if (registers.empty()) return unfit("the set " + name + " has no registers", name_);
    CHECK_OK(check_texts());
    for (auto* key : {"prologue", "epilogue", "loop", "top", "long"})
      if (table_.word(key).empty()) return unfit(std::string("gives no ") + key, name_);
    if (table_.isa.empty() || table_.clocks.empty() || table_.canary.empty())
      return unfit("gives no isa, clocks or canary", name_);
    auto known = [&](const std::string& setup) { return table_.words.contains("setup " + setup); };
    for (auto& form : table_.forms) {
      if (!known(form.setup)) return unfit("form " + form.name + " wants the unknown setup " + form.setup, name_);
      auto others = form.minus;
      if (!form.partner.empty()) others.push_back(form.partner);
      for (auto& other : others)
        if (!table_.find(other)) return unfit("form " + form.name + " names the unknown form " + other, name_);
    }
    for (auto& e : table_.easy)
      if (!known(e.setup)) return unfit("easy operands of " + e.form + " want the unknown setup " + e.setup, name_);
    for (auto& c : table_.cases) {
      if (!known(c.setup)) return unfit("case " + c.name + " wants the unknown setup " + c.setup, name_);
      auto names = c.minus;
      for (auto& name : {c.load, c.store})
        if (!name.empty()) names.push_back(name);
      for (auto& name : names)
        if (!table_.find(name)) return unfit("case " + c.name + " names the unknown form " + name, name_);
    }
    return {};
  }

  std::unexpected<Error> wrong(const std::string& what) {
    return unfit(what, name_ + ":" + std::to_string(at_ + 1));
  }

  std::vector<std::string> lines_;
  std::string name_, section_;
  std::size_t at_ = 0;
  double written_ = 0;  // characters of all texts
  FormTable table_;
};

}  // namespace

const Form* FormTable::find(const std::string& name) const {
  for (auto& form : forms)
    if (form.name == name) return &form;
  return nullptr;
}

const Case* FormTable::case_of(const std::string& benchmark) const {
  for (auto& c : cases)
    for (int n : c.parameters)
      if (benchmark == c.kind + "/" + c.name + "/" + std::to_string(n)) return &c;
  return nullptr;
}

const std::string& FormTable::word(const std::string& key) const {
  static const std::string none;
  auto it = words.find(key);
  return it == words.end() ? none : it->second;
}

Result<FormTable> parse_form_table(const std::string& text, const std::string& name) {
  return Parser(text, name).parse();
}

Result<FormTable> bundled_form_table(const std::string& isa) {
  const auto path = (bundled_data() / "instructions" / (isa + ".txt")).string();
  TRY(auto text, read_file(path));
  return parse_form_table(text, path);
}

std::string host_isa() {
#if defined(__aarch64__)
  return "aarch64";
#else
  return "x86_64";
#endif
}

}  // namespace perfcast::instructions

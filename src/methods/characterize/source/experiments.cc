#include "methods/characterize/source/experiments.h"

#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "base/text.h"

namespace perfcast::characterize {
namespace {

std::string trimmed(const std::string& text) {
  auto begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t\r");
  return begin == text.npos ? "" : text.substr(begin, end - begin + 1);
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) text.replace(at, from.size(), to);
  return text;
}

// None for what is no number, or none that counts anything.
std::optional<double> number_in(const std::string& word) {
  constexpr double largest = 1e6;
  double value = 0;
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || !(value >= 0 && value <= largest)) return {};
  return value;
}
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

// "$a{RD}": what follows the dollar and its letter in braces ends.
bool braces_close(const std::string& statement) {
  for (std::size_t at = 0; (at = statement.find('$', at)) != statement.npos; at++)
    if (at + 2 < statement.size() && statement[at + 2] == '{' && statement.find('}', at) == statement.npos) return false;
  return true;
}

// One line of a block, kept until `end` repeats it for each type and storage.
struct Line {
  int number;
  std::string keyword, rest;
};

class Parser {
 public:
  Parser(std::string name, std::string language, bool with_checks)
      : name_(std::move(name)), language_(std::move(language)), with_checks_(with_checks) {}

  Result<ExperimentSet> parse(const std::string& text) {
    std::istringstream in(text);
    int number = 0;
    for (std::string raw; std::getline(in, raw);) {
      number++;
      std::string line = trimmed(raw);
      if (line.empty() || line[0] == '#') continue;
      auto space = line.find(' ');
      CHECK_OK(take({number, line.substr(0, space), space == line.npos ? "" : trimmed(line.substr(space))}));
    }
    if (in_block()) return unfit("a block of types or storage has no `end`", name_);
    return std::move(set_);
  }

 private:
  std::string name_, language_;
  bool with_checks_;
  ExperimentSet set_;
  std::map<std::string, std::size_t> index_;
  std::map<std::string, bool> left_out_;  // bodies of another language: costs that use them are left out too
  std::vector<std::string> types_, storages_;
  std::vector<Line> block_;

  bool in_block() const { return !types_.empty() || !storages_.empty(); }
  Result<double> number_at(const std::string& word, int line) const {
    auto number = number_in(word);
    if (!number) return unfit("\"" + word + "\" is not a number", where(line));
    return *number;
  }
  std::string where(int number) const { return name_ + ":" + std::to_string(number); }

  Status take(const Line& line) {
    if (line.keyword == "types") return types_ = words_of(line.rest), Status{};
    if (line.keyword == "storage") return storages_ = words_of(line.rest), Status{};
    if (line.keyword == "end") return repeat_block();
    if (line.keyword == "local") return take_local(line);
    if (line.keyword == "check") return with_checks_ ? take_check(line) : Status{};
    if (line.keyword != "body" && line.keyword != "cost")
      return unfit("unknown word \"" + line.keyword + "\"", where(line.number));
    if (in_block()) return block_.push_back(line), Status{};
    return apply(line, "", "");
  }

  Status take_local(const Line& line) {
    auto colon = line.rest.find(':');
    if (colon == line.rest.npos) return unfit("a local needs NAME: DECLARATION", where(line.number));
    set_.locals.push_back({line.rest.substr(0, colon), trimmed(line.rest.substr(colon + 1))});
    return {};
  }

  Status repeat_block() {
    auto lines = std::move(block_);
    auto types = std::move(types_), storages = std::move(storages_);
    block_.clear(), types_.clear(), storages_.clear();
    if (types.empty()) types = {""};
    if (storages.empty()) storages = {""};
    for (const auto& type : types)
      for (const auto& storage : storages)
        for (const auto& line : lines) CHECK_OK(apply(line, type, storage));
    return {};
  }

  Status apply(const Line& line, const std::string& type, const std::string& storage) {
    return line.keyword == "body" ? take_body(line, type, storage) : take_cost(line, type, storage);
  }

  static std::string qualified(const std::string& name, const std::string& type, const std::string& storage) {
    return type.empty() && storage.empty() ? name : name + "." + type + "." + storage;
  }

  Status take_body(const Line& line, const std::string& type, const std::string& storage) {
    auto colon = line.rest.find(": ");
    auto head = words_of(line.rest.substr(0, colon));
    if (colon == line.rest.npos || head.empty()) return unfit("a body needs NAME: STATEMENT", where(line.number));
    Body body{qualified(head[0], type, storage), trimmed(line.rest.substr(colon + 1)), type, storage};
    bool ours = true;
    for (std::size_t i = 1; i < head.size(); i++) {
      if (head[i] == "c++") ours = language_ == "c++";
      else if (auto times = number_in(head[i].substr(1)); head[i][0] == 'x' && times) body.repetitions = static_cast<int>(*times);
      else return unfit("unknown mark \"" + head[i] + "\" of a body", where(line.number));
    }
    if (!braces_close(body.statement)) return unfit("the type of an operand is written $a{RD}", where(line.number));
    constexpr int most_repetitions = 1000;
    constexpr std::size_t most_bodies = 10'000;
    if (body.repetitions < 1 || body.repetitions > most_repetitions) return unfit("a body is repeated once to a thousand times", where(line.number));
    if (set_.bodies.size() >= most_bodies) return unfit("these are more than 10000 bodies", where(line.number));
    if (index_.contains(body.name) || left_out_.contains(body.name))
      return unfit("the body " + body.name + " is there twice", where(line.number));
    if (!ours) return left_out_[body.name] = true, Status{};
    index_[body.name] = set_.bodies.size();
    set_.bodies.push_back(std::move(body));
    return {};
  }

  Status take_check(const Line& line) {
    auto equals = line.rest.find(" == ");
    if (equals == line.rest.npos) return unfit("a check needs NAME: STATEMENTS == OPERATIONS", where(line.number));
    const std::size_t before = set_.bodies.size();
    CHECK_OK(take_body({line.number, "body", line.rest.substr(0, equals)}, "", ""));
    if (set_.bodies.size() == before) return {};  // of another language
    Check check{set_.bodies.back().name, set_.bodies.size() - 1, {}};
    double times = 1;
    for (const auto& word : words_of(line.rest.substr(equals + 4))) {
      if (word == "+") continue;
      if (is_digit(word[0])) {
        TRY(times, number_at(word, line.number));
      } else {
        check.operations.push_back({std::exchange(times, 1), word});
      }
    }
    set_.checks.push_back(std::move(check));
    return {};
  }

  Status take_cost(const Line& line, const std::string& type, const std::string& storage) {
    auto equals = line.rest.find('='), semicolon = line.rest.find(';');
    if (equals == line.rest.npos) return unfit("a cost needs OPERATION = FORMULA", where(line.number));
    CostFormula cost;
    cost.operation = replaced(replaced(trimmed(line.rest.substr(0, equals)), "$T", type), "$G", storage);
    if (semicolon != line.rest.npos) cost.note = trimmed(line.rest.substr(semicolon + 1));
    double sign = 1, factor = 1;
    for (const auto& word : words_of(line.rest.substr(equals + 1, std::min(semicolon, line.rest.size()) - equals - 1))) {
      if (word == "+" || word == "-") {
        sign = word == "-" ? -1 : 1;
      } else if (is_digit(word[0])) {
        TRY(factor, number_at(word, line.number));
      } else {
        auto it = index_.find(qualified(word, type, storage));
        if (it == index_.end()) it = index_.find(word);
        if (left_out_.contains(word)) return {};
        if (it == index_.end()) return unfit("there is no body \"" + word + "\"", where(line.number));
        cost.terms.push_back({sign * factor, it->second});
        sign = factor = 1;
      }
    }
    if (cost.terms.empty()) return unfit("a cost without bodies", where(line.number));
    set_.costs.push_back(std::move(cost));
    return {};
  }
};

}  // namespace

Result<ExperimentSet> parse_experiments(const std::string& text, const std::string& name, const std::string& language,
                                        bool with_checks) {
  return Parser(name, language, with_checks).parse(text);
}

}  // namespace perfcast::characterize

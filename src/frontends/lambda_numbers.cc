#include "frontends/lambda_numbers.h"

#include <regex>

namespace perfcast {
namespace {

// "main" and 3 in `_ZZ4mainENK3$_3clEv` and in `...Z4mainE3$_3...`: the function around it, and the number.
const std::regex& lambda_pattern() {
  static const std::regex pattern(R"(Z([A-Za-z0-9_]*?)E(NK?)?(\d+)\$_(\d+))");
  return pattern;
}

struct Numbered {
  std::string around, number;
  auto operator<=>(const Numbered&) const = default;
};

std::optional<Numbered> lambda_of_body(const std::string& name) {
  std::smatch match;
  if (name.find("$_") == name.npos || !std::regex_search(name, match, lambda_pattern())) return {};
  if (!match.suffix().str().starts_with("cl")) return {};  // its call operator
  return Numbered{match[1], match[4]};
}

// The number in a name changes its length: `3$_9` becomes `4$_10`.
std::string renamed(const std::string& name, const std::map<Numbered, std::string>& numbers) {
  std::string result;
  auto rest = name.cbegin();
  for (std::sregex_iterator it(name.begin(), name.end(), lambda_pattern()), end; it != end; ++it) {
    const std::smatch& match = *it;
    auto known = numbers.find({match[1], match[4]});
    result.append(rest, match[3].first);
    std::string number = known == numbers.end() ? match[4].str() : known->second;
    result += std::to_string(number.size() + 2) + "$_" + number;
    rest = match[0].second;
  }
  return result.append(rest, name.cend());
}

}  // namespace

void renumber_lambdas(Graph& graph, const PositionCounts& counts) {
  std::map<Numbered, std::string> numbers;
  for (const auto& function : graph.functions) {
    auto own = lambda_of_body(function.name);
    if (!own) continue;
    std::size_t most = 0;
    for (const auto& [name, candidate] : counts.functions) {
      auto theirs = lambda_of_body(name);
      if (!theirs || theirs->around != own->around) continue;
      std::size_t hits = 0;
      for (const auto& block : function.blocks)
        hits += candidate.at.contains({block.at.file, block.at.line, block.at.column});
      if (hits > most) most = hits, numbers[*own] = theirs->number;
    }
  }
  if (numbers.empty()) return;
  for (auto& function : graph.functions) {
    if (function.name.find("$_") != function.name.npos) function.name = renamed(function.name, numbers);
    for (auto& block : function.blocks)
      for (auto& call : block.calls)
        if (call.callee.find("$_") != call.callee.npos) call.callee = renamed(call.callee, numbers);
  }
}

}  // namespace perfcast

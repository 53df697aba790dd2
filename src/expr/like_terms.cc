// Like terms put together: 3 N^2 + 2 (N^2 + N) becomes 5 N^2 + 2 N. The equation of a program is the sum of hundreds of lines, most of
// which grow alike. Calls and powers of sums are carried through as they are, so the place of a step stays readable; choices by
// the same remainder are added up number by number.
#include <algorithm>
#include <map>

#include "expr/algebra.h"
#include "expr/arithmetic.h"
#include "expr/print.h"

namespace perfcast::expr {
namespace {

// More products than that are not worth writing down.
constexpr std::size_t most_products = 256;
constexpr int highest_power = 4;

enum class MultiplyOut { numbers, everything };

// N * N^2 * P becomes N^3 * P: factors in a fixed order, each base once.
Expr with_joined_powers(const Expr& term) {
  const std::vector<Expr> single{term};
  std::map<std::string, std::pair<Expr, Number>> bases;
  std::vector<Expr> factors;
  for (const Expr& factor : term.kind() == Kind::product ? term.parts() : single) {
    if (factor.is_number()) {
      factors.push_back(factor);
      continue;
    }
    const bool raised = factor.kind() == Kind::power && factor.parts()[1].is_number();
    const Expr base = raised ? factor.parts()[0] : factor;
    const Number exponent = raised ? factor.parts()[1].node().number : whole(1);
    auto [it, fresh] = bases.try_emplace(text(base), base, exponent);
    if (!fresh) it->second.second = add(it->second.second, exponent);
  }
  for (const auto& [key, entry] : bases) factors.push_back(power(entry.first, Expr(entry.second)));
  return product(std::move(factors));
}

std::vector<Expr> terms_of(const Expr& e, MultiplyOut how);

// The terms of a factor, where it may be multiplied out; itself where not.
std::vector<Expr> terms_of_factor(const Expr& factor, MultiplyOut how) {
  if (how == MultiplyOut::numbers) return {factor};
  if (factor.kind() != Kind::power || factor.parts()[0].kind() != Kind::sum || !factor.parts()[1].is_number()) return terms_of(factor, how);
  const Number& exponent = factor.parts()[1].node().number;
  if (!exponent.exact || exponent.bottom != 1 || exponent.top < 2 || exponent.top > highest_power) return {factor};
  return terms_of(product(std::vector<Expr>(static_cast<std::size_t>(exponent.top), factor.parts()[0])), how);
}

std::vector<Expr> terms_of(const Expr& e, MultiplyOut how) {
  std::vector<Expr> all;
  if (e.kind() == Kind::sum) {
    for (const Expr& part : e.parts())
      for (Expr& term : terms_of(part, how)) all.push_back(std::move(term));
    return all;
  }
  if (e.kind() != Kind::product) return {e};
  const Term split = split_number(e);
  if (how == MultiplyOut::numbers && split.rest.kind() == Kind::sum) {
    for (const Expr& term : terms_of(split.rest, how)) all.push_back(Expr(split.number) * term);
    return all;
  }
  all = {1};
  for (const Expr& factor : e.parts()) {
    std::vector<Expr> parts = terms_of_factor(factor, how), next;
    if (all.size() * parts.size() > most_products) parts = {factor};
    for (const Expr& a : all)
      for (const Expr& b : parts) next.push_back(a * b);
    all = std::move(next);
  }
  return all;
}

// What multiplies everything but the number: one number, or one for each choice.
struct Gathered {
  Expr rest = 1;
  std::optional<Expr> choice;          // the first argument of pick
  std::vector<Number> numbers;
};

bool picks_numbers(const Expr& e) {
  return e.kind() == Kind::call && e.node().function == Function::pick && std::all_of(e.parts().begin() + 1, e.parts().end(), [](const Expr& part) { return part.is_number(); });
}

Gathered taken_apart(const Expr& term) {
  const Term split = split_number(term);
  Gathered out{split.rest, {}, {split.number}};
  const std::vector<Expr> single{split.rest};
  std::vector<Expr> others;
  for (const Expr& factor : split.rest.kind() == Kind::product ? split.rest.parts() : single) {
    if (out.choice || !picks_numbers(factor)) {
      others.push_back(factor);
      continue;
    }
    out.choice = factor.parts()[0], out.numbers.clear();
    for (std::size_t k = 1; k < factor.parts().size(); k++) out.numbers.push_back(multiply(split.number, factor.parts()[k].node().number));
  }
  if (out.choice) out.rest = product(std::move(others));
  return out;
}

Expr put_together(const Gathered& gathered) {
  const bool same = std::ranges::all_of(gathered.numbers, [&](const Number& number) { return number == gathered.numbers[0]; });
  if (!gathered.choice || same) return Expr(gathered.numbers[0]) * gathered.rest;
  std::vector<Expr> arguments{*gathered.choice};
  for (const Number& number : gathered.numbers) arguments.emplace_back(number);
  return call(Function::pick, std::move(arguments)) * gathered.rest;
}

Expr collected(const Expr& e, MultiplyOut how) {
  std::vector<Gathered> kept;
  std::map<std::string, std::size_t> index;
  for (const Expr& term : terms_of(e, how)) {
    Gathered apart = taken_apart(with_joined_powers(term));
    std::string key = text(apart.rest);
    if (apart.choice) key += "\n" + text(*apart.choice) + "\n" + std::to_string(apart.numbers.size());
    auto [it, fresh] = index.try_emplace(std::move(key), kept.size());
    if (fresh) {
      kept.push_back(std::move(apart));
      continue;
    }
    Gathered& like = kept[it->second];
    for (std::size_t k = 0; k < like.numbers.size(); k++) like.numbers[k] = add(like.numbers[k], apart.numbers[k]);
  }
  std::vector<Expr> terms;
  terms.reserve(kept.size());
  for (const Gathered& gathered : kept) terms.push_back(put_together(gathered));
  return sum(std::move(terms));
}

// What multiplies the same sum put together: (N + 1) s(N) + (N + 1) t(N) becomes (N + 1) (s(N) + t(N)), as near and far memory of one line.
Expr with_common_sums(const Expr& e) {
  if (e.kind() != Kind::sum) return e;
  struct Shared {
    Expr factor;
    std::vector<Expr> others;
  };
  auto factors_of = [](const Expr& term) { return term.kind() == Kind::product ? term.parts() : std::vector<Expr>{term}; };
  std::map<std::string, int> times;  // by the text of a sum: terms it multiplies
  for (const Expr& term : e.parts())
    for (const Expr& factor : factors_of(term))
      if (factor.kind() == Kind::sum) times[text(factor)]++;
  std::vector<Shared> all;
  std::map<std::string, std::size_t> index;
  for (const Expr& term : e.parts()) {
    std::vector<Expr> factors = factors_of(term);
    auto often = [&](const Expr& factor) { return factor.kind() == Kind::sum ? times.at(text(factor)) : 0; };
    auto shared = std::ranges::max_element(factors, {}, often);
    if (often(*shared) < 2) {
      all.push_back({1, {term}});
      continue;
    }
    const Expr factor = std::move(*shared);
    factors.erase(shared);
    auto [it, fresh] = index.try_emplace(text(factor), all.size());
    if (fresh) all.push_back({factor, {}});
    all[it->second].others.push_back(product(std::move(factors)));
  }
  std::vector<Expr> terms;
  terms.reserve(all.size());
  for (const Shared& shared : all) terms.push_back(shared.factor * (shared.others.size() > 1 ? collected(sum(shared.others), MultiplyOut::numbers) : shared.others[0]));
  return sum(std::move(terms));
}

}  // namespace

Expr collect_like_terms(const Expr& expression) {
  const Expr numbers = with_common_sums(collected(expression, MultiplyOut::numbers)), everything = collected(expression, MultiplyOut::everything);
  return everything.size() <= numbers.size() ? everything : numbers;
}

}  // namespace perfcast::expr

#include "expr/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "expr/arithmetic.h"

namespace perfcast::expr {
namespace {

enum class Style { text, latex, c };

// How tightly a piece of text holds together; what holds less than its surroundings gets parentheses.
enum Binding { in_sum, in_product, in_power, atom };
struct Piece {
  std::string text;
  Binding binding = atom;
};

double degree(const Expr& e) {
  double total = 0;
  switch (e.kind()) {
    case Kind::number: return 0;
    case Kind::symbol: return 1;
    case Kind::sum:
      for (const Expr& part : e.parts()) total = std::max(total, degree(part));
      return total;
    case Kind::product:
      for (const Expr& part : e.parts()) total += degree(part);
      return total;
    case Kind::power: return e.parts()[1].is_number() ? degree(e.parts()[0]) * e.parts()[1].node().number.value : 100;
    case Kind::call: return e.node().function == Function::log || e.node().function == Function::log2 ? 0.25 : 0.125;
  }
  return 0;
}

constexpr std::array greek = {"alpha", "beta", "gamma", "delta", "epsilon", "lambda", "mu", "nu", "phi", "pi", "rho", "sigma", "tau", "theta", "omega"};

std::string latex_name(const std::string& name) {
  std::size_t split = name.find_first_of("_.");
  std::string head = name.substr(0, split), shown;
  if (std::ranges::find(greek, head) != greek.end()) shown = "\\" + head;
  else shown = head.size() == 1 ? head : "\\mathrm{" + head + "}";
  if (split == name.npos || split + 1 >= name.size()) return shown;
  std::string rest;
  for (char c : name.substr(split + 1)) rest += c == '_' ? "\\_" : std::string(1, c);
  return shown + "_{\\mathrm{" + rest + "}}";
}

std::string c_name(std::string name) {
  std::ranges::replace(name, '.', '_');
  return name;
}

class Printer {
 public:
  Printer(Style style, const PrintOptions& options) : style_(style), options_(options) {}

  Piece print(const Expr& e) const {
    switch (e.kind()) {
      case Kind::number: return number(e.node().number);
      case Kind::symbol: return {style_ == Style::latex ? latex_name(e.node().name) : style_ == Style::c ? c_name(e.node().name) : e.node().name};
      case Kind::sum: return sum(e);
      case Kind::product: return product(e);
      case Kind::power: return power(e.parts()[0], e.parts()[1]);
      case Kind::call: return call(e);
    }
    return {};
  }

 private:
  std::string within(const Expr& e, Binding least) const {
    Piece piece = print(e);
    if (piece.binding >= least) return piece.text;
    return style_ == Style::latex ? "\\left(" + piece.text + "\\right)" : "(" + piece.text + ")";
  }

  // Decimals read back as the same fraction.
  static bool short_decimal(const Number& n) {
    std::int64_t rest = n.bottom;
    int places = 0;
    while (rest % 10 == 0) rest /= 10, places++;
    while (rest % 2 == 0 || rest % 5 == 0) rest /= rest % 2 == 0 ? 2 : 5, places++;
    return rest == 1 && n.bottom > 16 && places <= 9 && std::abs(n.value) < 1e5 && std::abs(n.value) >= 1e-3;
  }
  std::string decimal(double value) const {
    if (options_.digits >= 17) return fmt::format("{}", value);
    return fmt::format("{:.{}g}", value, options_.digits);
  }
  Piece number(const Number& n) const {
    if (!n.exact || short_decimal(n) || (options_.digits < 17 && std::max(std::abs(n.top), n.bottom) > 1'000'000'000)) {
      std::string shown = decimal(n.value);
      if (std::size_t e = shown.find('e'); e != shown.npos && style_ == Style::latex) {
        int exponent = std::stoi(shown.substr(e + 1));
        return {shown.substr(0, e) + " \\cdot 10^{" + std::to_string(exponent) + "}", in_product};
      }
      return {shown, n.value < 0 ? in_sum : atom};
    }
    std::string top = std::to_string(n.top) + (style_ == Style::c ? ".0" : "");
    if (n.bottom == 1) return {top, n.top < 0 ? in_sum : atom};
    if (style_ == Style::latex)
      return {(n.top < 0 ? "-" : "") + std::string("\\frac{") + std::to_string(std::abs(n.top)) + "}{" + std::to_string(n.bottom) + "}", n.top < 0 ? in_sum : in_product};
    return {top + "/" + std::to_string(n.bottom) + (style_ == Style::c ? ".0" : ""), n.top < 0 ? in_sum : in_product};
  }

  Piece sum(const Expr& e) const {
    std::vector<std::pair<std::pair<double, std::string>, bool>> terms;  // (-degree, text), negative
    for (const Expr& part : e.parts()) {
      Term term = split_number(part);
      bool negative = term.number.value < 0;
      Expr shown = negative ? -part : part;
      terms.push_back({{-degree(part), within(shown, in_product)}, negative});
    }
    std::ranges::sort(terms);
    std::string all;
    for (const auto& [key, negative] : terms) {
      if (all.empty()) all = (negative ? "-" : "") + key.second;
      else all += (negative ? " - " : " + ") + key.second;
    }
    return {all, in_sum};
  }

  Piece product(const Expr& e) const {
    Term term = split_number(e);
    bool negative = term.number.value < 0;
    Number size = negative ? negate(term.number) : term.number;
    std::vector<std::string> above, below;
    bool decimal_size = !size.exact || short_decimal(size);
    if (decimal_size) above.push_back(number(size).text);
    else {
      if (size.top != 1) above.push_back(number(whole(size.top)).text);
      if (size.bottom != 1) below.push_back(number(whole(size.bottom)).text);
    }
    std::vector<std::string> names_above, names_below;
    const std::vector<Expr> single{term.rest};
    for (const Expr& factor : term.rest.kind() == Kind::product ? term.rest.parts() : single) {
      bool under = factor.kind() == Kind::power && factor.parts()[1].is_number() && factor.parts()[1].node().number.value < 0;
      if (under) names_below.push_back(within(expr::power(factor.parts()[0], Expr(negate(factor.parts()[1].node().number))), in_power));
      else if (!factor.is_number(1)) names_above.push_back(within(factor, in_power));
    }
    std::ranges::sort(names_above), std::ranges::sort(names_below);
    above.insert(above.end(), names_above.begin(), names_above.end());
    below.insert(below.end(), names_below.begin(), names_below.end());
    std::string shown = joined(above, below);
    return {negative ? "-" + shown : shown, negative ? in_sum : in_product};
  }
  std::string joined(const std::vector<std::string>& above, const std::vector<std::string>& below) const {
    const char* times = style_ == Style::latex ? " \\, " : "*";
    std::string top = above.empty() ? (style_ == Style::c ? "1.0" : "1") : fmt::format("{}", fmt::join(above, times));
    if (below.empty()) return top;
    if (style_ == Style::latex) return "\\frac{" + top + "}{" + fmt::format("{}", fmt::join(below, times)) + "}";
    std::string bottom = fmt::format("{}", fmt::join(below, "*"));
    return top + "/" + (below.size() == 1 ? bottom : "(" + bottom + ")");
  }

  Piece power(const Expr& base, const Expr& exponent) const {
    bool number = exponent.is_number();
    if (number && exponent.node().number == fraction(1, 2)) {
      if (style_ == Style::latex) return {"\\sqrt{" + print(base).text + "}"};
      return {"sqrt(" + print(base).text + ")"};
    }
    if (number && exponent.node().number.value < 0)
      return {joined({}, {within(expr::power(base, Expr(negate(exponent.node().number))), in_power)}), in_product};
    if (style_ == Style::c) {
      if (number && exponent.node().number == whole(2) && base.kind() == Kind::symbol) {
        std::string name = print(base).text;
        return {"(" + name + "*" + name + ")"};
      }
      return {"pow(" + print(base).text + ", " + print(exponent).text + ")"};
    }
    if (style_ == Style::latex) return {within(base, atom) + "^{" + print(exponent).text + "}", in_power};
    return {within(base, atom) + "^" + within(exponent, atom), in_power};
  }

  Piece call(const Expr& e) const {
    std::vector<std::string> arguments;
    for (const Expr& part : e.parts()) arguments.push_back(print(part).text);
    if (e.node().function == Function::min || e.node().function == Function::max) std::ranges::sort(arguments);
    std::string list = fmt::format("{}", fmt::join(arguments, ", "));
    if (style_ == Style::latex) return {latex_call(e.node().function, list), atom};
    if (style_ == Style::c) return c_call(e.node().function, arguments);
    return {std::string(name_of(e.node().function)) + "(" + list + ")"};
  }
  static std::string latex_call(Function function, const std::string& list) {
    std::string in = "\\left(" + list + "\\right)";
    switch (function) {
      case Function::log: return "\\ln" + in;
      case Function::log2: return "\\log_2" + in;
      case Function::floor: return "\\left\\lfloor " + list + "\\right\\rfloor";
      case Function::ceil: return "\\left\\lceil " + list + "\\right\\rceil";
      case Function::abs: return "\\left|" + list + "\\right|";
      case Function::step: return "\\mathrm{H}" + in;
      case Function::dirac: return "\\delta" + in;
      case Function::mod: return "\\operatorname{mod}" + in;
      case Function::pick: return "\\operatorname{pick}" + in;
      default: return std::string("\\") + name_of(function) + in;
    }
  }
  static Piece c_call(Function function, const std::vector<std::string>& arguments) {
    switch (function) {
      case Function::min:
      case Function::max: {
        std::string all = arguments[0];
        for (std::size_t i = 1; i < arguments.size(); i++)
          all = std::string(function == Function::min ? "fmin(" : "fmax(") + all + ", " + arguments[i] + ")";
        return {all};
      }
      case Function::mod: return {"modulo(" + arguments[0] + ", " + arguments[1] + ")"};
      case Function::dirac: return {"0.0"};
      case Function::abs: return {"fabs(" + arguments[0] + ")"};
      case Function::pick: {
        std::string all = "(" + arguments.back() + ")";
        for (std::size_t i = arguments.size() - 2; i >= 1; i--)
          all = "(" + arguments[0] + " < " + fmt::format("{:.1f}", static_cast<double>(i) - 0.5) + " ? " + arguments[i] + " : " + all + ")";
        return {all};
      }
      default: return {std::string(name_of(function)) + "(" + arguments[0] + ")"};
    }
  }

  Style style_;
  PrintOptions options_;
};

}  // namespace

std::string text(const Expr& expression, const PrintOptions& options) { return Printer(Style::text, options).print(expression).text; }
std::string latex(const Expr& expression, const PrintOptions& options) { return Printer(Style::latex, options).print(expression).text; }

std::string c_source(const Expr& expression, const std::string& name, const std::vector<std::string>& arguments, const std::string& comment) {
  std::string all = comment.empty() ? "" : "/* " + comment + " */\n";
  all += "#include <math.h>\n\n";
  std::string body = Printer(Style::c, {}).print(expression).text;
  if (body.find("modulo(") != body.npos) all += "static double modulo(double a, double b) { return a - b*floor(a/b); }\n";
  if (body.find("step(") != body.npos) all += "static double step(double x) { return x >= 0 ? 1.0 : 0.0; }\n";
  std::vector<std::string> declared;
  declared.reserve(arguments.size());
  for (const auto& argument : arguments) declared.push_back("double " + c_name(argument));
  all += fmt::format("double {}({}) {{\n  return {};\n}}\n", name, declared.empty() ? "void" : fmt::format("{}", fmt::join(declared, ", ")), body);
  return all;
}

}  // namespace perfcast::expr

#include "expr/parse.h"

#include <cctype>
#include <charconv>
#include <cmath>

#include "base/assert.h"
#include "expr/algebra.h"

namespace perfcast::expr {
namespace {

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool in_name(char c) { return begins_name(c) || is_digit(c) || c == '.'; }

class Parser {
 public:
  Parser(const std::string& text, const std::string& name, const ParseLimits& limits)
      : text_(text), name_(name), limits_(limits) {}

  Result<Expr> whole_text() {
    if (text_.size() > limits_.characters) return fail("the expression is too long", 0);
    TRY(Expr all, sum_of_terms());
    skip_blanks();
    if (at_ < text_.size()) return fail(std::string("unexpected \"") + text_[at_] + "\"", at_);
    return all;
  }

 private:
  // Counts how deep the grammar is nested, so that hostile input cannot exhaust the stack.
  struct Deeper {
    explicit Deeper(std::size_t& depth) : depth_(depth) { depth_++; }
    ~Deeper() { depth_--; }
    std::size_t& depth_;
  };

  std::unexpected<Error> fail(const std::string& what, std::size_t at) const {
    std::string shown = text_.size() > 60 ? text_.substr(0, 57) + "..." : text_;
    std::string where = (name_.empty() ? "" : name_ + ": ") + "column " + std::to_string(at + 1) + " of \"" + shown + "\"";
    return unfit(what, where, "write it like 16*N^3/P + 4*N*log2(P)");
  }
  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) at_++;
  }
  bool accept(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    at_++;
    return true;
  }
  Result<Expr> limited(Expr expression) {
    if (expression.size() > limits_.nodes) return fail("the expression is too large", at_);
    return expression;
  }

  Result<Expr> sum_of_terms() {
    Deeper deeper(depth_);
    if (depth_ > limits_.depth) return fail("the expression is nested too deeply", at_);
    TRY(Expr first, product_of_factors());
    std::vector<Expr> terms{first};
    for (;;) {
      if (accept('+')) {
        TRY(Expr term, product_of_factors());
        terms.push_back(std::move(term));
      } else if (accept('-')) {
        TRY(Expr term, product_of_factors());
        terms.push_back(-term);
      } else {
        return limited(sum(std::move(terms)));
      }
    }
  }

  Result<Expr> product_of_factors() {
    TRY(Expr first, signed_factor());
    std::vector<Expr> factors{first};
    for (;;) {
      skip_blanks();
      std::size_t place = at_;
      if (accept('*')) {
        TRY(Expr factor, signed_factor());
        factors.push_back(std::move(factor));
      } else if (accept('/')) {
        TRY(Expr factor, signed_factor());
        if (factor.is_number() && factor.node().number.value == 0) return fail("a division by 0", place);
        factors.push_back(Expr(1) / factor);
      } else {
        return limited(product(std::move(factors)));
      }
    }
  }

  Result<Expr> signed_factor() {
    Deeper deeper(depth_);
    if (depth_ > limits_.depth) return fail("the expression is nested too deeply", at_);
    if (accept('-')) {
      TRY(Expr inner, signed_factor());
      return -inner;
    }
    if (accept('+')) return signed_factor();
    TRY(Expr base, atom());
    skip_blanks();
    const std::size_t place = at_;
    bool stars = at_ + 1 < text_.size() && text_[at_] == '*' && text_[at_ + 1] == '*';
    if (stars) at_ += 2;
    if (!stars && !accept('^')) return base;
    TRY(Expr exponent, signed_factor());
    if (base.is_number(0) && exponent.is_number() && exponent.node().number.value < 0) return fail("a division by 0", place);
    return power(base, exponent);
  }

  Result<Expr> atom() {
    skip_blanks();
    if (at_ >= text_.size()) return fail("the expression ends where a number, a name or ( should stand", at_);
    char c = text_[at_];
    if (is_digit(c) || c == '.') return number();
    if (begins_name(c)) return name_or_call();
    if (accept('(')) {
      std::size_t opened = at_ - 1;
      TRY(Expr inner, sum_of_terms());
      if (!accept(')')) return fail("this ( is not closed", opened);
      return inner;
    }
    return fail(std::string("unexpected \"") + c + "\" where a number, a name or ( should stand", at_);
  }

  Result<Expr> number() {
    double value = 0;
    const char* begin = text_.data() + at_;
    auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range || (error == std::errc{} && !std::isfinite(value)))
      return fail("the number is too large or too small", at_);
    if (error != std::errc{}) return fail("this is no number", at_);
    std::string digits(begin, end);
    at_ += digits.size();
    if (at_ < text_.size() && (begins_name(text_[at_]) || text_[at_] == '.'))
      return fail("unexpected \"" + std::string(1, text_[at_]) + "\" after a number; write * between factors", at_);
    return exact_decimal(digits).value_or(Expr(value));
  }

  // Decimals with at most nine places and fifteen digits stay fractions.
  static std::optional<Expr> exact_decimal(const std::string& digits) {
    std::size_t point = digits.find('.');
    if (digits.size() > 15 || digits.find_first_not_of("0123456789.") != digits.npos) return {};
    std::size_t places = point == digits.npos ? 0 : digits.size() - point - 1;
    if (places > 9) return {};
    std::int64_t top = 0, bottom = 1;
    for (char c : digits)
      if (c != '.') top = 10 * top + (c - '0');
    for (std::size_t i = 0; i < places; i++) bottom *= 10;
    return Expr(fraction(top, bottom));
  }

  std::string name() {
    std::size_t begin = at_;
    while (at_ < text_.size() && in_name(text_[at_])) at_++;
    return text_.substr(begin, at_ - begin);
  }

  Result<Expr> name_or_call() {
    std::size_t place = at_;
    std::string word = name();
    skip_blanks();
    bool called = at_ < text_.size() && text_[at_] == '(';
    if (!called) {
      if (function_named(word) || word == "sqrt" || word == "sum") return fail("the function " + word + " needs arguments in ( )", place);
      return symbol(word);
    }
    if (word == "sum") return summation(place);
    auto function = function_named(word);
    if (!function && word != "sqrt")
      return fail("there is no function \"" + word + "\"; there are log, log2, exp, sqrt, floor, ceil, abs, min, max, mod, step, pick, sum", place);
    TRY(std::vector<Expr> arguments, argument_list());
    if (!function) {
      if (arguments.size() != 1) return fail("sqrt takes one argument", place);
      return power(arguments[0], Expr(fraction(1, 2)));
    }
    if (!takes(*function, arguments.size())) return fail("wrong number of arguments for " + word, place);
    return limited(call(*function, std::move(arguments)));
  }

  Result<std::vector<Expr>> argument_list() {
    std::size_t opened = at_++;
    std::vector<Expr> arguments;
    do {
      TRY(Expr argument, sum_of_terms());
      arguments.push_back(std::move(argument));
    } while (accept(','));
    if (!accept(')')) return fail("this ( is not closed", opened);
    return arguments;
  }

  Result<Expr> summation(std::size_t place) {
    TRY(std::vector<Expr> arguments, argument_list());
    if (arguments.size() != 4 || arguments[0].kind() != Kind::symbol)
      return fail("sum takes a name, where it begins and ends, and what is added: sum(i, 1, N, i^2)", place);
    auto closed = sum_over(arguments[3], arguments[0].node().name, arguments[1], arguments[2]);
    if (!closed) return fail(closed.error().what, place);
    return limited(std::move(*closed));
  }

  const std::string& text_;
  const std::string& name_;
  const ParseLimits& limits_;
  std::size_t at_ = 0, depth_ = 0;
};

}  // namespace

Result<Expr> parse(const std::string& text, const std::string& name, const ParseLimits& limits) {
  return Parser(text, name, limits).whole_text();
}

Expr parse_trusted(const std::string& text) {
  auto parsed = parse(text);
  ensure(parsed.has_value(), "an expression of our own making cannot be read");
  return *parsed;
}

bool is_symbol_name(const std::string& text) {
  if (text.empty() || !begins_name(text[0]) || text == "sqrt" || text == "sum" || function_named(text)) return false;
  for (char c : text)
    if (!in_name(c)) return false;
  return true;
}

}  // namespace perfcast::expr

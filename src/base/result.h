// Errors of the world (a file, a permission, an unsupported program) travel as values: every function that can meet
// one returns Result<T>. Our own mistakes are assertions (assert.h); partial knowledge is a Gap in a record.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace perfcast {

// What kind of trouble this is; the command line turns it into the exit code.
enum class Trouble {
  no,     // the answer is no: a check or gate failed (exit 1)
  usage,  // the command was given wrongly (exit 2)
  unfit,  // the input or the environment is not fit (exit 3)
};

struct Error {
  std::string what;      // "cannot read the machine file"
  std::string where;     // "toy.machine.json: /core/clock_ghz"
  std::string try_this;  // "run perfcast characterize first"
  Trouble kind = Trouble::unfit;

  bool operator==(const Error&) const = default;
  std::string message() const {
    std::string text = where.empty() ? what : where + ": " + what;
    return try_this.empty() ? text : text + "\n  try: " + try_this;
  }
};

template <class T>
using Result = std::expected<T, Error>;
using Status = std::expected<void, Error>;

inline std::unexpected<Error> unfit(std::string what, std::string where = {}, std::string try_this = {}) {
  return std::unexpected(Error{std::move(what), std::move(where), std::move(try_this), Trouble::unfit});
}
inline std::unexpected<Error> wrong_usage(std::string what, std::string try_this = {}) {
  return std::unexpected(Error{std::move(what), {}, std::move(try_this), Trouble::usage});
}

}  // namespace perfcast

// TRY(auto x, f()): x is the value of f(), or this function returns f's error.
#define PERFCAST_JOIN_(a, b) a##b
#define PERFCAST_JOIN(a, b) PERFCAST_JOIN_(a, b)
#define TRY(declaration, expression) TRY_(declaration, expression, PERFCAST_JOIN(try_result_, __LINE__))
#define TRY_(declaration, expression, name)                \
  auto name = (expression);                                \
  if (!name) return std::unexpected(std::move(name).error()); \
  declaration = std::move(*name)
// CHECK_OK(f()): returns f's error, if there is one.
#define CHECK_OK(expression)                                                             \
  if (auto check_ok = (expression); !check_ok) return std::unexpected(std::move(check_ok).error())

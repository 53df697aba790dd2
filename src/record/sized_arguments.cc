#include "record/sized_arguments.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace perfcast {
namespace {

std::optional<double> number_of(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end || !std::isfinite(value)) return {};
  return value;
}

// Where the number begins: after "NAME=", or after a dash and a letter. Digits that end a name (run12) are part of it.
std::size_t number_at(const std::string& argument) {
  if (auto equals = argument.rfind('='); equals != std::string::npos) return equals + 1;
  const bool short_option = argument.size() > 2 && argument[0] == '-' && std::isalpha(static_cast<unsigned char>(argument[1]));
  return short_option ? 2 : 0;
}

std::string argument_text(double value) { return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{}", value); }

constexpr const char* elsewhere = "a size read from a file, standard input or the environment is no parameter: let an argument give it";

Result<double> value_of(const std::vector<std::string>& arguments, const std::string& name, int number) {
  const std::string asked = fmt::format("--param {}=ARG{}: ", name, number);
  if (number < 1 || static_cast<std::size_t>(number) > arguments.size())
    return wrong_usage(asked + fmt::format("the program is given {} argument{}", arguments.size(), arguments.size() == 1 ? "" : "s"),
                       std::string("perfcast analyze prog.c --param N=ARG1 -- 1000; ") + elsewhere);
  const std::string& text = arguments[static_cast<std::size_t>(number - 1)];
  const auto value = number_of(text.substr(number_at(text)));
  if (!value) return wrong_usage(asked + "\"" + text + "\" is not a number", elsewhere);
  if (!(*value > 0)) return wrong_usage(asked + text + " is not a size", "record a run with a size above zero");
  return *value;
}

}  // namespace

Result<std::map<std::string, double>> parameter_values(const std::vector<std::string>& arguments, const std::map<std::string, int>& parameters) {
  std::map<std::string, double> values;
  for (const auto& [name, number] : parameters) {
    TRY(values[name], value_of(arguments, name, number));
  }
  return values;
}

std::vector<std::string> arguments_at(std::vector<std::string> arguments, const std::map<std::string, int>& parameters,
                                      const std::map<std::string, double>& values) {
  for (const auto& [name, number] : parameters) {
    auto value = values.find(name);
    if (value == values.end() || number < 1 || static_cast<std::size_t>(number) > arguments.size()) continue;
    std::string& argument = arguments[static_cast<std::size_t>(number - 1)];
    argument = argument.substr(0, number_at(argument)) + argument_text(value->second);
  }
  return arguments;
}

}  // namespace perfcast

#include "base/json.h"

#include <cmath>

#include "base/files.h"

namespace perfcast {
namespace {

// Deeper nesting than any record has; a hostile file must not exhaust the stack.
constexpr int deepest_nesting = 200;
// Numbers beyond this are refused and those below its inverse read as 0, so that what is computed from a few of them
// stays finite.
constexpr double largest_number = 1e60;

std::string line_and_column(const std::string& text, std::size_t byte) {
  std::size_t line = 1, column = 1;
  for (std::size_t i = 0; i + 1 < byte && i < text.size(); i++) {
    column++;
    if (text[i] == '\n') line++, column = 1;
  }
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

}  // namespace

Result<Json> parse_json(const std::string& text, const std::string& name) {
  bool too_deep = false, too_large = false;
  auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > deepest_nesting) too_deep = true;
    if (event == Json::parse_event_t::value && parsed.is_number_float()) {
      const double size = std::abs(parsed.get<double>());
      if (!(size <= largest_number)) too_large = true;
      if (size * largest_number < 1) parsed = 0;
    }
    return !too_deep && !too_large;
  };
  try {
    Json json = Json::parse(text, watch);
    if (too_deep) return unfit("this JSON is nested more than 200 levels deep", name);
    if (too_large) return unfit("this JSON holds a number beyond 1e60", name);
    return json;
  } catch (const nlohmann::json::parse_error& error) {
    return unfit("this is not valid JSON (" + line_and_column(text, error.byte) + ")", name,
                 "check that the file is complete and was written by perfcast or follows docs/formats.md");
  } catch (const nlohmann::json::exception& error) {
    return unfit(std::string("this JSON cannot be read: ") + error.what(), name);
  }
}

Result<Json> read_json_file(const std::string& path) {
  TRY(std::string text, read_file(path));
  return parse_json(text, path);
}

}  // namespace perfcast

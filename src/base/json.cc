#include "base/json.h"

#include "base/files.h"

namespace perfcast {
namespace {

// Deeper nesting than any record has; a hostile file must not exhaust the stack.
constexpr int deepest_nesting = 200;

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
  bool too_deep = false;
  auto watch_depth = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > deepest_nesting) too_deep = true;
    return !too_deep;
  };
  try {
    Json json = Json::parse(text, watch_depth);
    if (too_deep) return unfit("this JSON is nested more than 200 levels deep", name);
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

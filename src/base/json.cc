#include "base/json.h"

#include <algorithm>
#include <cmath>

#include "base/files.h"

namespace perfcast {
namespace {

// Deeper nesting than any record has; a hostile file must not exhaust the stack.
constexpr std::size_t deepest_nesting = 200;
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

// Receives what the parser finds and builds the tree. nlohmann's own builder looks through an object for each new key, so
// that a large one takes quadratic time; here a key that stands twice is found when the object ends.
class TreeBuilder : public nlohmann::json_sax<Json> {
 public:
  Json root;
  std::string refused;         // why we do not take it; empty when the text is no JSON at all
  std::size_t error_byte = 0;  // where the parser stopped

  bool null() override { return put(nullptr) != nullptr; }
  bool boolean(bool value) override { return put(value) != nullptr; }
  bool number_integer(std::int64_t value) override { return put(value) != nullptr; }
  bool number_unsigned(std::uint64_t value) override { return put(value) != nullptr; }
  bool number_float(double value, const std::string&) override {
    if (!(std::abs(value) <= largest_number)) return refuse("this JSON holds a number beyond 1e60");
    return (std::abs(value) * largest_number < 1 ? put(0) : put(value)) != nullptr;
  }
  bool string(std::string& value) override { return put(std::move(value)) != nullptr; }
  bool binary(Json::binary_t&) override { return refuse("this JSON holds binary data"); }
  bool key(std::string& name) override {
    key_ = std::move(name);
    return true;
  }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override {
    const auto& members = open_.back()->get_ref<const Json::object_t&>();
    open_.pop_back();
    auto twice = repeated_key(members);
    return twice ? refuse("this JSON holds the key \"" + *twice + "\" twice in one object") : true;
  }
  bool end_array() override {
    open_.pop_back();
    return true;
  }
  bool parse_error(std::size_t byte, const std::string&, const nlohmann::json::exception& error) override {
    error_byte = byte;
    constexpr int number_out_of_range = 406;
    if (error.id == number_out_of_range) refuse("this JSON holds a number beyond 1e60");
    return false;
  }

 private:
  // Elements of an open list or object stay where they are until it ends: nothing is added to what lies around it.
  Json* put(Json value) {
    if (open_.empty()) return &(root = std::move(value));
    if (open_.back()->is_array()) return &open_.back()->get_ref<Json::array_t&>().emplace_back(std::move(value));
    return &open_.back()->get_ref<Json::object_t&>().emplace_back(std::move(key_), std::move(value)).second;
  }
  bool open(Json empty) {
    if (open_.size() >= deepest_nesting) return refuse("this JSON is nested more than 200 levels deep");
    open_.push_back(put(std::move(empty)));
    return true;
  }
  bool refuse(std::string why) {
    refused = std::move(why);
    return false;
  }
  static std::optional<std::string> repeated_key(const Json::object_t& members) {
    constexpr std::size_t few = 12;  // compared with each other; more are sorted
    std::vector<const std::string*> names;
    if (members.size() > few) {
      for (const auto& member : members) names.push_back(&member.first);
      std::ranges::sort(names, {}, [](const std::string* name) -> const std::string& { return *name; });
      for (std::size_t i = 1; i < names.size(); i++)
        if (*names[i - 1] == *names[i]) return *names[i];
      return {};
    }
    for (auto one = members.begin(); one != members.end(); ++one)
      for (auto other = members.begin(); other != one; ++other)
        if (one->first == other->first) return one->first;
    return {};
  }

  std::vector<Json*> open_;  // lists and objects that have begun and not ended
  std::string key_;
};

}  // namespace

Result<Json> parse_json(const std::string& text, const std::string& name) {
  TreeBuilder tree;
  if (Json::sax_parse(text, &tree)) return std::move(tree.root);
  if (!tree.refused.empty()) return unfit(tree.refused, name);
  return unfit("this is not valid JSON (" + line_and_column(text, tree.error_byte) + ")", name,
               "check that the file is complete and was written by perfcast or follows docs/formats.md");
}

Result<Json> read_json_file(const std::string& path) {
  TRY(std::string text, read_file(path));
  return parse_json(text, path);
}

}  // namespace perfcast

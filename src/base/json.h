// JSON files as records. A record lists its fields once, in the order they are written:
//
//   template <class Fields> void describe(Fields& f, Pipe& p) { f.need("name", p.name); f("width", p.width); }
//
// and that one list both writes and reads it. `need` marks a key that must be there; a plain field may be missing
// when read and keeps its default. Empty optionals and empty containers are not written. A wrong type or a missing
// key is an error that names the place ("/core/pipes/2/width"). Numbers are written shortest-exact; NaN is a bug.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/assert.h"
#include "base/result.h"
#include "base/units.h"

namespace perfcast {

using Json = nlohmann::ordered_json;

// Parses text; an error names the line and column in `name`.
Result<Json> parse_json(const std::string& text, const std::string& name);
Result<Json> read_json_file(const std::string& path);

// Enumerations are written as words: specialise with `static constexpr std::pair<E, const char*> words[]`.
template <class E>
struct EnumWords;
template <class E>
const char* word_of(E value) {
  for (auto& [candidate, word] : EnumWords<E>::words)
    if (candidate == value) return word;
  throw Bug("an enumeration value without a word");
}
template <class E>
std::optional<E> from_word(const std::string& text) {
  for (auto& [candidate, word] : EnumWords<E>::words)
    if (text == word) return candidate;
  return {};
}

// Thrown inside the reader only, and turned into an Error at its edge (read_record).
struct JsonMismatch {
  std::string place, what;
};

class JsonWriter;
class JsonReader;
template <class T>
Json to_json_value(const T& value);
template <class T>
void from_json_value(const Json& json, T& value, const std::string& place);

class JsonWriter {
 public:
  static constexpr bool reading = false;
  Json json = Json::object();
  template <class T>
  void operator()(const char* key, T& value) {
    if (!is_empty(value)) json[key] = to_json_value(value);
  }
  template <class T>
  void need(const char* key, T& value) { json[key] = to_json_value(value); }

 private:
  template <class T>
  static bool is_empty(const T& value) {
    if constexpr (requires { value.has_value(); }) return !value.has_value();
    else if constexpr (requires { value.empty(); }) return value.empty();
    else return false;
  }
};

class JsonReader {
 public:
  static constexpr bool reading = true;
  JsonReader(const Json& json, std::string place) : json_(json), place_(std::move(place)) {
    if (!json.is_object()) throw JsonMismatch{place_, "expected an object"};
  }
  template <class T>
  void operator()(const char* key, T& value) {
    if (auto it = json_.find(key); it != json_.end()) from_json_value(*it, value, place_ + "/" + key);
  }
  template <class T>
  void need(const char* key, T& value) {
    auto it = json_.find(key);
    if (it == json_.end()) throw JsonMismatch{place_ + "/" + key, "is missing"};
    from_json_value(*it, value, place_ + "/" + key);
  }

 private:
  const Json& json_;
  std::string place_;
};

namespace json_detail {
template <class T> struct IsVector : std::false_type {};
template <class T, class A> struct IsVector<std::vector<T, A>> : std::true_type {};
template <class T> struct IsMap : std::false_type {};
template <class T, class C, class A> struct IsMap<std::map<std::string, T, C, A>> : std::true_type {};
template <class T> struct IsOptional : std::false_type {};
template <class T> struct IsOptional<std::optional<T>> : std::true_type {};
template <class T> struct IsArray : std::false_type {};
template <class T, std::size_t n> struct IsArray<std::array<T, n>> : std::true_type {};
template <class T> struct IsQuantity : std::false_type {};
template <class U> struct IsQuantity<Quantity<U>> : std::true_type {};
}  // namespace json_detail

// A record whose JSON is not an object (a count that is a bare number) gives its own pair, found by name lookup:
// `Json shape_to_json(const T&)` and `void shape_from_json(const Json&, T&, const std::string& place)`.
template <class T>
concept HasShape = requires(const T& c, T& v, const Json& j, const std::string& p) {
  shape_to_json(c);
  shape_from_json(j, v, p);
};

template <class T>
Json to_json_value(const T& value) {
  using namespace json_detail;
  if constexpr (std::is_same_v<T, Json>) {
    return value;
  } else if constexpr (HasShape<T>) {
    return shape_to_json(value);
  } else if constexpr (std::is_enum_v<T>) {
    return word_of(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    ensure(std::isfinite(value), "a number in a record is not finite");
    // Whole numbers are written without a fraction: counts stay readable and exact.
    if (value == std::floor(value) && std::abs(value) < 9e15) return static_cast<std::int64_t>(value);
    return value;
  } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (IsQuantity<T>::value) {
    return to_json_value(value.value);
  } else if constexpr (IsOptional<T>::value) {
    return value ? to_json_value(*value) : Json(nullptr);
  } else if constexpr (IsVector<T>::value || IsArray<T>::value) {
    Json array = Json::array();
    for (const auto& element : value) array.push_back(to_json_value(element));
    return array;
  } else if constexpr (IsMap<T>::value) {
    Json object = Json::object();
    for (const auto& [key, element] : value) object[key] = to_json_value(element);
    return object;
  } else {
    JsonWriter writer;
    describe(writer, const_cast<T&>(value));  // describe only reads when it is given a writer
    return std::move(writer.json);
  }
}

template <class T>
void from_json_value(const Json& json, T& value, const std::string& place) {
  using namespace json_detail;
  if constexpr (std::is_same_v<T, Json>) {
    value = json;
  } else if constexpr (HasShape<T>) {
    shape_from_json(json, value, place);
  } else if constexpr (std::is_enum_v<T>) {
    if (!json.is_string()) throw JsonMismatch{place, "expected a word"};
    auto found = from_word<T>(json.template get<std::string>());
    if (!found) throw JsonMismatch{place, "unknown word \"" + json.template get<std::string>() + "\""};
    value = *found;
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!json.is_boolean()) throw JsonMismatch{place, "expected true or false"};
    value = json.template get<bool>();
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!json.is_number()) throw JsonMismatch{place, "expected a number"};
    value = json.template get<T>();
    if (!std::isfinite(value)) throw JsonMismatch{place, "the number is too large"};
  } else if constexpr (std::is_integral_v<T>) {
    if (!json.is_number_integer()) throw JsonMismatch{place, "expected a whole number"};
    value = json.template get<T>();
    if (Json(value) != json) throw JsonMismatch{place, "the number is out of range"};
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!json.is_string()) throw JsonMismatch{place, "expected text"};
    value = json.template get<std::string>();
  } else if constexpr (IsQuantity<T>::value) {
    from_json_value(json, value.value, place);
  } else if constexpr (IsOptional<T>::value) {
    if (json.is_null()) value.reset();
    else from_json_value(json, value.emplace(), place);
  } else if constexpr (IsVector<T>::value) {
    if (!json.is_array()) throw JsonMismatch{place, "expected a list"};
    value.clear();
    value.reserve(json.size());
    for (std::size_t i = 0; i < json.size(); i++) {
      typename T::value_type element{};
      from_json_value(json[i], element, place + "/" + std::to_string(i));
      value.push_back(std::move(element));
    }
  } else if constexpr (IsArray<T>::value) {
    if (!json.is_array() || json.size() != value.size())
      throw JsonMismatch{place, "expected a list of " + std::to_string(value.size())};
    for (std::size_t i = 0; i < value.size(); i++) from_json_value(json[i], value[i], place + "/" + std::to_string(i));
  } else if constexpr (IsMap<T>::value) {
    if (!json.is_object()) throw JsonMismatch{place, "expected an object"};
    value.clear();
    for (const auto& [key, element] : json.items()) from_json_value(element, value[key], place + "/" + key);
  } else {
    JsonReader reader(json, place);
    describe(reader, value);
  }
}

}  // namespace perfcast

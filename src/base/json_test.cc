#include "base/json.h"

#include <gtest/gtest.h>

namespace perfcast {
namespace {

enum class Colour { red, green };
struct Wheel {
  std::string name;
  int spokes = 0;
  std::optional<double> weight;
  std::vector<double> radii;
  std::map<std::string, int> parts;
  Colour colour = Colour::red;
  bool operator==(const Wheel&) const = default;
};
template <class Fields>
void describe(Fields& f, Wheel& w) {
  f.need("name", w.name), f("spokes", w.spokes), f("weight", w.weight), f("radii", w.radii), f("parts", w.parts),
      f("colour", w.colour);
}

std::string mismatch(const std::string& text) {
  Wheel wheel;
  try {
    from_json_value(*parse_json(text, "test"), wheel, "");
  } catch (const JsonMismatch& m) {
    return m.place + " " + m.what;
  }
  return "none";
}

}  // namespace

template <>
struct EnumWords<Colour> {
  static constexpr std::pair<Colour, const char*> words[] = {{Colour::red, "red"}, {Colour::green, "green"}};
};

TEST(Json, WriteThenReadIsIdentity) {
  Wheel wheel{"front", 32, 1.5, {0.1, 2}, {{"hub", 1}}, Colour::green}, back;
  from_json_value(to_json_value(wheel), back, "");
  EXPECT_EQ(wheel, back);
  EXPECT_EQ(to_json_value(Wheel{"x", 1, {}, {}, {}, Colour::red}).dump(), R"({"name":"x","spokes":1,"colour":"red"})");
}

TEST(Json, MismatchesNameThePlace) {
  EXPECT_EQ(mismatch(R"({"spokes":1})"), "/name is missing");
  EXPECT_EQ(mismatch(R"({"name":"a","spokes":1.5})"), "/spokes expected a whole number");
  EXPECT_EQ(mismatch(R"({"name":"a","spokes":99999999999})"), "/spokes the number is out of range");
  EXPECT_EQ(mismatch(R"({"name":"a","radii":[1,"b"]})"), "/radii/1 expected a number");
  EXPECT_EQ(mismatch(R"({"name":"a","parts":{"hub":null}})"), "/parts/hub expected a whole number");
  EXPECT_EQ(mismatch(R"({"name":"a","colour":"blue"})"), "/colour unknown word \"blue\"");
  EXPECT_EQ(mismatch(R"([1])"), " expected an object");
}

TEST(Json, BrokenTextNamesTheLine) {
  auto result = parse_json("{\n\"a\": }", "file.json");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().where, "file.json");
  EXPECT_NE(result.error().what.find("line 2"), std::string::npos);
}

TEST(Json, EndlessNestingIsRefused) {
  EXPECT_FALSE(parse_json(std::string(100000, '[') + std::string(100000, ']'), "deep"));
}

TEST(Json, NotANumberIsABug) { EXPECT_THROW(to_json_value(std::nan("")), Bug); }

}  // namespace perfcast

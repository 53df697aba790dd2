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

TEST(Json, HugeAndTinyNumbers) {
  EXPECT_FALSE(parse_json("[1e61]", "huge"));
  EXPECT_FALSE(parse_json("[-1e400]", "huge"));
  EXPECT_EQ((*parse_json("[1e-70, 1e-50]", "tiny"))[0], 0);
}

TEST(Json, TheTreeIsAsNlohmannBuildsIt) {
  for (const char* text : {"null", "-3", "18446744073709551615", "\"a\\u00e9\"", "[]", "{}", "[[],[{}],[[1,2.5],true]]",
                           R"({"b":{"x":[1,{"y":null}]},"a":"text","c":[{"p":1,"q":2},{"p":3}]})"})
    EXPECT_EQ(parse_json(text, "test")->dump(), Json::parse(text).dump());
}

TEST(Json, AKeyThatStandsTwiceIsRefused) {
  auto few = parse_json(R"({"a": 1, "b": 2, "a": 3})", "twice");
  ASSERT_FALSE(few);
  EXPECT_NE(few.error().what.find("\"a\" twice"), std::string::npos);
  std::string many = "{\"x\": 0";
  for (int i = 0; i < 100000; i++) many += ", \"k" + std::to_string(i) + "\": 1";
  EXPECT_TRUE(parse_json(many + "}", "many"));  // at once: one key is not compared with all others
  EXPECT_FALSE(parse_json(many + ", \"k5\": 2}", "many"));
}

TEST(Json, NotANumberIsABug) { EXPECT_THROW(to_json_value(std::nan("")), Bug); }

}  // namespace perfcast

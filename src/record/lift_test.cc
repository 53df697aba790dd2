// Files of older versions: lifted step by step, refused where no step leads, and the first shape of every format still read.
#include "record/lift.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "record/bounds.h"
#include "record/choice.h"
#include "record/demand.h"
#include "record/dilation.h"
#include "record/equation.h"
#include "record/gate.h"
#include "record/machine.h"
#include "record/network.h"
#include "record/prediction.h"
#include "record/profile.h"
#include "record/record_file.h"
#include "record/use_tree.h"
#include "record/validation.h"

namespace perfcast {
namespace {

// A record in its third version: the first had its clock in Hz, the second named it "rate_ghz".
struct Sample {
  static constexpr const char* format = "perfcast.sample";
  static constexpr int version = 3;
  double clock_ghz = 0;
  bool operator==(const Sample&) const = default;
};
template <class Fields>
void describe(Fields& f, Sample& sample) {
  f.need("clock_ghz", sample.clock_ghz);
}

const Lift steps[] = {
    {"perfcast.other", 1, [](Json&) { FAIL() << "a step of another format"; }},
    {"perfcast.sample", 2, [](Json& file) { file["clock_ghz"] = file.at("rate_ghz"); }},
    {"perfcast.sample", 1, [](Json& file) { file["rate_ghz"] = file.at("clock").get<double>() / 1e9; }},
};

Result<Sample> read(const std::string& text, std::span<const Lift> with = steps) {
  return record_from_json<Sample>(*parse_json(text, "s.json"), "s.json", with);
}

// The record in `file`, written and read again.
template <class Record>
void expect_read(const Json& file, const std::string& name) {
  auto record = record_from_json<Record>(file, name);
  ASSERT_TRUE(record) << record.error().message();
  auto again = record_from_json<Record>(*parse_json(record_text(*record), name), name);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(*again, *record) << name;
}

// Every version below a format's own has its step.
template <class... Records>
void expect_steps() {
  const auto all = lifts();
  auto has = [&](std::string_view format, int from) { return std::ranges::any_of(all, [&](const Lift& lift) { return lift.format == format && lift.from == from; }); };
  auto check = [&](std::string_view format, int version) {
    for (int from = 1; from < version; ++from) EXPECT_TRUE(has(format, from)) << format << " " << from;
  };
  (check(Records::format, Records::version), ...);
}

}  // namespace

TEST(Lift, StepsFollowOneAnother) {
  for (auto text : {R"({"format":"perfcast.sample","version":1,"clock":2.5e9})", R"({"format":"perfcast.sample","version":2,"rate_ghz":2.5})",
                    R"({"format":"perfcast.sample","version":3,"clock_ghz":2.5})"}) {
    auto sample = read(text);
    ASSERT_TRUE(sample) << sample.error().message();
    EXPECT_EQ(sample->clock_ghz, 2.5) << text;
  }
}

TEST(Lift, AFileThatIsNotWhatItsVersionSaysIsRefused) {
  for (auto text : {R"({"format":"perfcast.sample","version":1})", R"({"format":"perfcast.sample","version":1,"clock":"fast"})"}) {
    auto sample = read(text);
    ASSERT_FALSE(sample);
    EXPECT_EQ(sample.error().what, "the file is not of version 1 of perfcast.sample as it says");
    EXPECT_EQ(sample.error().where, "s.json");
  }
}

TEST(Lift, WhereNoStepLeadsTheVersionIsNamed) {
  auto sample = read(R"({"format":"perfcast.sample","version":1,"clock":2.5e9})", std::span(steps).first(2));
  ASSERT_FALSE(sample);
  EXPECT_EQ(sample.error().what, "version 1 of perfcast.sample is no longer read");
  for (auto version : {"0", "-1", "4", "99999999999999999999", "1.5", "\"2\"", "null"})
    EXPECT_FALSE(read(std::string(R"({"format":"perfcast.sample","clock":1,"rate_ghz":1,"clock_ghz":1,"version":)") + version + "}")) << version;
}

TEST(Lift, EveryOldVersionHasItsStep) {
  expect_steps<Machine, Profile, Prediction, Bounds, Equation, UseTree, Dilation, Validation, DemandProfile, CostFile, Network, ParallelPlan, Choice, Gate>();
}

TEST(Lift, TheFirstShapeOfEveryFormatIsRead) {
  int read_files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(PERFCAST_SOURCE_DIR "/tests/formats")) {
    const std::string name = entry.path();
    auto file = read_json_file(name);
    ASSERT_TRUE(file) << name;
    const std::string format = format_of(*file);
    if (format == Machine::format) expect_read<Machine>(*file, name);
    else if (format == Profile::format) expect_read<Profile>(*file, name);
    else if (format == Prediction::format) expect_read<Prediction>(*file, name);
    else if (format == Bounds::format) expect_read<Bounds>(*file, name);
    else if (format == UseTree::format) expect_read<UseTree>(*file, name);
    else if (format == DemandProfile::format) expect_read<DemandProfile>(*file, name);
    else if (format == CostFile::format) expect_read<CostFile>(*file, name);
    else if (format == Network::format) expect_read<Network>(*file, name);
    else if (format == Equation::format) expect_read<Equation>(*file, name);
    else if (format == ParallelPlan::format) expect_read<ParallelPlan>(*file, name);
    else if (format == Choice::format) expect_read<Choice>(*file, name);
    else FAIL() << name << ": no record for " << format;
    ++read_files;
  }
  EXPECT_GE(read_files, 11);
}

}  // namespace perfcast

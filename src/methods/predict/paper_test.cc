// The tables of Saavedra 1988 (NASA CR-177511), recomputed from the bundled machines and profiles.
#include <gtest/gtest.h>

#include <cmath>

#include "methods/predict/predict.h"
#include "record/library.h"
#include "record/record_file.h"

namespace perfcast::predict {
namespace {

// Columns of the tables, as data/paper calls them and as the bundled machines are named.
constexpr std::pair<const char*, const char*> columns[] = {
    {"CRAY", "cray-x-mp-48"}, {"CYBER", "cyber-205"}, {"IBM", "ibm-3090-200"},  {"Amdahl", "amdahl-5840"},
    {"Convex", "convex-c1"},  {"V8600", "vax-8600"},  {"V785", "vax-11-785"},   {"V780", "vax-11-780"},
    {"Sun", "sun-3-50"},      {"RT", "ibm-rt-pc-125"}};

Machine machine_named(const std::string& name) {
  auto machine = find_machine(std::string(PERFCAST_SOURCE_DIR) + "/data/machines/" + name + ".machine.json");
  EXPECT_TRUE(machine) << machine.error().message();
  return machine.value_or(Machine{});
}

Profile profile_named(std::string program) {
  for (char& c : program) c = static_cast<char>(std::tolower(c));
  auto profile = find_profile(std::string(PERFCAST_SOURCE_DIR) + "/data/profiles/saavedra-" + program + ".profile.json");
  EXPECT_TRUE(profile) << profile.error().message();
  return profile.value_or(Profile{});
}

ModelPrediction hllc(const Profile& profile, const Machine& machine) {
  PredictOptions options;
  options.models = {Model::hllc};
  auto result = predict(profile, std::span(&machine, 1), options);
  EXPECT_TRUE(result) << result.error().message();
  return result ? result->predictions[0] : ModelPrediction{};
}

Json printed() { return read_json_file(std::string(PERFCAST_SOURCE_DIR) + "/data/paper/predictions.json").value(); }

// Percent by which the recomputed sum differs from the printed prediction, or seconds (marked s) where no printed
// prediction survives. What is far from zero is said in data/paper and not bent: doubtful cells of the scan, and the
// Amdahl's simpler model. Whetstone's printed rows lack its intrinsic functions.
struct Line {
  const char* program;
  std::vector<double> percent;
};
constexpr double s = 1e9;  // added to seconds
const Line matrix[] = {
    {"Alamos", {-0.0, -0.0, -5.8, -9.1, 0.0, 7.4, 0.8, 0.3, s + 6031, 3.5}},
    {"Baskett", {1.1, 24.8, 4.0, -27.3, -0.6, 0.3, 0.8, 6.9, -0.3, 6.9}},
    {"Erathostenes", {4.8, s + .1469, s + .1369, s + .2975, s + .578, s + .6365, s + 1.724, s + 2.405, s + 1.554, s + 1.459}},
    {"Linpack", {s + 8.301, s + 14.29, s + 8.889, s + 38.48, s + 31.59, s + 35.66, s + 105, s + 228, s + 743, s + 439.8}},
    {"Livermore", {0.0, -7.3, 1.5, s + 71.38, -5.8, -8.1, -1.9, -3.3, -5.7, -1.9}},
    {"Mandelbrot", {0.0, 0.3, -4.2, -27.9, 0.0, 5.9, -0.1, 0.1, 1.7, 0.5}},
    {"NAS", {s + 614.9, s + 1501, s + 1282, s + 3127, s + 2954, s + 6023, s + 15800, s + 49260, s + 69510, s + 44320}},
    {"Shell", {s + .6067, -0.5, 16.3, -26.1, 0.1, -4.4, 1.7, -4.3, 65.9, 0.9}},
    {"Smith", {-3.7, -22.7, 1.8, -18.1, -0.8, -1.7, -5.5, -6.1, -20.1, -0.6}},
    {"Whetstone", {-7.6, -25.6, -10.2, -51.4, -15.9, -41.9, -40.3, -45.4, -33.8, -8.6}},
};
// With the intrinsic functions that the known program executes (not printed in the report).
const double whetstone_with_intrinsics[] = {0.1, -17.7, 10.3, -51.4, 0.1, -3.8, -1.3, -0.6, -0.2, 0.0};

std::optional<double> printed_seconds(const Json& cell) {
  for (const char* key : {"pred_s", "derived_pred_s"})
    if (cell.contains(key) && cell[key].is_number()) return cell[key].get<double>();
  return {};
}

}  // namespace

TEST(Saavedra, PredictionMatrixOfTables61And62) {
  Json table = printed()["table_6_1_6_2"];
  int compared = 0;
  for (const auto& line : matrix)
    for (std::size_t i = 0; i < std::size(columns); i++) {
      SCOPED_TRACE(std::string(line.program) + " on " + columns[i].second);
      double seconds = hllc(profile_named(line.program), machine_named(columns[i].second)).seconds;
      auto expected = printed_seconds(table.contains(line.program) ? table[line.program].value(columns[i].first, Json::object())
                                                                   : Json::object());
      double want = line.percent[i];
      if (want > s / 2) {
        // The reference is rounded to four digits.
        EXPECT_NEAR(seconds / (want - s), 1, 5.1e-4);
        EXPECT_FALSE(expected);
      } else {
        ASSERT_TRUE(expected);
        EXPECT_NEAR(100 * (seconds / *expected - 1), want, 0.051);
        compared++;
      }
    }
  EXPECT_EQ(compared, 68);
}

TEST(Saavedra, WhetstoneWithItsIntrinsicFunctions) {
  auto profile = profile_named("whetstone");
  auto& usage = profile.source->functions[0].blocks[0].usage;
  usage["EXPS"] = usage["LOGS"] = usage["SQRS"] = 4650, usage["TANS"] = 3200;
  Json table = printed()["table_6_1_6_2"]["Whetstone"];
  for (std::size_t i = 0; i < std::size(columns); i++) {
    SCOPED_TRACE(columns[i].second);
    double seconds = hllc(profile, machine_named(columns[i].second)).seconds;
    EXPECT_NEAR(100 * (seconds / *printed_seconds(table[columns[i].first]) - 1), whetstone_with_intrinsics[i], 0.051);
  }
}

// Figure 6.1 from its own unit costs: time and deviation of each row over its count.
TEST(Saavedra, Figure61FromItsOwnUnitCosts) {
  Json figure = printed()["figure_6_1"];
  Machine machine;
  machine.name = "vax-11-785", machine.source = {{"fortran", "", "", {}}};
  Profile profile;
  profile.run.language = "fortran";
  Block block;
  block.name = "run", block.count.value = 1;
  for (const auto& row : figure["rows"]) {
    double count = row["count"].get<double>();
    Measurement cost;
    cost.value = 1e9 * row["time_s"].get<double>() / count, cost.sd = 1e9 * row["std_s"].get<double>() / count;
    // The time of the two divisions is unreadable; 4200 ns each is table 9.2.
    if (row["param"] == "DRSL") cost.value = 4200;
    machine.source[0].costs[row["param"].get<std::string>()] = cost;
    block.usage[row["param"].get<std::string>()] = count;
  }
  Function function;
  function.name = "mandelbrot", function.blocks = {block};
  profile.source = Graph{{function}};
  auto prediction = hllc(profile, machine);
  EXPECT_NEAR(prediction.seconds, 12.814481, 2e-6);
  EXPECT_NEAR(*prediction.sd, 0.663125, 1e-6);
}

TEST(Saavedra, Figure61FromTheBundledTables) {
  auto prediction = hllc(profile_named("mandelbrot"), machine_named("vax-11-785"));
  EXPECT_NEAR(prediction.seconds / 12.814481, 1, 0.002);
  EXPECT_NEAR(*prediction.sd / 0.663125, 1, 0.002);
}

// Table 7.1, Sun 3/50 against IBM RT-PC/125, where both predictions rest on cells that survive. Left out: Erathostenes
// and Shell (the Sun's ARR1 is in doubt), NAS, Smith and Whetstone (intrinsic functions outside the printed rows).
TEST(Saavedra, Table71RelativePerformance) {
  const std::map<std::string, double> within = {
      {"Mandelbrot", 0.02}, {"Linpack", 0.01}, {"Alamos", 0.04}, {"Livermore", 0.04}, {"Baskett", 0.07}};
  auto sun = machine_named("sun-3-50"), rt = machine_named("ibm-rt-pc-125");
  int compared = 0;
  for (const auto& row : printed()["table_7_1_sun_to_rt"]) {
    std::string program = row["program"];
    if (!within.contains(program)) continue;
    SCOPED_TRACE(program);
    double ratio = hllc(profile_named(program), sun).seconds / hllc(profile_named(program), rt).seconds;
    EXPECT_NEAR(ratio / row["pred"].get<double>(), 1, within.at(program));
    compared++;
  }
  EXPECT_EQ(compared, 5);
}

// Table 7.3, shares of the time of Los Alamos by operation. Left out: the columns that contradict table 9 in the report
// itself (IBM 3090, Amdahl, IBM RT) and the Convex, whose column is lost.
TEST(Saavedra, Table73DistributionOfTime) {
  Json table = printed()["table_7_3_alamos_shares"];
  for (const auto& [column, name] : columns) {
    std::string c = column;
    if (c == "IBM" || c == "Amdahl" || c == "RT" || c == "Convex") continue;
    auto prediction = hllc(profile_named("alamos"), machine_named(name));
    for (std::size_t i = 0; i < table["parameters"].size(); i++) {
      if (table[c][i].is_null()) continue;
      std::string parameter = table["parameters"][i];
      SCOPED_TRACE(parameter + " on " + name);
      double share = 0;
      for (const auto& part : prediction.parts)
        if (part.name == parameter) share = part.seconds / prediction.seconds;
      EXPECT_NEAR(share, table[c][i].get<double>(), 0.0011);
    }
  }
}

}  // namespace perfcast::predict

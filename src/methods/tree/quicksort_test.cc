// The Quicksort study of Lyon & Snelick 1990 (example I). Of the paper's 18 numbers three do not follow from its own
// definitions: 4 fast at 3x is printed 1.38 +- 26 %, which is inconsistent in itself ((1.38 - 1) / 1.38 is 27.5 %) and
// comes out as 1.37 +- 27 %; and the 30 % of 2 fast at 5x, which comes out as 30.68 %.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/paths.h"
#include "methods/tree/observe.h"
#include "methods/tree/tree.h"

namespace perfcast::tree {
namespace {

DemandProfile quicksort() {
  auto demand = read_record<DemandProfile>((bundled_data() / "trees/quicksort-1990.demand.json").string());
  EXPECT_TRUE(demand) << demand.error().message();
  return *demand;
}

struct Cell {
  int fast;
  double speed, best;               // best: unrounded improvement with the best schedule
  double printed, printed_tolerance;
  bool misprinted, tolerance_misprinted;
};
constexpr Cell cells[] = {
    {4, 3, 1.7491, 1.38, 26, true, true},   {4, 5, 2.2585, 1.63, 39, false, false}, {4, 9, 2.9376, 1.97, 49, false, false},
    {2, 3, 1.5377, 1.27, 21, false, false}, {2, 5, 1.8851, 1.44, 30, false, true},  {2, 9, 2.4073, 1.70, 41, false, false},
    {1, 3, 1.3802, 1.19, 16, false, false}, {1, 5, 1.6085, 1.30, 23, false, false}, {1, 9, 1.9553, 1.48, 32, false, false},
};

}  // namespace

TEST(Quicksort, CapacityLaw) {
  EXPECT_NEAR(capacity_of(48, 0.01233), 26.79, 0.005);  // "only 27"
  EXPECT_NEAR(capacity_of(16, 0.01233), 16 * std::pow(0.98767, 15), 1e-12);
  EXPECT_EQ(capacity_of(48, 0.01233, 20), 20);
}

TEST(Quicksort, TheTreeGivesTheOriginalRate) {
  auto tree = make_tree(quicksort());
  ASSERT_TRUE(tree) << tree.error().message();
  EXPECT_NEAR(1 / tree->root.seconds, 8.3735, 5e-5);
  const UseNode& levels = tree->root.children.at(0);
  EXPECT_EQ(levels.children.size(), 8u);
  EXPECT_NEAR(levels.children.back().frequency, 0.854, 1e-12);
  EXPECT_NEAR(*levels.children.back().capacity, 1, 1e-12);
}

TEST(Quicksort, NineCells) {
  TreeOptions options;
  options.upgrades = {"processors=4,2,1@3,5,9"};
  auto tree = make_tree(quicksort(), options);
  ASSERT_TRUE(tree) << tree.error().message();
  ASSERT_EQ(tree->upgrades.size(), 9u);
  for (std::size_t i = 0; i < 9; i++) {
    const Upgrade& u = tree->upgrades[i];
    const Cell& cell = cells[i];
    EXPECT_NEAR(tree->root.seconds / u.best, cell.best, 1e-4) << u.change;
    bool printed = std::abs(std::round(100 * u.improvement) / 100 - cell.printed) < 1e-9;
    bool tolerance = std::abs(std::round(100 * u.tolerance) - cell.printed_tolerance) < 1e-9;
    EXPECT_EQ(printed, !cell.misprinted) << u.change << " " << u.improvement;
    EXPECT_EQ(tolerance, !cell.tolerance_misprinted) << u.change << " " << u.tolerance;
  }
}

// Beyond its peak the capacity law falls: the best schedule then leaves the rest of the new capacity idle.
TEST(Quicksort, FasterProcessorsNeverHarm) {
  TreeOptions options;
  options.upgrades = {"processors=1,16@3,9,100,1000"};
  auto tree = make_tree(quicksort(), options);
  ASSERT_TRUE(tree) << tree.error().message();
  for (const auto& row : tree->processors->improvement)
    for (std::size_t j = 1; j < row.size(); j++) EXPECT_GE(row[j], row[j - 1]);
  EXPECT_GT(tree->processors->improvement[0][0], 1);
}

TEST(Quicksort, SlowerProcessorsAreTakenLastOrFirst) {
  DemandProfile demand;
  demand.program = "two modes", demand.processors = 4, demand.modes = {{2, 0.5, {}, {}}, {4, 0.5, {}, {}}};
  TreeOptions options;
  options.upgrades = {"processors=2@0.5", "processors=4@0.5"};
  auto tree = make_tree(demand, options);
  ASSERT_TRUE(tree) << tree.error().message();
  EXPECT_DOUBLE_EQ(tree->root.seconds, 0.5 / 2 + 0.5 / 4);
  EXPECT_DOUBLE_EQ(tree->upgrades[0].best, 0.5 / 2 + 0.5 / 3);
  EXPECT_DOUBLE_EQ(tree->upgrades[0].worst, 0.5 / 1 + 0.5 / 3);
  EXPECT_DOUBLE_EQ(tree->upgrades[1].speedup, 0.5);
  EXPECT_DOUBLE_EQ(tree->upgrades[1].tolerance, 0);
}

// What can be bought comes first: all processors, half of them, one; less interference; then levels by their time. A ceiling
// that is not reached buys nothing.
TEST(Quicksort, UpgradesAreRanked) {
  auto tree = make_tree(quicksort());
  ASSERT_TRUE(tree && tree->ranking.size() > 5);
  auto place = [&](const std::string& change) {
    return std::ranges::find(tree->ranking, change, &Upgrade::change) - tree->ranking.begin();
  };
  EXPECT_EQ(place("processors=16@2"), 0);
  EXPECT_LT(place("processors=16@2"), place("processors=8@2"));
  EXPECT_LT(place("processors=8@2"), place("processors=1@2"));
  EXPECT_LT(place("levels/16=2"), place("levels/1=2"));
  EXPECT_LT(place("levels/1=2"), place("levels/2=2"));
  EXPECT_LT(place("interference=2"), static_cast<long>(tree->ranking.size()));
  EXPECT_EQ(place("interconnect=2"), static_cast<long>(tree->ranking.size()));
}

// With half the loss, c(p) = p (1 - 0.006165)^(p - 1) for every mode, whatever the schedule.
TEST(Quicksort, LessInterferenceFollowsTheCapacityLaw) {
  DemandProfile demand = quicksort();
  TreeOptions options;
  options.rank = false, options.upgrades = {"interference=2", "interconnect=2"};
  auto tree = make_tree(demand, options);
  ASSERT_TRUE(tree) << tree.error().message();
  double seconds = 0;
  for (const auto& mode : demand.modes) seconds += mode.demand / capacity_of(mode.active, demand.loss / 2, demand.ceiling);
  EXPECT_NEAR(*tree->upgrades[0].costed_again, seconds, 1e-12);
  EXPECT_NEAR(tree->upgrades[0].tolerance, 0, 1e-12);
  EXPECT_DOUBLE_EQ(tree->upgrades[1].speedup, 1);
}

// Four three times and two five times as fast: with the best schedule a mode takes the two first.
TEST(Quicksort, ProcessorsAreCrossedWithOtherUpgrades) {
  DemandProfile demand = quicksort();
  TreeOptions options;
  options.rank = false, options.upgrades = {"processors=4@3", "processors=2@5", "levels/1=2"};
  auto tree = make_tree(demand, options);
  ASSERT_TRUE(tree && tree->crossed) << tree.error().message();
  ASSERT_EQ(tree->crossed->changes, (std::vector<std::string>{"processors=4@3", "processors=2@5", "levels/1=2"}));
  auto best = [&](auto units, double first) {
    double seconds = 0;
    for (const auto& mode : demand.modes)
      seconds += mode.demand / capacity_of(units(mode.active), demand.loss, demand.ceiling) / (mode.active == 1 ? first : 1);
    return tree->root.seconds / seconds;
  };
  auto both = [](int i) { return 5.0 * std::min(i, 2) + 3.0 * std::clamp(i - 2, 0, 4) + std::max(i - 6, 0); };
  auto four = [](int i) { return 3.0 * std::min(i, 4) + std::max(i - 4, 0); };
  EXPECT_NEAR(tree->crossed->speedup[0][1], (1 + best(both, 1)) / 2, 1e-9);
  EXPECT_NEAR(tree->crossed->speedup[2][0], (1 + best(four, 2)) / 2, 1e-9);
  EXPECT_DOUBLE_EQ(tree->crossed->speedup[0][0], tree->upgrades[0].speedup);
}

// When all are replaced no schedule can avoid the new ones.
TEST(Quicksort, AllProcessorsFasterIsNoMatterOfSchedules) {
  DemandProfile demand;
  demand.program = "two modes", demand.processors = 4, demand.modes = {{1, 0.5, {}, {}}, {4, 0.5, {}, {}}};
  TreeOptions options;
  options.rank = false, options.upgrades = {"processors=4@3", "processors=3", "processors=3@3"};
  auto tree = make_tree(demand, options);
  ASSERT_TRUE(tree) << tree.error().message();
  for (std::size_t i : {0u, 1u}) EXPECT_NEAR(tree->upgrades[i].speedup, 3, 1e-12);
  EXPECT_NEAR(tree->upgrades[0].tolerance, 0, 1e-12);
  EXPECT_DOUBLE_EQ(tree->upgrades[2].worst, tree->root.seconds);
}

// More than there are: the faster ones are kept.
TEST(Quicksort, NoMoreProcessorsThanThereAre) {
  TreeOptions options;
  options.rank = false, options.upgrades = {"processors=16@3", "processors=10@5", "processors=3"};
  auto tree = make_tree(quicksort(), options);
  ASSERT_TRUE(tree && tree->crossed) << tree.error().message();
  EXPECT_GE(tree->crossed->speedup[0][1], std::max(tree->upgrades[0].speedup, tree->upgrades[1].speedup));
  EXPECT_DOUBLE_EQ(tree->upgrades[0].speedup, tree->upgrades[2].speedup);
}

// Printed dR/dalpha16 = 8.4 is R itself; when demand moves from 1 to 16 processors it is R (1 - 1/c(16)) R ... = 7.74.
TEST(Quicksort, SensitivityToDemand) {
  DemandProfile demand = quicksort();
  double rate = 1 / make_tree(demand)->root.seconds, step = 1e-6;
  demand.modes.front().demand -= step, demand.modes.back().demand += step;
  double relative = (1 / make_tree(demand)->root.seconds - rate) / step / rate;
  EXPECT_NEAR(relative, rate * (1 - 1 / capacity_of(16, demand.loss)), 1e-3);
  EXPECT_NEAR(relative, 7.74, 0.01);
}

TEST(Quicksort, WrongDemandsAreRefused) {
  DemandProfile demand = quicksort();
  demand.modes.front().demand = 0.5;
  EXPECT_FALSE(make_tree(demand));
  TreeOptions options;
  options.upgrades = {"processors=17@3"};
  EXPECT_FALSE(make_tree(quicksort(), options));
  for (const char* wrong : {"processors=4@", "processors=1000000000000@3", "foo=4@3", "processors=4@1e9"}) {
    options.upgrades = {wrong};
    EXPECT_FALSE(make_tree(quicksort(), options)) << wrong;
  }
}

}  // namespace perfcast::tree

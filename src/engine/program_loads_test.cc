// What a program's loads wait for: memory, stores just before them, and searches that end by surprise.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/program_time.h"
#include "engine/test_core.h"

namespace perfcast::engine {
namespace {

TEST(ProgramLoads, TheHookMakesLoadsSlow) {
  Code code;
  code.load(1, 1, 0), code.branch({1});
  Profile profile;
  profile.program = "chase", profile.forms = code.forms;
  Function main;
  main.name = "main", main.blocks = {block(1e5, code.body, {edge(0, 1e5 - 1)})};
  profile.machine = Graph{{main}};
  SimulationOptions options;
  int asked = 0;
  options.extra_load_cycles = [&](const LoadPlace& place) { return asked++, place.instruction == 0 ? 40.0 : 0.0; };
  auto time = simulate_program(profile, small_machine(), options);
  ASSERT_TRUE(time);
  EXPECT_GT(asked, 100);
  EXPECT_NEAR(time->cycles, 45e5, 1e5);
  EXPECT_GT(time->by_cause[static_cast<std::size_t>(Cause::memory)], 0.9 * time->cycles);
}

// count[key[i]]++: what is counted may be what was counted just before. The code does not tell; the profile does.
TEST(ProgramLoads, ACounterRaisedJustBeforeIsWaitedFor) {
  Code code;
  code.load(3, 6, 0), code.op("ADD64ri8", {6}, {6}).immediate = 8;
  code.load(1, 3, 0), code.op("ADD64rr", {1}, {1, 2}), code.store(1, 3, 0), code.branch({6});
  Function machine, ir;
  machine.name = ir.name = "main";
  machine.blocks = {block(1e5, code.body, {edge(0, 1e5 - 1)})}, machine.blocks[0].from = "body";
  ir.blocks = {block(1e5, {}, {edge(0, 1e5 - 1)})}, ir.blocks[0].name = "body";
  Access key, counter;
  key.bytes = counter.bytes = 8, counter.index = 1, counter.kind = AddressKind::indexed, counter.meetings_seen = true;
  auto cycles = [&](std::vector<DistanceBin> meetings) {
    counter.meetings = std::move(meetings), ir.blocks[0].accesses = {key, counter};
    Profile profile;
    profile.program = "histogram", profile.forms = code.forms;
    profile.ir = Graph{{ir}}, profile.machine = Graph{{machine}};
    auto time = simulate_program(profile, small_machine());
    EXPECT_TRUE(time);
    return time->cycles / 1e5;
  };
  const double apart = cycles({});
  EXPECT_LT(apart, 3);
  EXPECT_NEAR(cycles({{1, 1, 0}}), 7, 0.1);    // 6 to forward, 1 to add
  EXPECT_NEAR(cycles({{2, 1, 0}}), 3.5, 0.1);  // two counters in turn
  const double mostly = cycles({{1, 0.9, 0}});  // chains of ten on average, which overlap
  EXPECT_GT(mostly, apart + 0.5);
  EXPECT_LT(mostly, 5);
  // Nine of ten raise one counter. Who raises another one comes between, but does not end its chain.
  std::vector<DistanceBin> often;
  for (int back = 1; back <= 4; back++) often.push_back({static_cast<double>(back), 0.81 * std::pow(0.1, back - 1), 0});
  EXPECT_NEAR(cycles(often), 0.9 * 7, 0.3);
}

// Back substitution: each row begins with what the last step of the row before stored. The walk takes all rows for equally long, so
// that the code alone finds that store elsewhere; the profile saw it.
TEST(ProgramLoads, ARowThatBeginsWithWhatTheLastOneEndedWith) {
  Code code;
  code.load(1, 6, 0);
  for (int k = 0; k < 4; k++) code.op("MUL64rr", {1}, {1, 2});
  code.load(3, 7, 0), code.op("ADD64rr", {3}, {3, 1}), code.store(3, 7, 0), code.op("ADD64ri8", {7}, {7}).immediate = 8, code.branch({7});
  code.op("ADD64ri8", {6}, {6}).immediate = -8, code.op("MOV64rr", {7}, {8}), code.branch({6});
  constexpr double rows = 1e4, steps = 5.5;
  const auto step = code.body.begin() + 5, end = code.body.end() - 3;
  Function machine, ir;
  machine.name = ir.name = "main";
  machine.blocks = {block(rows, {code.body.begin(), step}, {edge(1, rows)}), block(steps * rows, {step, end}, {edge(1, (steps - 1) * rows), edge(2, rows)}),
                    block(rows, {end, code.body.end()}, {edge(0, rows - 1)})};
  machine.blocks[0].from = "row";
  ir.blocks = {block(rows, {}, {edge(0, rows - 1)})}, ir.blocks[0].name = "row";
  Access load;
  load.bytes = 8, load.meetings_seen = true;
  auto cycles = [&](std::vector<DistanceBin> meetings) {
    load.meetings = std::move(meetings), ir.blocks[0].accesses = {load};
    Profile profile;
    profile.program = "rows", profile.forms = code.forms;
    profile.ir = Graph{{ir}}, profile.machine = Graph{{machine}};
    auto time = simulate_program(profile, small_machine());
    EXPECT_TRUE(time);
    return time->cycles / rows;
  };
  const double apart = cycles({});
  EXPECT_NEAR(cycles({{1, 1, 0}}), 6 + 4 * 3 + 1 + 2, 0.5);  // to forward, to multiply four times, to add: the last of five or six on two ports
  EXPECT_LT(apart, 15);
  EXPECT_EQ(cycles({{40, 1, 0}}), apart);  // too long ago to be waited for
}

// A store to where a slow chain points, and a load elsewhere that feeds the chain. As long as the load never meets the store it goes
// first; where it does now and then, it has to wait until the core knows where the store goes.
TEST(ProgramLoads, ALoadThatLatelyMetAStoreWaitsForItsAddress) {
  Code code;
  code.op("MUL64rr", {3}, {3, 2}), code.store(2, 3, 0);
  code.load(1, 6, 0), code.op("ADD64ri8", {6}, {6}).immediate = 64;
  code.op("ADD64rr", {3}, {3, 1}), code.branch({6});
  Function machine, ir;
  machine.name = ir.name = "main";
  machine.blocks = {block(1e5, code.body, {edge(0, 1e5 - 1)})}, machine.blocks[0].from = "body";
  ir.blocks = {block(1e5, {}, {edge(0, 1e5 - 1)})}, ir.blocks[0].name = "body";
  Access load, store;
  load.bytes = store.bytes = 8, load.index = 1, load.meetings_seen = true;
  store.store = true, store.kind = AddressKind::dependent;
  ir.blocks[0].accesses = {load, store};
  auto cycles = [&](double met, double caution) {
    ir.blocks[0].accesses[0].meetings = {{1, met, 0}};
    Profile profile;
    profile.program = "order", profile.forms = code.forms;
    profile.ir = Graph{{ir}}, profile.machine = Graph{{machine}};
    Machine machine_file = small_machine();
    machine_file.core->memory.cautious_loads = number(caution);
    auto time = simulate_program(profile, machine_file);
    EXPECT_TRUE(time);
    return time->cycles / 1e5;
  };
  const double passing = cycles(0.2, 0), waiting = cycles(0.2, 15), seldom = cycles(0.01, 15);
  EXPECT_LT(passing, 5);              // 3 to multiply, 1 to add
  EXPECT_NEAR(waiting, 11, 0.8);      // 5 to load and 2 to know where the store goes as well
  EXPECT_GT(seldom, passing + 0.2);
  EXPECT_LT(seldom, passing + 2);
}

// Searches of so many steps on average, whose ends come as a surprise: of the code, the first instructions begin one, the next
// are a step, and the others follow its end.
Profile searching(const Code& code, std::ptrdiff_t beginning, std::ptrdiff_t step, double searches, double steps) {
  const auto first = code.body.begin(), inner = first + beginning, after = inner + step;
  Function main;
  main.name = "main";
  main.blocks = {block(searches, {first, inner}, {edge(1, searches)}), block(steps * searches, {inner, after}, {edge(1, (steps - 1) * searches), edge(2, searches)}),
                 block(searches, {after, code.body.end()}, {edge(0, searches - 1)})};
  main.loops.resize(2);
  main.loops[1].header = 1, main.loops[1].parent = 0;
  main.blocks[0].loop = main.blocks[2].loop = 0, main.blocks[1].loop = 1;
  main.blocks[1].mispredicted = searches;
  Profile profile;
  profile.program = "searches", profile.forms = code.forms, profile.machine = Graph{{main}};
  return profile;
}

// Searches of ten steps along a chain of loads, each from its own start. Where the end of a search comes as a surprise, the
// next cannot begin before: 10 loads of 5 cycles and a misprediction of 20. Foreseen, they overlap.
TEST(ProgramLoads, ASearchThatEndsBySurpriseKeepsTheNextWaiting) {
  Code code;
  code.op("ADD64rr", {1}, {2}), code.load(1, 1, 0), code.branch({1}), code.op("ADD64rr", {4}, {4, 2}), code.branch({4});
  const double searches = 1e5;
  const Profile profile = searching(code, 1, 2, searches, 10);
  auto surprised = simulate_program(profile, small_machine());
  ASSERT_TRUE(surprised);
  EXPECT_GT(surprised->cycles, 0.9 * 70 * searches);
  EXPECT_LT(surprised->cycles, 1.1 * 75 * searches);
  SimulationOptions options;
  options.mispredictions = false;
  EXPECT_LT(simulate_program(profile, small_machine(), options)->cycles, 30 * searches);
  // The first load of each search waits for memory: all of it, since nobody asked for the line before.
  options.mispredictions = true;
  options.extra_load_cycles = [](const LoadPlace& load) { return load.before == 0 ? 100.0 : 0.0; };
  EXPECT_GT(simulate_program(profile, small_machine(), options)->cycles, 0.9 * 170 * searches);
}

// A walk over new lines, each of which decides by chance whether something is counted. Whichever way the core goes, it asks
// for the lines behind: those of later iterations come while the first is waited for.
TEST(ProgramLoads, BothWaysPastAnIfAskForTheSameLines) {
  Code code;
  Instruction& step = code.op("ADD64ri8", {1}, {1});
  step.immediate = 64;
  code.load(3, 1, 0), code.branch({3}), code.op("ADD64rr", {4}, {4, 2}), code.op("ADD64rr", {5}, {5, 2}), code.branch({5});
  auto& c = code.body;
  const double n = 1e5;
  Function main;
  main.name = "main";
  main.blocks = {block(n, {c[0], c[1], c[2]}, {edge(1, n / 2), edge(2, n / 2)}), block(n / 2, {c[3]}, {edge(2, n / 2)}),
                 block(n, {c[4], c[5]}, {edge(0, n - 1)})};
  main.blocks[0].mispredicted = n / 2;
  Profile profile;
  profile.program = "count", profile.forms = code.forms, profile.machine = Graph{{main}};
  SimulationOptions options;
  options.extra_load_cycles = [](const LoadPlace&) { return 100.0; };
  auto time = simulate_program(profile, small_machine(), options);
  ASSERT_TRUE(time);
  EXPECT_LT(time->cycles, 40 * n);  // a misprediction of 20 every other time; each of them with its own line would be 60
  EXPECT_GT(time->cycles, 10 * n);
}

// Searches of two steps on average, each in a line of its own, whose ends come as a surprise. Half of all loads wait for
// memory, it is not known which: those that come to a line first, and whose lines wrong ways have not asked for before.
TEST(ProgramLoads, ALineAtHandIsNotWaitedFor) {
  Code code;
  code.op("ADD64ri8", {6}, {6}).immediate = 64;
  code.op("ADD64rr", {1}, {6, 2});
  code.load(3, 1, 0), code.op("ADD64ri8", {1}, {1}).immediate = 16, code.branch({3}), code.op("ADD64rr", {5}, {5, 2}), code.branch({5});
  const double searches = 1e5;
  const Profile profile = searching(code, 2, 3, searches, 2);
  SimulationOptions options;
  auto cycles = [&](std::vector<double> waits) {
    std::size_t next = 0;
    options.extra_load_cycles = [waits, next](const LoadPlace&) mutable { return waits[next++ % waits.size()]; };
    auto time = simulate_program(profile, small_machine(), options);
    EXPECT_TRUE(time);
    return time->cycles / searches;
  };
  const double none = cycles({0});
  for (double told : {cycles({0, 0, 0, 100, 100, 0, 100, 100}), cycles({100, 0})}) EXPECT_TRUE(told > none && told < none + 10) << told;
}

}  // namespace
}  // namespace perfcast::engine

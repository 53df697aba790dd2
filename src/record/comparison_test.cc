#include "record/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace perfcast {
namespace {

Measurement measured(double value, double sd) {
  Measurement m;
  m.value = value, m.sd = sd, m.repetitions = 10;
  return m;
}

Machine machine(const std::string& name, double factor) {
  Machine m;
  m.name = name, m.isa = "x86_64", m.description = "Some CPU, characterized fully", m.made_by.host = "node1";
  OperationCosts costs{"c", "gcc", "-O0", {}};
  for (const char* operation : {"ARSL", "MRSL", "DRSL"}) costs.costs[operation] = measured(2 * factor, 0.05);
  m.source = {costs};
  SystemCosts system;
  system.page_fault_ns = measured(1000, 50), system.process_start_ns = measured(3e5, 1e4);
  m.system = system;
  return m;
}

}  // namespace

TEST(Distance, AMachineIsNotFarFromItself) {
  auto distances = distances_between(machine("a", 1), machine("b", 1));
  ASSERT_EQ(distances.size(), 3u);
  for (const auto& d : distances) EXPECT_DOUBLE_EQ(d.distance, 0);
}

TEST(Distance, TwiceAsFastInEverythingHasNoShape) {
  auto distances = distances_between(machine("a", 2), machine("b", 1));
  EXPECT_EQ(distances[0].section, "c");
  EXPECT_EQ(distances[0].quantities, 3);
  EXPECT_DOUBLE_EQ(distances[0].distance, std::log(2));
  EXPECT_NEAR(distances[0].shape, 0, 1e-12);
  EXPECT_DOUBLE_EQ(distances[0].ratio, 0.5);
  // Two sections of the same weight, one of them equal.
  EXPECT_EQ(distances[2].section, "all");
  EXPECT_DOUBLE_EQ(distances[2].distance, std::log(2) / std::sqrt(2));
}

TEST(Distance, IsSymmetric) {
  Machine a = machine("a", 1), b = machine("b", 1.7);
  b.source[0].costs["DRSL"].value = 9;
  auto there = distances_between(a, b), back = distances_between(b, a);
  for (std::size_t i = 0; i < there.size(); i++) {
    EXPECT_DOUBLE_EQ(there[i].distance, back[i].distance);
    EXPECT_NEAR(there[i].shape, back[i].shape, 1e-12);
  }
}

TEST(Repetition, AgreesWithinIntervals) {
  Repetition r = repetition_of(machine("monday", 1), machine("friday", 1.03));
  EXPECT_EQ(r.compared, 5);
  EXPECT_EQ(r.agreeing, 5);
  EXPECT_DOUBLE_EQ(r.within_5, 1);
}

TEST(Repetition, WhatLiesBeyondTheIntervalsIsNamed) {
  Machine friday = machine("friday", 1);
  friday.source[0].costs["DRSL"].value = 3;
  friday.source[0].costs["MRSL"].value = 2.2;
  Repetition r = repetition_of(machine("monday", 1), friday);
  EXPECT_EQ(r.agreeing, 3);
  ASSERT_EQ(r.beyond.size(), 2u);
  EXPECT_EQ(r.beyond[0].name, "DRSL");
  EXPECT_EQ(r.beyond[0].section, "c gcc -O0");
  EXPECT_NEAR(r.beyond[0].intervals, 1 / (2 * 0.05 * std::sqrt(2)), 1e-12);
}

TEST(Repetition, WhatIsNotDetectedAgreesWithAnythingBelowItsLimit) {
  Machine monday = machine("monday", 1), friday = machine("friday", 1);
  auto& cost = monday.source[0].costs["ARSL"];
  cost.value = 0, cost.not_detected = true, cost.limit = 2.5;
  EXPECT_EQ(repetition_of(monday, friday).agreeing, 5);
  cost.limit = 0.5;
  EXPECT_EQ(repetition_of(monday, friday).agreeing, 4);
}

TEST(Repetition, IsMadeForOneMachineOnly) {
  std::vector<Machine> pair = {machine("here", 1), machine("here", 1)};
  tell_apart(pair);
  EXPECT_EQ(pair[1].name, "here#2");
  EXPECT_EQ(compare_machines(pair, "here").repetitions.size(), 1u);
  pair[1].made_by.host = "node2";
  EXPECT_TRUE(compare_machines(pair, "here").repetitions.empty());
}

TEST(Comparison, OfManyMachinesOnlyTheReferenceIsPairedWithEach) {
  std::vector<Machine> many;
  for (std::size_t i = 0; i <= most_machines_in_pairs; i++) many.push_back(machine("m" + std::to_string(i), 1 + 0.1 * static_cast<double>(i)));
  auto lines = [](const Comparison& c) { return static_cast<std::size_t>(std::ranges::count(c.distances, "all", &MachineDistance::section)); };
  Comparison comparison = compare_machines(many, "m3");
  EXPECT_EQ(lines(comparison), most_machines_in_pairs);
  EXPECT_EQ(comparison.repetitions.size(), most_machines_in_pairs);
  for (const auto& d : comparison.distances) EXPECT_EQ(d.a, "m3");
  many.pop_back();
  EXPECT_EQ(lines(compare_machines(many, "m3")), most_machines_in_pairs * (most_machines_in_pairs - 1) / 2);
}

// Rules have no names: they are known by what they match, and are a section of their own.
TEST(Comparison, InstructionRulesAreComparedByWhatTheyMatch) {
  std::vector<Machine> machines = {machine("a", 1), machine("b", 2)};
  for (std::size_t i = 0; i < 2; i++) {
    InstructionRule add, wide;
    add.match.opcode = wide.match.opcode = "^ADD", wide.match.vector_bits_from = 512;
    add.latency.emplace().value = 1 + static_cast<double>(i), wide.throughput.emplace().value = 2;
    machines[i].core.emplace().instructions = {add, wide};
  }
  Comparison comparison = compare_machines(machines, "a");
  auto relative = [&](const std::string& name) {
    auto found = std::ranges::find(comparison.quantities, name, &ComparedQuantity::name);
    return found == comparison.quantities.end() || found->section != "instructions" ? 0 : found->relative["b"];
  };
  EXPECT_EQ(relative("^ADD latency"), 2);
  EXPECT_EQ(relative("^ADD vector_bits_from 512 throughput"), 1);
}

TEST(Comparison, WhatDoesNotReadAsAMeasurementIsLeftOut) {
  Machine m = machine("a", 1);
  const std::size_t known = quantities_of(m).size();
  m.threads = {{"barrier_ns", {{"value", 1}, {"repetitions", 308.224}}}, {"start_ns", {{"value", 5}, {"sd", 1}, {"repetitions", 3}}}};
  EXPECT_EQ(quantities_of(m).size(), known + 1);
}

TEST(Resources, OperationsAreGrouped) {
  EXPECT_EQ(resource_of("ARSL"), "single real arithmetic");
  EXPECT_EQ(resource_of("memory: L2"), "memory: L2");
}

}  // namespace perfcast

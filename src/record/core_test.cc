#include <gtest/gtest.h>

#include "record/machine.h"
#include "record/record_file.h"

namespace perfcast {
namespace {

Measurement number(double value) {
  Measurement m;
  m.value = value;
  return m;
}

CoreModel small_core() {
  CoreModel core;
  core.clock_ghz = number(2), core.front_end.rename_width = number(4), core.window.reorder_buffer = number(64);
  core.ports = {"a", "b", "load"}, core.schedulers = {{"all", "a b load", number(20)}};
  InstructionRule add;
  add.match.opcode = "^ADD", add.kind = "add", add.latency = number(1), add.ports = {{PortNeed{"a b", 1, 1}}};
  InstructionRule nothing;
  nothing.match.indexed = true, nothing.ports = std::vector<PortNeed>{};
  core.instructions = {add}, core.classes = {nothing};
  core.bypasses = {{"add", "add", true, -1, "a", How::assumed, "only a guess"}};
  core.rename.folded = {{add.match, 1024}}, core.rename.fused = {{add.match, nothing.match, How::measured, ""}};
  core.memory.forwarding = {{add.match, {}, true, true, number(0)}};
  core.memory.loads = {{{}, number(4), {{"load", 1, 1}}}};
  core.branches.misprediction = number(11);
  return core;
}

}  // namespace

TEST(CoreModel, WriteThenReadIsIdentity) {
  Machine machine;
  machine.name = "small", machine.core = small_core();
  auto json = parse_json(record_text(machine), "text");
  ASSERT_TRUE(json);
  auto back = record_from_json<Machine>(*json, "text");
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(*back, machine);
}

// "Needs no port" and "not stated" are different things, and stay so in a file.
TEST(CoreModel, AnEmptyListOfPortsIsKept) {
  auto json = parse_json(record_text([] { Machine m; m.name = "x", m.core = small_core(); return m; }()), "text");
  EXPECT_TRUE((*json)["core"]["classes"][0].contains("ports"));
  EXPECT_FALSE((*json)["core"]["classes"][0].contains("load_ports"));
}

}  // namespace perfcast

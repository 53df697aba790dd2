#include <gtest/gtest.h>

#include "record/check.h"

namespace perfcast {
namespace {

Profile two_blocks() {
  Profile p;
  p.program = "tiny";
  Function f;
  f.name = "main";
  f.blocks.resize(2), f.loops.resize(2);
  f.blocks[0].name = "a", f.blocks[1].name = "b", f.blocks[0].next = {{1, {1, "", {}}}};
  f.loops[1].header = 1, f.loops[1].parent = 0;
  p.forms.resize(1);
  Instruction i;
  f.blocks[0].code = {i};
  p.machine = Graph{{f}};
  return p;
}

// The place that is named when the profile is read again; "" when it is fine.
std::string trouble(const Profile& profile) {
  auto back = record_from_json<Profile>(*parse_json(record_text(profile), "t"), "t");
  return back ? "" : back.error().where;
}
std::string trouble(const Machine& machine) {
  auto back = record_from_json<Machine>(*parse_json(record_text(machine), "t"), "t");
  return back ? "" : back.error().where;
}

}  // namespace

TEST(CheckProfile, WhatRefersToNothingIsRefusedWithItsPlace) {
  EXPECT_EQ(trouble(two_blocks()), "");
  auto with = [](auto change) {
    Profile p = two_blocks();
    change(p, p.machine->functions[0]);
    return trouble(p);
  };
  const std::string f = "t: /machine/functions/0";
  EXPECT_EQ(with([](auto&, Function& fn) { fn.blocks[0].next[0].to = 2; }), f + "/blocks/0/next/0/to");
  EXPECT_EQ(with([](auto&, Function& fn) { fn.blocks[0].next[0].to = -1; }), f + "/blocks/0/next/0/to");
  EXPECT_EQ(with([](auto&, Function& fn) { fn.blocks[1].loop = 5; }), f + "/blocks/1/loop");
  EXPECT_EQ(with([](auto&, Function& fn) { fn.loops[0].header = 9; }), f + "/loops/0/header");
  EXPECT_EQ(with([](auto&, Function& fn) { fn.loops[0].parent = 1; }), f + "/loops/0/parent");
  EXPECT_EQ(with([](auto&, Function& fn) { fn.loops[1].parent = 7; }), f + "/loops/1/parent");
  EXPECT_EQ(with([](auto&, Function& fn) { fn.blocks[0].code[0].form = 1; }), f + "/blocks/0/code/0/form");
  EXPECT_EQ(with([](auto&, Function& fn) { fn.blocks[1].count.value = -1; }), f + "/blocks/1/count");
  EXPECT_EQ(with([](Profile& p, auto&) { p.forms[0].latency = {-3}; }), "t: /forms/0/latency");
  EXPECT_EQ(with([](Profile& p, auto&) { p.source_loops.resize(1), p.source_loops[0].parent = 0; }), "t: /source_loops/0/parent");
  EXPECT_EQ(with([](Profile& p, auto&) { p.library_calls["sin"] = -1; }), "t: /library_calls/sin");
  EXPECT_EQ(with([](Profile& p, auto&) {
    SizedAccess broken;
    broken.access.lines = {{-5, 1, 0}};
    p.scaling.emplace().memory = {{{{"N", 5}}, {broken}}};
  }), "t: /scaling/memory/0/accesses/0");
}

TEST(CheckProfile, NumbersBeyondReasonAreRefused) {
  Profile p = two_blocks();
  p.machine->functions[0].blocks[0].count.value = 1e61;
  auto json = parse_json(record_text(p), "t");
  ASSERT_FALSE(json);
  EXPECT_NE(json.error().what.find("1e60"), std::string::npos);
}

TEST(CheckMachine, WhatDividesIsAboveZeroAndWhatIsAllocatedIsNotHuge) {
  Machine m;
  m.name = "m", m.core.emplace(), m.memory.emplace();
  m.core->clock_ghz.value = 2, m.core->front_end.rename_width.value = 4, m.core->window.reorder_buffer.value = 200;
  EXPECT_EQ(trouble(m), "");
  auto with = [&](auto change) {
    Machine changed = m;
    change(changed);
    return trouble(changed);
  };
  EXPECT_EQ(with([](Machine& x) { x.core->clock_ghz.value = 0; }), "t: /core/clock_ghz");
  EXPECT_EQ(with([](Machine& x) { x.core->window.reorder_buffer.value = 1e12; }), "t: /core/window/reorder_buffer");
  EXPECT_EQ(with([](Machine& x) { x.core->memory.line_bytes = 0; }), "t: /core/memory/line_bytes");
  EXPECT_EQ(with([](Machine& x) { x.memory->page_bytes = 0; }), "t: /memory");
  EXPECT_EQ(with([](Machine& x) { x.mflops.emplace(); }), "t: /mflops");
}

TEST(CheckSkeleton, APartnerIsANumberThatFits) {
  Peer peer;
  auto trouble_of = [&](const char* text) {
    try {
      shape_from_json(Json(text), peer, "");
    } catch (const JsonMismatch& mismatch) {
      return mismatch.what;
    }
    return std::string();
  };
  for (auto [text, kind, rank] : {std::tuple("=3", PeerKind::absolute, 3), {"+1", PeerKind::relative, 1}, {"-2", PeerKind::relative, -2}, {"any", PeerKind::any, 0}}) {
    EXPECT_EQ(trouble_of(text), "");
    EXPECT_EQ(peer, (Peer{kind, rank}));
  }
  for (const char* text : {"=4294967296", "+99999999999999999999", "=1x", "+", "7", ""}) EXPECT_NE(trouble_of(text), "") << text;
}

TEST(CheckTables, RowsAndColumnsAreAsManyAsTheHeadSays) {
  auto refused = [](auto& record) {
    try {
      check_record(record);
    } catch (const JsonMismatch& mismatch) {
      return mismatch.place;
    }
    return std::string();
  };
  Equation equation;
  equation.views = {{"speedup", {{{"P", 1}}, {{"P", 2}}}, {2, 1}, {1, 2}, {{"a", {1, 1}}}}};
  EXPECT_EQ(refused(equation), "");
  equation.views[0].metric.pop_back();
  EXPECT_EQ(refused(equation), "/views");
  equation.views.clear();
  equation.surfaces = {{"time", "N", "P", {1, 2}, {1}, {{1}}}};
  EXPECT_EQ(refused(equation), "/surfaces");
  equation.surfaces.clear();
  equation.sensitivity.emplace_back();
  EXPECT_EQ(refused(equation), "/sensitivity");
  UseTree tree;
  tree.crossed = CrossedUpgrades{{"a=2", "b=2"}, {{2, 3}, {3, 2}}};
  tree.processors = ProcessorTable{{1, 2}, {2.0}, {{1.5}, {1.8}}, {{0.1}, {0.1}}};
  EXPECT_EQ(refused(tree), "");
  tree.processors->tolerance.pop_back();
  EXPECT_EQ(refused(tree), "/processors/tolerance");
  tree.crossed->speedup[1].pop_back();
  EXPECT_EQ(refused(tree), "/crossed/speedup");
}

}  // namespace perfcast

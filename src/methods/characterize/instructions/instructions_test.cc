#include <gtest/gtest.h>

#include <regex>

#include "base/files.h"
#include "base/paths.h"
#include "base/process.h"
#include "base/text.h"
#include "engine/core_tables.h"
#include "methods/characterize/instructions/against_llvm.h"
#include "methods/characterize/instructions/described_forms.h"
#include "methods/characterize/instructions/measure_core.h"
#include "methods/characterize/instructions/port_fit.h"
#include "methods/characterize/instructions/windows.h"

namespace perfcast::instructions {
namespace {

FormTable table_of(const std::string& isa) {
  auto table = bundled_form_table(isa);
  EXPECT_TRUE(table) << table.error().message();
  return table ? *table : FormTable{};
}

const char* tiny = R"(isa: toy
set r: r1 r2 r3
top: 1:
loop: dec r0
prologue: push
epilogue: pop
long: slow
setup plain: clear
[forms]
add | ADD(rr|ri) | alu | add r1,r1 | add <r>,<r>
sub | - | alu | sub r1 | - | minus=add per=2
[clocks]
1 | add r1,r1
[canary]
add <r>
[references]
add
[filler]
-
[cases]
loop | nop | 1 3..7:2 | per=2 | @<n>(nop)
)";

TEST(FormTable, ReadsFormsAndCases) {
  auto table = parse_form_table(tiny, "tiny");
  ASSERT_TRUE(table) << table.error().message();
  ASSERT_EQ(table->forms.size(), 2u);
  EXPECT_EQ(table->forms[0].opcodes, "ADD(rr|ri)");  // bars inside an expression do not separate
  EXPECT_EQ(table->forms[1].minus, std::vector<std::string>{"add"});
  EXPECT_EQ(table->forms[1].per, 2);
  EXPECT_TRUE(table->forms[1].opcodes.empty());
  EXPECT_EQ(table->cases[0].parameters, (std::vector<int>{1, 3, 5, 7}));
}

TEST(FormTable, NamesTheWrongLine) {
  auto table = parse_form_table(std::string(tiny) + "loop | x | eight | | nop\n", "tiny");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().where, "tiny:22");
  table = parse_form_table(std::string(tiny) + "[forms]\nadd | X | alu | a | b\n", "tiny");
  ASSERT_FALSE(table);
  EXPECT_NE(table.error().what.find("twice"), std::string::npos);
}

TEST(FormTable, EasyOperandsAreOfAForm) {
  auto table = parse_form_table(std::string(tiny) + "[easy]\nadd | add r1,0 | - |\n", "tiny");
  ASSERT_TRUE(table) << table.error().message();
  const auto list = list_benchmarks(*table);
  const auto easy = std::ranges::find(list, Kind::easy, &Benchmark::kind);
  ASSERT_NE(easy, list.end());
  EXPECT_EQ(easy->name, "easy/add/chain");
  EXPECT_EQ(std::ranges::count(list, Kind::easy, &Benchmark::kind), 1);
  table = parse_form_table(std::string(tiny) + "[easy]\nmul | a | b |\n", "tiny");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().where, "tiny:23");
}

TEST(FormTable, WhatCannotBeWrittenOutIsRefused) {
  auto with = [](const std::string& from, const std::string& to) {
    std::string text = tiny;
    text.replace(text.find(from), from.size(), to);
    auto table = parse_form_table(text, "tiny");
    return table ? "" : table.error().what;
  };
  EXPECT_EQ(with("nop)", "nop)"), "");
  EXPECT_NE(with("3..7:2", "0..2000000000:1").find("not a number or a range"), std::string::npos);
  EXPECT_NE(with("3..7:2", "2147483646..2147483647:1").find("more text"), std::string::npos);
  EXPECT_NE(with("set r: r1 r2 r3", "set r:").find("no registers"), std::string::npos);
  for (const char* broken : {"@(nop)", "@x(nop)", "@3(nop", "@3 nop", "@99999999999(nop)", "@-1(nop)", "@2(@y(nop))"})
    EXPECT_NE(with("@<n>(nop)", broken).find("a repetition is written"), std::string::npos) << broken;
  EXPECT_NE(with("@<n>(nop)", "@99999(@99999(nop))").find("more text"), std::string::npos);
}

TEST(FormTable, BundledTablesAreLargeAndDescribed) {
  for (const char* isa : {"x86_64", "aarch64"}) {
    auto table = table_of(isa);
    EXPECT_GE(table.forms.size(), 200u) << isa;
    auto described = bundled_described_forms(isa);
    ASSERT_TRUE(described) << described.error().message();
    for (auto& form : table.forms) {
      ASSERT_TRUE(described->of.contains(form.name)) << form.name << ": run bench/describe_forms";
      if (!form.opcodes.empty()) {
        EXPECT_TRUE(std::regex_match(described->of[form.name].form.opcode, std::regex(form.opcodes))) << form.name;
      }
    }
  }
}

TEST(Benchmarks, ExpandCopiesAndRegisters) {
  auto table = parse_form_table(tiny, "tiny");
  ASSERT_TRUE(table);
  EXPECT_EQ(expand(*table, "add <r>,8*<i>,<o16>", 4), "add r2,8*4,64");
  EXPECT_EQ(expand(*table, "@2(a<i>;@2(b (x)))", 0), "a0;b (x)\nb (x)\n\na1;b (x)\nb (x)\n\n");
  EXPECT_EQ(expand(*table, "<r> <what>", 1, 0.5, 1), "r3 <what>");
}

TEST(Benchmarks, AssembleOnThisMachine) {
  auto compiler = find_c_compiler();
  if (!compiler) GTEST_SKIP() << "no C compiler";
  auto table = table_of(host_isa());
  Selection selection;
  selection.pairs = false;
  auto folder = TemporaryFolder::make("assemble");
  ASSERT_TRUE(folder);
  ASSERT_TRUE(write_file(folder->file("bench.s"), write_assembly(table, list_benchmarks(table, selection))));
  RunRequest request;
  request.command = {*compiler, "-c", folder->file("bench.s"), "-o", folder->file("bench.o")};
  auto outcome = run_program(request);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->ok()) << outcome->errors.substr(0, 1000);
}

TEST(Timings, ReadBack) {
  std::vector<Benchmark> list(2);
  list[0].name = "chain/add", list[0].per = 32;
  list[1].name = "stream/odd", list[1].per = 96;
  auto timings = read_timings("clock 2.5 2.4 2.6\ncanary 16.2 rounds 9\nchain/add 16 20 32.0 0.32\nstream/odd signal 4\n", list);
  ASSERT_TRUE(timings) << timings.error().message();
  EXPECT_DOUBLE_EQ(timings->clock_ghz, 2.5);
  EXPECT_DOUBLE_EQ(*timings->cycles("chain/add"), 1);
  EXPECT_EQ(timings->refused.at("stream/odd"), 4);
  auto again = read_timings(write_timings(*timings, list), list);
  ASSERT_TRUE(again);
  EXPECT_DOUBLE_EQ(*again->cycles("chain/add"), 1);
}

TEST(PortFit, BoundIsHalls) {
  const std::vector<Demand> demands{{0b011, 1}, {0b001, 1}, {0b100, 4}};
  EXPECT_DOUBLE_EQ(port_bound(demands), 4);
  EXPECT_DOUBLE_EQ(port_bound(std::span(demands).first(2)), 1);
}

// Timings that a planted model would give, alone and with references; the fit starts from something else.
TEST(PortFit, RecoversPlantedPorts) {
  const std::vector<std::uint32_t> sets{0b00001, 0b00010, 0b00011, 0b00110, 0b00111, 0b10010, 0b11111, 0b10000};
  const std::vector<std::vector<Demand>> references{{{0b00001, 1}}, {{0b00010, 1}}, {{0b00011, 1}}, {{0b00110, 1}}, {{0b11111, 1}}, {{0b10000, 1}}, {{0b00100, 1}}};
  auto timings_of = [&](const std::vector<Demand>& planted) {
    PortEvidence evidence;
    evidence.timings.push_back({{}, 0, std::max(port_bound(planted), 1 / 6.0)});
    for (auto& reference : references) {
      auto both = planted;
      both.insert(both.end(), reference.begin(), reference.end());
      evidence.timings.push_back({reference, 1, std::max(port_bound(both), 2 / 6.0)});
    }
    return evidence;
  };
  for (const auto& planted : std::vector<std::vector<Demand>>{{{0b00011, 1}}, {{0b00110, 1}}, {{0b10000, 1}}, {{0b00010, 1}, {0b00001, 1}}, {{0b00011, 1}, {0b00011, 1}}}) {
    const auto evidence = timings_of(planted);
    for (const std::vector<Demand>& start : {std::vector<Demand>{{0b11111, 1}}, std::vector<Demand>{{0b00001, 3}}, std::vector<Demand>{}}) {
      const auto fit = fit_ports(start, sets, evidence);
      EXPECT_NEAR(misfit(fit.demands, evidence), 0, 0.01);
      EXPECT_DOUBLE_EQ(port_bound(fit.demands), port_bound(planted));
    }
    EXPECT_FALSE(fit_ports(planted, sets, evidence).changed);
  }
}

TEST(Windows, FindTheStepFromTwoChainsToOne) {
  for (int size : {48, 97, 192}) {
    std::vector<WindowPoint> points;
    for (int n = 8; n <= 2 * size; n += 4) points.push_back({n, n > size ? 140.0 + n / 6.0 : n > size / 2 ? 75.0 + n / 6.0 : 40});
    auto step = step_position(points);
    ASSERT_TRUE(step);
    EXPECT_NEAR(*step, size, 4);
  }
  EXPECT_FALSE(step_position({{8, 40}, {16, 41}, {24, 42}, {32, 43}}));
}

// One table per instruction set is bundled: a machine with another processor needs its own, or is told so.
TEST(AgainstLlvm, SaysWhoseTablesTheseAre) {
  auto core = frame_of({}, "x86_64");
  auto described = bundled_described_forms("x86_64");
  ASSERT_TRUE(core && described);
  core->llvm_cpu = described->llvm_cpu;
  auto own = against_llvm(*core, "x86_64");
  core->llvm_cpu = "znver4";
  auto other = against_llvm(*core, "x86_64");
  ASSERT_TRUE(own && other);
  EXPECT_EQ(own->own_cpu, "");
  EXPECT_EQ(other->own_cpu, "znver4");
  EXPECT_EQ(other->llvm_cpu, described->llvm_cpu);
  described->llvm_cpu = "znver4";
  auto given = against_llvm(*core, "x86_64", *described);
  ASSERT_TRUE(given);
  EXPECT_EQ(given->own_cpu, "");
  EXPECT_EQ(given->llvm_cpu, "znver4");
}

}  // namespace
}  // namespace perfcast::instructions

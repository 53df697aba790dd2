// The instruction benchmarks against the engine: timings that a known core would give are simulated, and the core is
// found again from them. And the AArch64 benchmarks run, wherever this test runs, under qemu.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/files.h"
#include "base/process.h"
#include "decoded_benchmarks.h"
#include "frontends/decoded_assembly.h"
#include "methods/characterize/instructions/described_forms.h"
#include "methods/characterize/instructions/measure_core.h"
#include "record/library.h"

namespace perfcast::instructions {
namespace {

// Every benchmark of `list`, timed by the engine on `core`.
Result<Timings> simulated_timings(const FormTable& table, const std::vector<Benchmark>& list, const CoreModel& core) {
  TRY(auto decoded, decode_benchmarks(table, list, core.llvm_cpu));
  Timings timings;
  timings.clock_ghz = timings.clock_low = timings.clock_high = 2.5;
  for (std::size_t i = 0; i < list.size(); i++) {
    if (!simulable(list[i])) continue;
    TRY(double cycles, simulate_benchmark(decoded, i, list[i], core));
    timings.of[list[i].name] = {cycles, 0.001, 16, 16};
  }
  return timings;
}

std::vector<Benchmark> benchmarks_of(const FormTable& table, const std::set<std::string>& forms, const std::set<std::string>& kinds) {
  Selection selection;
  selection.kinds = kinds, selection.special = !kinds.empty();
  auto list = list_benchmarks(table, selection);
  std::erase_if(list, [&](const Benchmark& b) { return b.kind != Kind::special && !forms.contains(b.form); });
  return list;
}

struct Found {
  CoreModel core;
  std::vector<std::string> changes;
};
Result<Found> find_again(const std::string& isa, const CoreModel& truth, const CoreModel& start, const std::set<std::string>& forms,
                         const std::set<std::string>& kinds, bool pairs = true, Frame frame = Frame::family) {
  TRY(auto table, bundled_form_table(isa));
  TRY(auto described, bundled_described_forms(isa));
  auto list = benchmarks_of(table, forms, kinds);
  if (!pairs) std::erase_if(list, [&](const Benchmark& b) { return b.kind == Kind::pair || b.kind == Kind::slots || (isa == "x86_64" && b.kind == Kind::stream); });
  TRY(auto timings, simulated_timings(table, list, truth));
  auto fitted = fit_core(start, frame, table, described, timings);
  return Found{std::move(fitted.core), std::move(fitted.changes)};
}

const InstructionRule* rule_for(const CoreModel& core, const std::string& part) {
  for (auto& rule : core.instructions)
    if (rule.match.opcode.find(part) != std::string::npos) return &rule;
  return nullptr;
}

const std::set<std::string> some_forms{"add.rr64", "shl.i64", "imul.rr64", "add.sd", "mul.sd", "div.sd", "and.d.x",
                                       "unpck.pd.x", "shuf.d.x", "cvt.ss.sd", "popcnt", "add.pd.y", "max.sd"};

TEST(FitCore, KeepsWhatTheTimingsConfirm) {
  auto machine = find_machine("emerald-rapids");
  ASSERT_TRUE(machine) << machine.error().message();
  auto found = find_again("x86_64", *machine->core, *machine->core, some_forms, {});
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_TRUE(found->changes.empty()) << found->changes.front();
}

// Latencies net of helpers and bypasses: the chains of nearly all forms, simulated, give back the core they came from.
TEST(FitCore, KeepsTheLatenciesOfBothFamilies) {
  for (auto [isa, name] : {std::pair("x86_64", "emerald-rapids"), std::pair("aarch64", "neoverse-v1")}) {
    auto machine = find_machine(name);
    ASSERT_TRUE(machine) << machine.error().message();
    auto table = bundled_form_table(isa);
    ASSERT_TRUE(table);
    std::set<std::string> forms;
    for (auto& form : table->forms)
      if (!form.chain.empty()) forms.insert(form.name);
    auto found = find_again(isa, *machine->core, *machine->core, forms, {}, false);
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_LE(found->changes.size(), table->forms.size() / 50) << name;
    if (found->changes.size() > table->forms.size() / 50)
      for (auto& change : found->changes) ADD_FAILURE() << name << ": " << change;
  }
}

TEST(FitCore, FindsPlantedLatenciesAndPorts) {
  auto machine = find_machine("emerald-rapids");
  ASSERT_TRUE(machine);
  CoreModel start = *machine->core;
  for (auto& rule : start.instructions) {  // a family that is wrong in three places
    if (rule.match.opcode == "^V?MUL[SP][SD]" && !rule.match.vector_bits_from) rule.ports = {{PortNeed{"p0", 1, 1}}}, rule.latency->value = 6;
    if (rule.match.opcode.find("POPCNT") != std::string::npos) rule.ports = {{PortNeed{"p0 p1 p5 p6 p10", 1, 1}}};
    if (rule.match.opcode == "^V?DIVSD") rule.ports->back().occupancy = 9;
  }
  auto found = find_again("x86_64", *machine->core, start, some_forms, {});
  ASSERT_TRUE(found) << found.error().message();
  const auto* mul = rule_for(found->core, "V?MULSD");
  ASSERT_TRUE(mul && mul->ports && mul->latency);
  EXPECT_EQ(mul->ports->size(), 1u);
  EXPECT_EQ(mul->ports->front().ports, "p0 p1");
  EXPECT_NEAR(mul->latency->value, 4, 0.1);
  const auto* popcnt = rule_for(found->core, "POPCNT(16|32|64)");
  ASSERT_TRUE(popcnt && popcnt->ports);
  EXPECT_EQ(popcnt->ports->front().ports, "p1");
  const auto* divide = rule_for(found->core, "V?DIVSD");
  ASSERT_TRUE(divide && divide->ports);
  EXPECT_NEAR(divide->throughput->value, 4, 0.1);
}

// Of a core whose additions make multiplications beside them slower, the family knows only that they come later.
TEST(FitCore, FindsPlantedDelaysOfTheWholeConsumer) {
  auto machine = find_machine("emerald-rapids");
  ASSERT_TRUE(machine);
  CoreModel truth = *machine->core;
  for (auto& rule : truth.bypasses)
    if (rule.from == "fp_add") rule.to = other_kinds, rule.cycles = 1, rule.delays_result = true;
  for (auto& rule : truth.instructions)
    if (rule.kind == "fp_add") rule.latency->value = 2;
  auto found = find_again("x86_64", truth, *machine->core, some_forms, {"bypass"});
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_TRUE(std::ranges::any_of(found->core.bypasses, [](const BypassRule& rule) { return rule.to == other_kinds && rule.cycles == 1 && rule.delays_result; }));
  EXPECT_NEAR(rule_for(found->core, "V?(ADD|SUB)SD")->latency->value, 2, 0.01);
  auto same = find_again("x86_64", *machine->core, *machine->core, some_forms, {"bypass"});
  ASSERT_TRUE(same);
  EXPECT_TRUE(std::ranges::none_of(same->core.bypasses, [](const BypassRule& rule) { return rule.to == other_kinds; }));
}

// A processor nobody has heard of: the usual core, narrow and with small windows, becomes the wide one that was timed.
TEST(FitCore, MakesAnotherCoreOfTheUsualOne) {
  auto machine = find_machine("emerald-rapids");
  auto usual = frame_of({}, "x86_64");
  ASSERT_TRUE(machine && usual);
  CoreModel truth = *machine->core;
  truth.window.reorder_buffer.value = 440, truth.window.load_queue->value = 160;
  auto found = find_again("x86_64", truth, *usual, {}, {"loop", "window"}, true, Frame::usual);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->core.front_end.rename_width.value, truth.front_end.rename_width.value);
  EXPECT_NEAR(found->core.window.reorder_buffer.value, 440, 12);
  EXPECT_NEAR(found->core.window.load_queue->value, 160, 8);
}

TEST(FitCore, FindsPlantedWindows) {
  auto machine = find_machine("emerald-rapids");
  ASSERT_TRUE(machine);
  CoreModel truth = *machine->core;
  truth.window.reorder_buffer.value = 440;
  truth.window.load_queue->value = 160;
  truth.window.store_buffer->value = 88;
  truth.window.integer_registers->value = 210;
  truth.schedulers[0].entries.value = 84, truth.schedulers[1].entries.value = 60, truth.schedulers[2].entries.value = 44;
  auto found = find_again("x86_64", truth, *machine->core, {}, {"window"});
  ASSERT_TRUE(found) << found.error().message();
  const auto& w = found->core.window;
  EXPECT_NEAR(w.reorder_buffer.value, 440, 12);
  EXPECT_NEAR(w.load_queue->value, 160, 8);
  EXPECT_NEAR(w.store_buffer->value, 88, 6);
  EXPECT_NEAR(w.integer_registers->value, 210, 10);
  EXPECT_NEAR(found->core.schedulers[0].entries.value, 84, 5);
  EXPECT_NEAR(found->core.schedulers[1].entries.value, 60, 5);
  EXPECT_NEAR(found->core.schedulers[2].entries.value, 44, 5);
}

// What has retired holds its slot for a while, or not.
TEST(FitCore, FindsHowLongSlotsAreHeld) {
  const auto machine = find_machine("emerald-rapids");
  ASSERT_TRUE(machine);
  for (double held : {0.0, 12.0}) {
    CoreModel truth = *machine->core;
    truth.window.release_cycles = Measurement{held};
    const auto found = find_again("x86_64", truth, *machine->core, {}, {"window"});
    ASSERT_TRUE(found) << found.error().message();
    const auto& cycles = found->core.window.release_cycles;
    EXPECT_NEAR(cycles ? cycles->value : 0, held, 2);
  }
}

TEST(Aarch64Benchmarks, RunWithoutSignals) {
  if (!find_program("qemu-aarch64") || !find_program("clang-19") || !find_program("ld.lld-19")) GTEST_SKIP() << "no qemu or lld";
  auto table = bundled_form_table("aarch64");
  ASSERT_TRUE(table);
  Selection selection;
  selection.pairs = false;
  auto folder = TemporaryFolder::make("aarch64-benchmarks");
  ASSERT_TRUE(folder);
  ASSERT_TRUE(write_file(folder->file("bench.s"), write_assembly(*table, list_benchmarks(*table, selection))));
  RunRequest build;
  build.command = {"clang-19", "--target=aarch64-linux-gnu", "-O1", "-nostdlib", "-static", "-ffreestanding", "-fno-stack-protector",
                   "-fuse-ld=lld", "-o", folder->file("once"), std::string(PERFCAST_SOURCE_DIR) + "/tests/instructions/run_once.c", folder->file("bench.s")};
  auto built = run_program(build);
  ASSERT_TRUE(built);
  ASSERT_TRUE(built->ok()) << built->errors.substr(0, 1000);
  RunRequest run;
  run.command = {"qemu-aarch64", "-cpu", "max", folder->file("once")};
  run.limits.time = Seconds{120};
  auto outcome = run_program(run);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->ok()) << outcome->how_it_ended(run.limits) << "\n" << outcome->output.substr(0, 2000);
}

// What LLVM says of every form, for a CPU of any instruction set on any host; the bundled files are no other.
Result<DescribedForms> described_by_llvm(const std::string& isa, const std::string& cpu) {
  TRY(auto table, bundled_form_table(isa));
  const auto list = list_benchmarks(table, one_of_each());
  TRY(auto decoded, decode_assembly(write_assembly(table, list), isa, cpu));
  return describe_forms(table, list, decoded.forms, decoded.functions, cpu);
}
TEST(DescribedForms, AreWhatLlvmSaysOfTheProcessor) {
  for (const char* isa : {"x86_64", "aarch64"}) {
    auto bundled = bundled_described_forms(isa);
    ASSERT_TRUE(bundled) << bundled.error().message();
    auto again = described_by_llvm(isa, bundled->llvm_cpu);
    ASSERT_TRUE(again) << again.error().message();
    for (const auto& [name, described] : bundled->of) EXPECT_TRUE(again->of.contains(name) && again->of.at(name) == described) << name;
  }
  auto intel = described_by_llvm("x86_64", "sapphirerapids"), amd = described_by_llvm("x86_64", "znver4");
  ASSERT_TRUE(intel && amd);
  EXPECT_EQ(amd->of.at("div.sd").form.opcode, intel->of.at("div.sd").form.opcode);
  EXPECT_NE(amd->of.at("div.sd").form.resources, intel->of.at("div.sd").form.resources);
  EXPECT_FALSE(described_by_llvm("x86_64", "no-such-cpu"));
}

}  // namespace
}  // namespace perfcast::instructions

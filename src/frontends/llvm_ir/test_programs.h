// For the tests of this folder: programs compiled, counted, and run as they are.
#pragma once

#include <gtest/gtest.h>

#include "frontends/llvm_ir/instrument.h"

namespace perfcast::llvm_ir {

// A source in a folder of its own, compiled and counted.
struct Counted {
  CompiledProgram program;
  CountedRun early, final;
  PositionCounts positions;
  RunOutcome plain;

  double entries(const std::string& name) const {
    double sum = 0;
    for (const auto& unit : final.units)
      if (const auto* function = unit.find(name)) sum += function->entries;
    return sum;
  }
  double at_line(const std::string& function, int line) const {
    double most = 0;
    auto found = positions.functions.find(function);
    if (found == positions.functions.end()) return -1;
    for (const auto& [position, count] : found->second.at)
      if (std::get<1>(position) == line) most = std::max(most, count);
    return most;
  }
};

class Programs : public testing::TestWithParam<const char*> {
 protected:
  static Result<Counted> count_files(const std::map<std::string, std::string>& files, const std::string& flags,
                                     std::vector<std::string> arguments = {}, double seconds = 60) {
    TRY(TemporaryFolder folder, TemporaryFolder::make("test"));
    CompileRequest request;
    for (const auto& [name, text] : files) {
      CHECK_OK(write_file(folder.file(name), text));
      request.sources.push_back(folder.file(name));
    }
    request.cflags = flags;
    TRY(CompiledProgram program, compile_program(request));
    CountOptions options;
    options.arguments = arguments;
    options.limits.time = Seconds{seconds};
    TRY(CountedRun early, count_run(program, Stage::early, options));
    TRY(CountedRun final, count_run(program, Stage::final, options));
    TRY(PositionCounts positions, position_counts(program, Stage::early, early));
    CHECK_OK(build_plain(program, program.scratch.file("plain")));
    RunRequest run;
    run.command = {program.scratch.file("plain")};
    run.command.insert(run.command.end(), arguments.begin(), arguments.end());
    run.limits = options.limits;
    TRY(RunOutcome plain, run_program(run));
    return Counted{std::move(program), std::move(early), std::move(final), std::move(positions), std::move(plain)};
  }
  static Result<Counted> count_text(const std::string& name, const std::string& text, const std::string& flags = GetParam()) {
    return count_files({{name, text}}, flags);
  }
};

// In = out = count, for every block; the same output as the plain program.
inline void expect_laws(const Counted& counted) {
  EXPECT_EQ(counted.early.outcome.output, counted.plain.output);
  EXPECT_EQ(counted.final.outcome.output, counted.plain.output);
  EXPECT_EQ(counted.final.outcome.code, counted.plain.code);
  for (const CountedRun* run : {&counted.early, &counted.final})
    for (const auto& unit : run->units)
      for (const auto& function : unit.functions) {
        std::vector<double> in(function.blocks.size());
        in[0] = function.entries;
        for (const auto& block : function.blocks) {
          double out = block.left;
          for (const auto& edge : block.next) out += edge.count, in[static_cast<std::size_t>(edge.to)] += edge.count;
          if (!block.next.empty()) EXPECT_EQ(out, block.count) << function.name << " " << block.name;
          EXPECT_GE(block.count, 0);
        }
        for (std::size_t i = 0; i < in.size(); i++)
          EXPECT_EQ(in[i], function.blocks[i].count) << function.name << " " << function.blocks[i].name;
      }
}

#define COUNT(name, ...)                                  \
  auto name##_result = (__VA_ARGS__);                     \
  ASSERT_TRUE(name##_result) << name##_result.error().message(); \
  const Counted& name = *name##_result;                   \
  expect_laws(name)

}  // namespace perfcast::llvm_ir

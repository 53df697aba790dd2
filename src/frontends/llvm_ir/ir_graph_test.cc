#include "frontends/llvm_ir/ir_graph.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

#include "frontends/llvm_ir/ir_usage.h"

namespace perfcast::llvm_ir {
namespace {

// A C source counted at the IR level; keeps nothing but the level.
Result<IrLevel> level_of(const std::string& name, const std::string& text, const std::string& flags) {
  TRY(TemporaryFolder folder, TemporaryFolder::make("test"));
  CHECK_OK(write_file(folder.file(name), text));
  CompileRequest request;
  request.sources = {folder.file(name)}, request.cflags = flags, request.early = false;
  TRY(CompiledProgram program, compile_program(request));
  TRY(CountedRun run, count_run(program, Stage::final, {}));
  return ir_level(program, run);
}

const Function* find(const Graph& graph, const std::string& name) {
  for (const auto& function : graph.functions)
    if (function.name == name) return &function;
  return nullptr;
}

constexpr const char* saxpy = R"(#include <math.h>
#include <stdlib.h>
__attribute__((noinline)) double saxpy(double *x, double *y, double a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    y[i] = y[i] + a * x[i];
    s += sin(y[i]);
  }
  return s;
}
int main(void) {
  double *x = calloc(100, 8), *y = calloc(100, 8), s = 0;
  for (int k = 0; k < 10; k++) s += saxpy(x, y, 2, 100);
  return s > 1;
}
)";

TEST(IrGraph, OperationsTimesCounts) {
  for (const char* level : {"-O0", "-O2", "-O3"}) {
    auto found = level_of("saxpy.c", saxpy, std::string(level) + " -lm -ffp-contract=off -fno-unroll-loops -fno-vectorize");
    ASSERT_TRUE(found) << found.error().message();
    auto usage = dynamic_usage(found->graph);
    EXPECT_EQ(usage["flops"], 3000 + 10) << level;  // two of saxpy and its sum per element, the sum over k
    EXPECT_EQ(found->library_calls["sin"], 1000) << level;
    EXPECT_EQ(found->library_calls["calloc"], 2) << level;
    EXPECT_GE(usage["bytes_stored"], 8000) << level;
    const Function* function = find(found->graph, "saxpy");
    ASSERT_TRUE(function);
    EXPECT_EQ(function->calls.value, 10);
    EXPECT_EQ(function->at.line, 3);
    ASSERT_EQ(function->loops.size(), 1u) << level;
    EXPECT_EQ(function->loops[0].at.line, 5) << level;
    EXPECT_EQ(function->loops[0].entries.value, 10) << level;
    EXPECT_EQ(function->loops[0].iterations.value, std::string(level) == "-O0" ? 1010 : 1000) << level;
  }
}

TEST(IrGraph, NestsNamesAndInlining) {
  auto found = level_of("nest.cc", R"(namespace deep { struct Box { double v[64];
  double sum() const {
    double s = 0;
    for (double x : v)
      s += x;
    return s; } }; }
static deep::Box box;
int main() {
  double s = 0;
  for (int i = 0; i < 7; i++) {
    box.v[i] = i;
    for (int j = 0; j < 3; j++) { s += box.sum(); asm volatile("" ::: "memory"); }
  }
  return s < 0;
}
)", "-O1");
  ASSERT_TRUE(found) << found.error().message();
  const Function* function = find(found->graph, "main");
  ASSERT_TRUE(function);
  bool inlined = false;
  for (const auto& loop : function->loops)
    if (loop.at.line == 4) {
      inlined = true;
      EXPECT_EQ(loop.entries.value, 21);
      ASSERT_TRUE(loop.parent);
      EXPECT_EQ(function->loops[static_cast<std::size_t>(*loop.parent)].iterations.value, 21);
    }
  EXPECT_TRUE(inlined);
}

}  // namespace
// IR writes scalable vectors for 128 bits; a core may have longer ones.
TEST(IrUsage, ScalableVectorsHaveTheLengthOfTheCpu) {
  auto usage = [](const std::string& attributes) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic trouble;
    auto module = llvm::parseAssemblyString("target triple = \"aarch64-linux-gnu\"\n"
                                            "define <vscale x 2 x double> @f(<vscale x 2 x double> %a, ptr %p) " + attributes + " {\n"
                                            "  %b = load <vscale x 2 x double>, ptr %p\n  %c = fadd <vscale x 2 x double> %a, %b\n"
                                            "  ret <vscale x 2 x double> %c\n}\n", trouble, context);
    EXPECT_TRUE(module) << trouble.getMessage().str();
    return usage_of(module->getFunction("f")->getEntryBlock()).operations;
  };
  auto v1 = usage("\"target-cpu\"=\"neoverse-v1\""), v2 = usage("\"target-cpu\"=\"neoverse-v2\""), fixed = usage("vscale_range(4,4)");
  EXPECT_EQ(v1["flops"], 4);
  EXPECT_EQ(v1["bytes_loaded"], 32);
  EXPECT_EQ(v1["fadd.v4f64"], 1);
  EXPECT_EQ(v2["flops"], 2);
  EXPECT_EQ(v2["bytes_loaded"], 16);
  EXPECT_EQ(v2["fadd.v2f64"], 1);
  EXPECT_EQ(fixed["flops"], 8);
}

}  // namespace perfcast::llvm_ir

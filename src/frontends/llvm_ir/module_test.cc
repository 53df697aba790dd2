#include "frontends/llvm_ir/module.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/TargetParser/Host.h>

namespace perfcast::llvm_ir {
namespace {

std::unique_ptr<llvm::Module> module_with(llvm::LLVMContext& context, const std::string& features) {
  llvm::SMDiagnostic trouble;
  auto module = llvm::parseAssemblyString("define i32 @f(i32 %x) \"target-cpu\"=\"other\" \"target-features\"=\"" + features + R"(" {
  %p = icmp eq i32 %x, 0
  br i1 %p, label %1, label %named
1:
  ret i32 1
named:
  ret i32 2
})", trouble, context);
  module->setTargetTriple(llvm::sys::getProcessTriple());
  return module;
}

TEST(Module, EveryBlockGetsAName) {
  llvm::LLVMContext context;
  auto module = module_with(context, "");
  name_blocks(*module);
  std::vector<std::string> names;
  for (const auto& block : *module->getFunction("f")) names.push_back(block.getName().str());
  EXPECT_EQ(names, (std::vector<std::string>{"b0", "b1", "named"}));
}

// Both calls are said to be on line 2; what the run-time library is told keeps the regions apart.
TEST(Module, ParallelRegionsAreWhereTheirDirectiveIs) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic trouble;
  auto module = llvm::parseAssemblyString(R"(
@text = constant [18 x i8] c";m;_QQmain;8;9;;;\00"
@note = constant { i32, i32, i32, i32, ptr } { i32 0, i32 2, i32 0, i32 17, ptr @text }
declare void @__kmpc_fork_call(ptr, i32, ptr, ...)
define void @_QQmain() !dbg !3 {
  call void (ptr, i32, ptr, ...) @__kmpc_fork_call(ptr @note, i32 0, ptr @_QQmain..omp_par), !dbg !6
  call void (ptr, i32, ptr, ...) @__kmpc_fork_call(ptr @note, i32 0, ptr @placed), !dbg !6
  ret void
}
define void @_QQmain..omp_par() !dbg !4 { ret void }
define void @placed() !dbg !5 { ret void }
!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_Fortran95, file: !2, emissionKind: LineTablesOnly)
!2 = !DIFile(filename: "m.f90", directory: "/")
!3 = distinct !DISubprogram(name: "_QQmain", file: !2, line: 1, unit: !1)
!4 = distinct !DISubprogram(name: "_QQmain..omp_par", file: !2, unit: !1)
!5 = distinct !DISubprogram(name: "placed", file: !2, line: 2, unit: !1)
!6 = !DILocation(line: 2, column: 1, scope: !3)
)", trouble, context);
  ASSERT_TRUE(module) << trouble.getMessage().str();
  place_regions(*module);
  EXPECT_EQ(starter_of(*module->getFunction("_QQmain..omp_par"))->getDebugLoc().getLine(), 8u);
  EXPECT_EQ(starter_of(*module->getFunction("placed"))->getDebugLoc().getLine(), 2u);
  EXPECT_EQ(starter_of(*module->getFunction("_QQmain")), nullptr);
}

TEST(Module, FeaturesThatAreNotHereAreLowered) {
  llvm::LLVMContext context;
  EXPECT_FALSE(*lower_features(*module_with(context, "")));
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    if (feature.first().starts_with("sve")) continue;
    auto module = module_with(context, "+" + feature.first().str());
    EXPECT_EQ(*lower_features(*module), !feature.second) << feature.first().str();
    if (!feature.second)
      EXPECT_EQ(module->getFunction("f")->getFnAttribute("target-cpu").getValueAsString(), llvm::sys::getHostCPUName());
  }
}

}  // namespace
}  // namespace perfcast::llvm_ir

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

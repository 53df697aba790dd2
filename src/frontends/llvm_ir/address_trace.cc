#include "frontends/llvm_ir/address_trace.h"

#include <llvm/IR/IRBuilder.h>

#include <filesystem>

#include "base/paths.h"
#include "frontends/llvm_ir/location.h"
#include "frontends/llvm_ir/module.h"

namespace perfcast::llvm_ir {
namespace {

// A call before each load and store of the region: address; line, bytes and whether it stores in one word.
int insert_calls(llvm::Module& module, const TraceRegion& region) {
  auto& context = module.getContext();
  auto routine = module.getOrInsertFunction("__perfcast_trace", llvm::Type::getVoidTy(context), llvm::PointerType::get(context, 0), llvm::Type::getInt64Ty(context));
  std::vector<llvm::Instruction*> places;
  for (auto& function : module)
    for (auto& block : function)
      for (auto& i : block) {
        if (!llvm::isa<llvm::LoadInst>(i) && !llvm::isa<llvm::StoreInst>(i)) continue;
        Location at = location_of(i.getDebugLoc().get());
        if (at.file == region.file && at.line >= region.first_line && at.line <= region.last_line) places.push_back(&i);
      }
  for (llvm::Instruction* i : places) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(i);
    llvm::Value* address = store ? store->getPointerOperand() : llvm::cast<llvm::LoadInst>(i)->getPointerOperand();
    llvm::Type* type = store ? store->getValueOperand()->getType() : i->getType();
    std::uint64_t bytes = module.getDataLayout().getTypeStoreSize(type).getKnownMinValue();
    std::uint64_t what = (static_cast<std::uint64_t>(i->getDebugLoc().getLine()) << 32) | ((bytes & 0xffff) << 8) | (store ? 1 : 0);
    llvm::IRBuilder<> builder(i);
    builder.CreateCall(routine, {builder.CreatePointerBitCastOrAddrSpaceCast(address, llvm::PointerType::get(context, 0)), builder.getInt64(what)});
  }
  return static_cast<int>(places.size());
}

}  // namespace

Result<int> trace_addresses(const CompiledProgram& program, const TraceRegion& region, const CountOptions& options) {
  std::vector<std::string> objects;
  int places = 0;
  for (std::size_t u = 0; u < program.units.size(); u++) {
    TRY(LoadedModule loaded, load_module(program.units[u].final_bitcode));
    places += insert_calls(*loaded.module, region);
    const std::string bitcode = program.scratch.file("unit" + std::to_string(u) + ".traced.bc");
    CHECK_OK(save_module(*loaded.module, bitcode));
    objects.push_back(program.scratch.file("unit" + std::to_string(u) + ".traced.o"));
    CHECK_OK(run_compiler(code_generation_command(program.units[u], bitcode, objects.back()), {}, program.units[u].source));
  }
  if (places == 0) return unfit("no load or store lies on these lines", region.file + ":" + std::to_string(region.first_line), "name another loop");
  objects.push_back(program.scratch.file("address_trace.o"));
  std::vector<std::string> command = {find_program("clang-19").value_or("clang-19")};
  if (!program.target.empty()) command.push_back("--target=" + program.target);
  command.insert(command.end(), {"-O1", "-c", (bundled_data() / "runtime" / "address_trace.c").string(), "-o", objects.back()});
  CHECK_OK(run_compiler(command, {}, "data/runtime/address_trace.c"));
  RunRequest request;
  request.command = options.runner;
  request.command.push_back(program.scratch.file("traced"));
  CHECK_OK(link_program(program, objects, request.command.back(), {"-pthread"}));
  request.command.insert(request.command.end(), options.arguments.begin(), options.arguments.end());
  request.environment = options.environment;
  request.environment["PERFCAST_TRACE"] = std::filesystem::absolute(region.output).string();
  request.environment["PERFCAST_TRACE_LIMIT"] = std::to_string(static_cast<long long>(region.limit));
  if (!options.input_file.empty()) request.input_file = options.input_file;
  request.folder = options.folder, request.limits = options.limits;
  TRY(RunOutcome outcome, run_program(request));
  if (outcome.ending != Ending::exited) return unfit("the traced program " + outcome.how_it_ended(request.limits), region.output);
  return places;
}

}  // namespace perfcast::llvm_ir

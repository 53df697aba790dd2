#include "frontends/llvm_ir/address_trace.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <filesystem>

#include "base/paths.h"
#include "frontends/llvm_ir/location.h"
#include "frontends/llvm_ir/module.h"

namespace perfcast::llvm_ir {
namespace {

// One address that an instruction loads from or stores to, if the mask says so.
struct Touch {
  llvm::Value* address = nullptr;
  llvm::Value* mask = nullptr;  // nullptr: always
  std::uint64_t bytes = 0;
  bool store = false;
};

// Gathers and scatters touch an address per lane, masked loads and stores their first; copies and fills one for each side.
std::vector<Touch> touches_of(llvm::Instruction& i, llvm::IRBuilder<>& builder) {
  const llvm::DataLayout& layout = i.getModule()->getDataLayout();
  auto size_of = [&](llvm::Type* type) { return layout.getTypeStoreSize(type).getKnownMinValue(); };
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) return {{load->getPointerOperand(), nullptr, size_of(i.getType()), false}};
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) return {{store->getPointerOperand(), nullptr, size_of(store->getValueOperand()->getType()), true}};
  if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&i)) return {{update->getPointerOperand(), nullptr, size_of(i.getType()), true}};
  if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&i)) return {{exchange->getPointerOperand(), nullptr, size_of(exchange->getNewValOperand()->getType()), true}};
  auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  if (!call) return {};
  if (auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(call)) {
    auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy->getLength());
    std::vector<Touch> touched = {{copy->getDest(), nullptr, length ? length->getZExtValue() : 0, true}};
    if (auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(call)) touched.push_back({transfer->getSource(), nullptr, touched[0].bytes, false});
    return touched;
  }
  bool store = call->getIntrinsicID() == llvm::Intrinsic::masked_store || call->getIntrinsicID() == llvm::Intrinsic::masked_scatter;
  llvm::Type* data = store ? call->getArgOperand(0)->getType() : call->getType();
  switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::masked_load: return {{call->getArgOperand(0), nullptr, size_of(data), false}};
    case llvm::Intrinsic::masked_store: return {{call->getArgOperand(1), nullptr, size_of(data), true}};
    case llvm::Intrinsic::masked_gather:
    case llvm::Intrinsic::masked_scatter: {
      auto* shape = llvm::dyn_cast<llvm::FixedVectorType>(data);
      llvm::Value *addresses = call->getArgOperand(store ? 1 : 0), *mask = call->getArgOperand(store ? 3 : 2);
      std::vector<Touch> touched;
      for (unsigned lane = 0; shape && lane < shape->getNumElements(); lane++)
        touched.push_back({builder.CreateExtractElement(addresses, lane), builder.CreateExtractElement(mask, lane), size_of(shape->getElementType()), store});
      return touched;
    }
    default: return {};
  }
}

// The line of the region that an instruction was written on or inlined into; 0: none.
int line_in(const TraceRegion& region, const llvm::Instruction& i) {
  for (const llvm::DILocation* place = i.getDebugLoc().get(); place; place = place->getInlinedAt())
    if (Location at = location_of(place); at.file == region.file && at.line >= region.first_line && at.line <= region.last_line) return at.line;
  return 0;
}

// A call before each load and store of the region: address; line, bytes and whether it stores in one word.
int insert_calls(llvm::Module& module, const TraceRegion& region) {
  auto& context = module.getContext();
  auto* pointer = llvm::PointerType::get(context, 0);
  auto routine = module.getOrInsertFunction("__perfcast_trace", llvm::Type::getVoidTy(context), pointer, llvm::Type::getInt64Ty(context));
  std::vector<llvm::Instruction*> places;
  for (auto& function : module)
    for (auto& block : function)
      for (auto& i : block) {
        if (i.mayReadOrWriteMemory() && !llvm::isa<llvm::DbgInfoIntrinsic>(i) && line_in(region, i) > 0) places.push_back(&i);
      }
  int watched = 0;
  for (llvm::Instruction* i : places) {
    llvm::IRBuilder<> builder(i);
    auto touched = touches_of(*i, builder);
    watched += !touched.empty();
    for (const Touch& touch : touched) {
      constexpr std::uint64_t most = 0xffff;
      std::uint64_t what = (static_cast<std::uint64_t>(line_in(region, *i)) << 32) | (std::min(touch.bytes, most) << 8) | (touch.store ? 1 : 0);
      llvm::Value* address = builder.CreatePointerBitCastOrAddrSpaceCast(touch.address, pointer);
      if (touch.mask) address = builder.CreateSelect(touch.mask, address, llvm::ConstantPointerNull::get(pointer));
      builder.CreateCall(routine, {address, builder.getInt64(what)});
    }
  }
  return watched;
}

// Whether every thread's file has room left, by the sizes told in data/runtime/address_trace.c.
bool below_limit(const TraceRegion& region) {
  constexpr double head = 32, record = 16;
  for (int thread = 0;; thread++) {
    std::error_code missing;
    const auto bytes = std::filesystem::file_size(region.output + "." + std::to_string(thread), missing);
    if (missing) return true;
    if (static_cast<double>(bytes) >= head + record * region.limit) return false;
  }
}

}  // namespace

Result<Traced> trace_addresses(const CompiledProgram& program, const TraceRegion& region, const CountOptions& options) {
  std::vector<std::string> objects;
  Traced traced;
  for (std::size_t u = 0; u < program.units.size(); u++) {
    TRY(LoadedModule loaded, load_module(program.units[u].final_bitcode));
    traced.places += insert_calls(*loaded.module, region);
    const std::string bitcode = program.scratch.file("unit" + std::to_string(u) + ".traced.bc");
    CHECK_OK(save_module(*loaded.module, bitcode));
    objects.push_back(program.scratch.file("unit" + std::to_string(u) + ".traced.o"));
    CHECK_OK(run_compiler(code_generation_command(program.units[u], bitcode, objects.back()), {}, program.units[u].source));
  }
  if (traced.places == 0) return unfit("no load or store lies on these lines", region.file + ":" + std::to_string(region.first_line), "name another loop");
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
  traced.whole = below_limit(region);
  return traced;
}

}  // namespace perfcast::llvm_ir

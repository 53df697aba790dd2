#include "frontends/machine_code/codegen.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/CodeGen/MachineBasicBlock.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>

#include <set>

#include "frontends/llvm_ir/module.h"
#include "frontends/machine_code/llvm_target.h"
#include "frontends/machine_code/fatal_errors.h"

namespace perfcast::machine_code {
namespace {

using BlockNames = std::map<std::string, std::set<std::string>>;  // of the IR as it was given, by function

// The last pass before the assembler: what became of each IR block.
class RecordOrigins : public llvm::MachineFunctionPass {
 public:
  static char ID;
  RecordOrigins(GeneratedCode& code, const BlockNames& names) : MachineFunctionPass(ID), code_(code), names_(names) {}
  llvm::StringRef getPassName() const override { return "perfcast: origins of machine blocks"; }
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(llvm::MachineFunction& function) override {
    auto& blocks = code_.blocks[function.getName().str()];
    const auto given = names_.find(function.getName().str());
    for (const llvm::MachineBasicBlock& block : function) {
      MachineBlockOrigin origin;
      origin.id = block.getBBID()->BaseID;
      if (const llvm::BasicBlock* ir = block.getBasicBlock(); ir && ir->hasName()) {
        std::string name = ir->getName().str();
        if (given != names_.end() && given->second.contains(name)) origin.ir_block = std::move(name);
      }
      for (auto next = block.succ_begin(); next != block.succ_end(); ++next) {
        const llvm::BranchProbability guess = block.getSuccProbability(next);
        origin.successors.push_back((*next)->getBBID()->BaseID);
        origin.probabilities.push_back(double(guess.getNumerator()) / guess.getDenominator());
      }
      blocks.push_back(std::move(origin));
    }
    return false;
  }

 private:
  GeneratedCode& code_;
  const BlockNames& names_;
};
char RecordOrigins::ID = 0;

// Collects what LLVM complains about instead of printing it and ending the process.
struct Complaints : llvm::DiagnosticHandler {
  std::string* errors;
  explicit Complaints(std::string* errors) : errors(errors) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() == llvm::DS_Error) {
      llvm::raw_string_ostream out(*errors);
      llvm::DiagnosticPrinterRawOStream printer(out);
      info.print(printer);
      out << "; ";
    }
    return true;
  }
};

std::string attribute_of_functions(const llvm::Module& module, llvm::StringRef attribute) {
  for (const llvm::Function& function : module)
    if (!function.isDeclaration() && function.hasFnAttribute(attribute))
      return function.getFnAttribute(attribute).getValueAsString().str();
  return {};
}

// As clang's own set-up (initTargetOptions) for C, C++ and Fortran on Linux.
llvm::TargetOptions target_options(const llvm::Triple& triple, const CodegenOptions& options) {
  llvm::TargetOptions o;
  o.AllowFPOpFusion = options.fast_contract ? llvm::FPOpFusion::Fast : llvm::FPOpFusion::Standard;
  o.UseInitArray = true;
  o.DebuggerTuning = llvm::DebuggerKind::GDB;
  o.EmitAddrsig = true;
  o.BBAddrMap = true;
  if (triple.isAArch64()) o.EnableTLSDESC = true, o.MCOptions.ABIName = "aapcs";
  return o;
}

llvm::CodeGenOptLevel level_of(int optimization) {
  switch (optimization) {
    case 0: return llvm::CodeGenOptLevel::None;
    case 1: return llvm::CodeGenOptLevel::Less;
    case 2: return llvm::CodeGenOptLevel::Default;
    default: return llvm::CodeGenOptLevel::Aggressive;
  }
}

Result<std::unique_ptr<llvm::LLVMTargetMachine>> make_machine(llvm::Module& module, const CodegenOptions& options) {
  llvm::Triple triple(module.getTargetTriple());
  TRY(const llvm::Target* target, find_target(triple));
  std::string cpu = options.cpu.empty() ? attribute_of_functions(module, "target-cpu") : options.cpu;
  const auto relocation = module.getPICLevel() == llvm::PICLevel::NotPIC ? llvm::Reloc::Static : llvm::Reloc::PIC_;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple.str(), cpu, attribute_of_functions(module, "target-features"), target_options(triple, options), relocation,
      module.getCodeModel(), level_of(options.optimization)));
  if (!machine) return unfit("LLVM cannot generate code", triple.str());
  if (auto threshold = module.getLargeDataThreshold()) machine->setLargeDataThreshold(*threshold);
  return std::unique_ptr<llvm::LLVMTargetMachine>(static_cast<llvm::LLVMTargetMachine*>(machine.release()));
}

BlockNames names_of_blocks(const llvm::Module& module) {
  BlockNames names;
  for (const llvm::Function& function : module)
    for (const llvm::BasicBlock& block : function)
      if (block.hasName()) names[function.getName().str()].insert(block.getName().str());
  return names;
}

// The pipeline of LLVMTargetMachine::addPassesToEmitFile, with our pass before the printer.
Status run_pipeline(llvm::Module& module, llvm::LLVMTargetMachine& machine, GeneratedCode& code) {
  const BlockNames names = names_of_blocks(module);
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream out(object);
  llvm::legacy::PassManager passes;
  llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
  passes.add(llvm::createTargetTransformInfoWrapperPass(machine.getTargetIRAnalysis()));
  passes.add(new llvm::TargetLibraryInfoWrapperPass(library));
  auto* info = new llvm::MachineModuleInfoWrapperPass(&machine);
  llvm::TargetPassConfig* config = machine.createPassConfig(passes);
  config->setDisableVerify(true);
  passes.add(config);
  passes.add(info);
  if (config->addISelPasses()) return unfit("LLVM cannot select instructions", machine.getTargetTriple().str());
  config->addMachinePasses();
  config->setInitialized();
  passes.add(new RecordOrigins(code, names));
  if (machine.addAsmPrinter(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile, info->getMMI().getContext()))
    return unfit("LLVM cannot write object files", machine.getTargetTriple().str());
  passes.add(llvm::createFreeMachineFunctionPass());
  passes.run(module);
  code.object.assign(object.begin(), object.end());
  return {};
}

Result<GeneratedCode> compile(llvm::Module& module, const CodegenOptions& options) {
  std::string errors;
  module.getContext().setDiagnosticHandler(std::make_unique<Complaints>(&errors));
  GeneratedCode code;
  try {
    FatalErrorsAreThrown guard;
    TRY(auto machine, make_machine(module, options));
    module.setDataLayout(machine->createDataLayout());
    code.triple = machine->getTargetTriple().str(), code.cpu = machine->getTargetCPU().str();
    CHECK_OK(run_pipeline(module, *machine, code));
  } catch (const Fatal& fatal) {
    errors += fatal.what;
  }
  if (!errors.empty()) return unfit("the code generator gave up: " + errors, module.getSourceFileName());
  return code;
}

}  // namespace

Result<GeneratedCode> generate_code(const llvm::Module& module, const CodegenOptions& options) {
  // A trip through bitcode, not CloneModule: clang reads its module from a file too, and the order of use lists, which
  // can change the code, is then the same. A context of its own keeps the caller's untouched.
  llvm::SmallVector<char, 0> bitcode;
  llvm::raw_svector_ostream out(bitcode);
  llvm::WriteBitcodeToFile(module, out);
  llvm::LLVMContext context;
  context.setDiscardValueNames(false);
  auto copy = llvm::parseBitcodeFile({llvm::StringRef(bitcode.data(), bitcode.size()), module.getName()}, context);
  if (!copy) return unfit("cannot copy the module: " + llvm::toString(copy.takeError()), module.getSourceFileName());
  return compile(**copy, options);
}

Result<GeneratedCode> generate_code_from_file(const std::string& ir_file, const CodegenOptions& options) {
  llvm::LLVMContext context;
  context.setDiscardValueNames(false);
  llvm::SMDiagnostic problem;
  auto module = llvm::parseIRFile(ir_file, problem, context);
  if (!module) return unfit("cannot be read as LLVM IR: " + problem.getMessage().str(), ir_file);
  llvm_ir::name_blocks(*module);
  return compile(*module, options);
}

}  // namespace perfcast::machine_code

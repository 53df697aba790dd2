#include "frontends/llvm_ir/same_meaning.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/raw_ostream.h>

#include <map>
#include <vector>

namespace perfcast::llvm_ir {
namespace {

template <typename Printable>
std::string printed(const Printable& what) {
  std::string text;
  llvm::raw_string_ostream out(text);
  what.print(out);
  return text;
}

// A type with its named structures written out.
std::string shape(const llvm::Type* type) {
  if (const auto* array = llvm::dyn_cast<llvm::ArrayType>(type))
    return "[" + std::to_string(array->getNumElements()) + " x " + shape(array->getElementType()) + "]";
  const auto* structure = llvm::dyn_cast<llvm::StructType>(type);
  if (!structure || structure->isOpaque()) return printed(*type);
  std::string text = structure->isPacked() ? "<{" : "{";
  for (const llvm::Type* element : structure->elements()) text += shape(element) + ",";
  return text + "}";
}

// The registers a value travels in: both calling conventions hand out registers of the two kinds in order, so that a pair
// of integers is two integers, however the front end wrote it.
void add_registers(const llvm::Type* type, std::vector<std::string>& registers) {
  if (type->isVoidTy()) return;
  if (type->isAggregateType()) {
    const auto* array = llvm::dyn_cast<llvm::ArrayType>(type);
    const unsigned parts = array ? static_cast<unsigned>(array->getNumElements()) : type->getStructNumElements();
    for (unsigned i = 0; i < parts; i++) add_registers(array ? array->getElementType() : type->getStructElementType(i), registers);
  } else if (type->isPointerTy() || type->isIntegerTy()) {
    const unsigned words = type->isIntegerTy() ? (type->getIntegerBitWidth() + 63) / 64 : 1;
    registers.insert(registers.end(), words, "integer");
  } else {
    registers.push_back(printed(*type));
  }
}

// How a routine is called: the registers of its result, of each argument, and what is passed in memory. Objects of empty
// classes at the end are left out: one convention passes a byte of nothing for them, the other does not.
std::vector<std::vector<std::string>> convention_of(const llvm::Function& function) {
  std::vector<std::vector<std::string>> parts(1);
  add_registers(function.getReturnType(), parts[0]);
  unsigned arguments = static_cast<unsigned>(function.arg_size());
  while (arguments > 0 && function.getArg(arguments - 1)->getType()->isIntegerTy(8)) arguments--;
  std::vector<std::string> all;
  for (unsigned i = 0; i < arguments; i++) {
    const llvm::Argument& argument = *function.getArg(i);
    if (argument.hasByValAttr() || argument.hasStructRetAttr()) all.push_back(argument.hasByValAttr() ? "by value" : "result");
    add_registers(argument.getType(), all);
  }
  parts.push_back(std::move(all));
  return parts;
}

// The test whether a static variable is initialised; it looks at a bit on one instruction set, at a byte on the other.
bool tests_guard(const llvm::Instruction& instruction) {
  const auto* load = instruction.getOpcode() == llvm::Instruction::And ? llvm::dyn_cast<llvm::LoadInst>(instruction.getOperand(0)) : nullptr;
  return load && load->getPointerOperand()->getName().starts_with("_ZGV");
}

// Constants that a function computes with and routines it calls outside the program. Not those of the instructions that
// pass arguments: addresses of fields, copies.
std::map<std::string, int> ingredients_of(const llvm::Function& function) {
  std::map<std::string, int> found;
  for (const auto& instruction : llvm::instructions(function)) {
    if (llvm::isa<llvm::IntrinsicInst, llvm::GetElementPtrInst, llvm::AllocaInst>(instruction) || tests_guard(instruction)) continue;
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      if (const llvm::Function* callee = call->getCalledFunction(); callee && callee->isDeclaration()) found[callee->getName().str()]++;
    for (const llvm::Value* operand : instruction.operand_values())
      if (llvm::isa<llvm::ConstantInt, llvm::ConstantFP>(operand)) found[printed(*operand)]++;
  }
  return found;
}

std::string difference_of_layouts(const llvm::Module& one, const llvm::Module& other) {
  std::map<std::string, std::string> shapes;
  for (const llvm::StructType* type : other.getIdentifiedStructTypes()) shapes[type->getName().str()] = shape(type);
  for (const llvm::StructType* type : one.getIdentifiedStructTypes()) {
    const std::string name = type->getName().str();
    if (name.find(".anon") != name.npos) continue;  // numbered, and part of another
    if (auto there = shapes.find(name); there == shapes.end() || there->second != shape(type)) return "the layout of " + name;
  }
  return "";
}

std::string difference_of_variables(const llvm::Module& one, const llvm::Module& other) {
  for (const llvm::GlobalVariable& variable : one.globals()) {
    const llvm::GlobalVariable* there = other.getGlobalVariable(variable.getName(), true);
    const bool same = there && there->hasInitializer() == variable.hasInitializer() && shape(there->getValueType()) == shape(variable.getValueType()) &&
                      (!variable.hasInitializer() || printed(*there->getInitializer()) == printed(*variable.getInitializer()));
    if (!same) return "the variable " + variable.getName().str();
  }
  return "";
}

}  // namespace

std::string difference_in_meaning(const llvm::Module& one, const llvm::Module& other) {
  if (std::string layouts = difference_of_layouts(one, other); !layouts.empty()) return layouts;
  if (std::string variables = difference_of_variables(one, other); !variables.empty()) return variables;
  for (const llvm::Function& function : one) {
    if (function.isIntrinsic() || (function.isDeclaration() && function.use_empty())) continue;
    const std::string name = function.getName().str();
    const llvm::Function* there = other.getFunction(name);
    if (!there || there->isDeclaration() != function.isDeclaration()) return "the routine " + name;
    if (function.isDeclaration() && convention_of(function) != convention_of(*there)) return "the calling convention of " + name;
    if (ingredients_of(function) != ingredients_of(*there)) return "a constant of the system in " + name;
  }
  return "";
}

}  // namespace perfcast::llvm_ir

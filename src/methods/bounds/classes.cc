#include "methods/bounds/classes.h"

#include <algorithm>

namespace perfcast::bounds {
namespace {

bool has(const std::string& text, std::initializer_list<const char*> any) {
  return std::ranges::any_of(any, [&](const char* part) { return text.find(part) != std::string::npos; });
}

// Elements of the vectors a packed instruction works on, by the ending of LLVM's opcode: PD, PS, v2f64, v4f32, ...
int lanes_of(const InstructionForm& form) {
  const std::string& op = form.opcode;
  if (auto at = op.find('v'); at != std::string::npos && at + 1 < op.size() && std::isdigit(static_cast<unsigned char>(op[at + 1])))
    return std::max(1, std::atoi(op.c_str() + at + 1));
  int bits = std::max(form.vector_bits, 0);
  if (has(op, {"PD"})) return std::max(1, bits / 64);
  if (has(op, {"PS"}) && !has(op, {"PSS"})) return std::max(1, bits / 32);
  return 1;
}

bool starts(const std::string& text, std::initializer_list<const char*> any) {
  return std::ranges::any_of(any, [&](const char* part) { return text.starts_with(part); });
}

// Whether an instruction on vector registers works on integers: x86-64 names those (V)P..., but for permutations of reals; AArch64
// tells by the shape, v4i32, but names what works on reals F...
bool on_integers(const std::string& op) {
  if (starts(op, {"P", "VP", "MOVDQ", "VMOVDQ"})) return !has(op, {"PERMP", "PERMILP", "PERMT2P", "PERMI2P", "PERM2F128"});
  const std::size_t shape = op.find('v');
  if (shape == std::string::npos || op.starts_with("F")) return false;
  const std::size_t letter = op.find_first_not_of("0123456789", shape + 1);
  return letter != std::string::npos && op[letter] == 'i';
}

// x86-64 has arithmetic with an operand in memory, an m in the lower-case end of its name: INC32m, MAXSDrm. Other instruction sets only
// load and store.
bool computes_in_memory(const std::string& op) {
  if (starts(op, {"LD", "ST", "LOAD", "STORE", "MOV", "VMOV", "CMOV", "PUSH", "POP", "PMOV", "VPMOV", "PREFETCH", "XCHG", "KMOV"})) return false;
  if (has(op, {"BROADCAST", "GATHER", "SCATTER", "MASKMOV", "INSERT", "PINSR", "EXTRACT", "PEXTR"})) return false;
  const std::size_t end = op.find_first_of("abcdefghijklmnopqrstuvwxyz");
  return end != std::string::npos && op.find('m', end) != std::string::npos;
}

Kind float_kind(const std::string& op) {
  if (has(op, {"FMADD", "FMSUB", "FNMADD", "FNMSUB", "FMLA", "FMLS"}) || op == "FMA") return Kind::fused;
  if (has(op, {"DIV", "SQRT"})) return Kind::divide;
  if (has(op, {"ADDSD", "ADDSS", "ADDPD", "ADDPS", "SUBSD", "SUBSS", "SUBPD", "SUBPS", "FADD", "FSUB"})) return Kind::add;
  if (has(op, {"MULSD", "MULSS", "MULPD", "MULPS", "FMUL", "FNMUL"})) return Kind::multiply;
  return Kind::other_float;
}

// A plain move between registers.
bool is_copy(const InstructionForm& form, const Instruction& instruction) {
  if (form.load || form.store || form.branch) return false;
  const std::string& op = form.opcode;
  if (op.starts_with("MOV32rr") || op.starts_with("MOV64rr") || op.starts_with("MOV8rr") || op == "MOVE") return true;
  if (has(op, {"MOVAPSr", "MOVAPDr", "MOVDQAr", "MOVUPSr", "MOVUPDr", "VMOVAPSYr", "VMOVAPSZr"}) && !has(op, {"rm", "mr"})) return true;
  if (op == "FMOVDr" || op == "FMOVSr") return true;
  return instruction.text.starts_with("mov\t") && (op.starts_with("ORR"));
}

// A fixed place in the frame: 8(%rsp), -24(%rbp), [sp, #16], [x29, #-8]. With an index it is an array on the stack, and
// without a negative offset %rbp and x29 may be registers like any other.
bool on_stack(const Instruction& instruction) {
  const std::string& text = instruction.text;
  if (has(text, {"(%rsp)", "[sp]", "[sp, #", "[x29, #-"})) return true;
  auto frame = text.find("(%rbp)");
  if (frame == std::string::npos) return false;
  auto start = text.find_last_of("\t ,", frame);
  return start != std::string::npos && text[start + 1] == '-';
}

// x86-64 names packed integers (V)P..., packed reals ...PD and ...PS, single ones ...SD and ...SS.
Packing x86_packing(const std::string& opcode) {
  std::string op = opcode[0] == 'V' ? opcode.substr(1) : opcode;
  if (has(op, {"BROADCAST", "SHUF", "UNPCK", "PERM", "BLEND", "EXTRACT", "INSERT", "PINSR", "PEXTR", "ALIGN", "MOVH", "MOVL", "DUP", "PACK"})) return Packing::neither;
  if (op.starts_with("P") || op.starts_with("MOVDQ") || op.starts_with("MOVNT") || op.starts_with("GATHER") || op.starts_with("SCATTER")) return Packing::packed;
  if (has(op, {"ANDPS", "ANDPD", "ANDNPS", "ANDNPD", "ORPS", "ORPD"})) return Packing::neither;  // of a scalar as often as not
  if (has(op, {"SD", "SS", "SI2", "MOVQ", "MOVD"})) return Packing::scalar;
  return has(op, {"PD", "PS", "PH"}) ? Packing::packed : Packing::neither;
}

// AArch64 names the shape of vectors (v2f64); whole registers are Q; scalable ones have _Z in the name.
Packing arm_packing(const std::string& op) {
  if (has(op, {"MOVI", "DUP", "INSv", "UMOV", "SMOV", "ZIP", "UZP", "TRN", "EXTv"})) return Packing::neither;
  if (has(op, {"_Z"})) return Packing::packed;
  for (std::size_t at = op.find('v'); at != std::string::npos; at = op.find('v', at + 1))
    if (at + 1 < op.size() && std::isdigit(static_cast<unsigned char>(op[at + 1]))) return op[at + 1] == '1' && op.substr(at, 3) == "v1i" ? Packing::scalar : Packing::packed;
  return has(op, {"LDRQ", "STRQ", "LDPQ", "STPQ", "LDURQ", "STURQ", "LDNPQ", "STNPQ"}) ? Packing::packed : Packing::scalar;
}

}  // namespace

Classified classify(const InstructionForm& form, const Instruction& instruction) {
  Classified made;
  const std::string& op = form.opcode;
  if (form.nop || op.ends_with("NOP")) return made.kind = Kind::nop, made;
  made.spill = (form.load || form.store) && on_stack(instruction);
  if (form.call) return made.kind = Kind::call, made;
  if (form.branch || form.ret) return made.kind = Kind::branch, made;
  Kind arithmetic = form.floating && !on_integers(op) ? float_kind(op) : Kind::integer;
  bool computes = arithmetic != Kind::other_float && arithmetic != Kind::integer;
  made.real = form.floating && !on_integers(op);
  if ((form.load || form.store) && !computes && !computes_in_memory(op)) return made.kind = form.load ? Kind::load : Kind::store, made.also_store = form.load && form.store, made;
  if (is_copy(form, instruction)) return made.kind = Kind::copy, made;
  made.kind = arithmetic, made.also_load = form.load, made.also_store = form.store;
  if (!computes) return made;
  made.single = has(op, {"SS", "PS", "f32"}) || op.find("Srr") != std::string::npos;
  made.lanes = lanes_of(form), made.flops = made.lanes * (arithmetic == Kind::fused ? 2.0 : 1.0);
  return made;
}

void count(const Classified& instruction, double times, OperationClasses& into) {
  switch (instruction.kind) {
    case Kind::add: into.add += times; break;
    case Kind::multiply: into.multiply += times; break;
    case Kind::fused: into.fused += times; break;
    case Kind::divide: into.divide += times; break;
    case Kind::other_float: into.other_float += times; break;
    case Kind::integer: into.integer += times; break;
    case Kind::load: into.loads += times; break;
    case Kind::store: into.stores += times; break;
    case Kind::branch: into.branches += times; break;
    case Kind::copy: into.copies += times; break;
    case Kind::call: into.calls += times; break;
    case Kind::nop: break;
    case Kind::other: into.others += times; break;
  }
  if (instruction.also_load) into.loads += times;
  if (instruction.also_store) into.stores += times;
  into.flops += times * instruction.flops;
}

OperationClasses compiled_classes(const Profile& profile, const LoopGroup& group) {
  OperationClasses classes;
  const Function& function = profile.machine->functions[static_cast<std::size_t>(group.function)];
  for (int b : group.blocks) {
    const Block& block = function.blocks[static_cast<std::size_t>(b)];
    for (const Instruction& instruction : block.code)
      count(classify(profile.forms[static_cast<std::size_t>(instruction.form)], instruction), block.count.value / group.iterations, classes);
  }
  return classes;
}

OperationClasses essential_classes(const SourceLoop& needs) {
  OperationClasses classes;
  for (const auto& [name, times] : needs.operations) {
    std::string operation = name.substr(0, name.find('.'));
    if (operation == "fadd") classes.add += times;
    else if (operation == "fmul") classes.multiply += times;
    else if (operation == "fma") classes.fused += times;
    else if (operation == "fdiv" || operation == "sqrt" || operation == "frem") classes.divide += times;
    else if (name.find(".f") != std::string::npos || operation == "fmisc") classes.other_float += times;
    else classes.integer += times;
  }
  for (const Reference& reference : needs.references) (reference.store ? classes.stores : classes.loads) += reference.elements;
  for (const auto& [name, times] : needs.calls) classes.calls += times;
  classes.branches = needs.branches, classes.flops = needs.flops;
  return classes;
}

Packing packing_of(const InstructionForm& form, const Instruction& instruction, const std::string& isa) {
  if (form.vector_bits == 0 || instruction.same_sources || is_copy(form, instruction) || form.opcode.empty()) return Packing::neither;
  if ((form.load || form.store) && form.memory_bytes * 8 == form.vector_bits) return Packing::packed;
  return isa == "aarch64" ? arm_packing(form.opcode) : x86_packing(form.opcode);
}

int vector_bits_used(const Profile& profile, const LoopGroup& group) {
  const Function& function = profile.machine->functions[static_cast<std::size_t>(group.function)];
  std::map<int, double> executed;
  for (int b : group.blocks) {
    const Block& block = function.blocks[static_cast<std::size_t>(b)];
    for (const Instruction& instruction : block.code) {
      const InstructionForm& form = profile.forms[static_cast<std::size_t>(instruction.form)];
      Packing packing = packing_of(form, instruction, profile.run.isa);
      if (packing == Packing::neither) continue;
      bool packed = packing == Packing::packed;
      executed[packed ? form.vector_bits : 0] += block.count.value * (packed ? form.vector_bits / 64.0 : 1);
    }
  }
  auto most = std::ranges::max_element(executed, {}, [](const auto& entry) { return entry.second; });
  return most == executed.end() ? 0 : most->first;
}

}  // namespace perfcast::bounds

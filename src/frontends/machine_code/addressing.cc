#include "frontends/machine_code/addressing.h"

#include <llvm/MC/MCInst.h>
#include <llvm/Support/raw_ostream.h>

#include <regex>
#include <string>
#include <string_view>

namespace perfcast::machine_code {
namespace {

using llvm::StringRef;

// ---------------------------------------------------------------------------------------------------- x86-64

// Intel's dialect names the size of a memory operand: "vaddpd ymm0, ymm1, ymmword ptr [rax]".
int x86_memory_bytes(const LlvmTarget& target, const llvm::MCInst& instruction, std::uint64_t address) {
  std::string text;
  llvm::raw_string_ostream out(text);
  target.sized_printer->printInst(&instruction, address, "", *target.subtarget, out);
  static constexpr std::pair<std::string_view, int> sizes[] = {
      {"zmmword ptr", 64}, {"ymmword ptr", 32}, {"xmmword ptr", 16}, {"tbyte ptr", 10}, {"qword ptr", 8},
      {"fword ptr", 6},    {"dword ptr", 4},    {"byte ptr", 1},     {"word ptr", 2}};
  for (auto [word, bytes] : sizes)
    if (text.find(word) != std::string::npos) return bytes;
  return 0;
}

void x86_stack_access(StringRef opcode, const llvm::MCInstrDesc& what, Addressing& a) {
  if (a.bytes) return;
  if (opcode.starts_with("PUSH") || opcode.starts_with("POP") || what.isCall() || what.isReturn() || opcode == "LEAVE64")
    a.bytes = 8;
}

Addressing x86_addressing(const LlvmTarget& target, const llvm::MCInst& instruction, std::uint64_t address,
                          std::uint64_t size) {
  Addressing a;
  const llvm::MCInstrDesc& what = target.instructions->get(instruction.getOpcode());
  const StringRef opcode = target.instructions->getName(instruction.getOpcode());
  const unsigned count = std::min<unsigned>(instruction.getNumOperands(), what.getNumOperands());
  unsigned first = 0, run = 0;
  if (opcode.starts_with("LEA") && count >= 6) first = 1, run = 5;  // its address is no memory operand to LLVM
  for (unsigned k = 0; k < count && run < 5; ++k) {
    if (what.operands()[k].OperandType == llvm::MCOI::OPERAND_MEMORY) {
      if (run++ == 0) first = k;
    } else if (run) {
      break;
    }
  }
  if (run == 5 && instruction.getOperand(first + 1).isImm()) {  // base, scale, index, displacement, segment
    const auto& base = instruction.getOperand(first);
    const auto& index = instruction.getOperand(first + 2);
    const auto& displacement = instruction.getOperand(first + 3);
    a.operands = {first, first + 2};
    a.constants = {first + 1, first + 3, first + 4};
    a.indexed = index.isReg() && index.getReg() && StringRef(target.registers->getName(index.getReg())) != "RIZ";
    if (a.indexed) a.scale = static_cast<int>(instruction.getOperand(first + 1).getImm());
    if (displacement.isImm()) {
      a.displacement = displacement.getImm();
      if (base.isReg() && base.getReg() && StringRef(target.registers->getName(base.getReg())) == "RIP")
        a.displacement = static_cast<std::int64_t>(address + size) + displacement.getImm();
    }
  } else {  // string operations: a register and perhaps a segment
    for (unsigned k = first; k < first + run; ++k) a.operands.push_back(k);
  }
  if (run && !opcode.starts_with("LEA")) a.bytes = x86_memory_bytes(target, instruction, address);
  x86_stack_access(opcode, what, a);
  return a;
}

// ---------------------------------------------------------------------------------------------------- AArch64

int bytes_of_letter(char letter) {
  switch (letter) {
    case 'B': return 1;
    case 'H': return 2;
    case 'W': case 'S': return 4;
    case 'X': case 'D': return 8;
    case 'Q': return 16;
    default: return 0;
  }
}

// v16b, v2d: 16 bytes; v8b, v1d: 8.
int bytes_of_shape(const std::string& lanes, char element) { return std::stoi(lanes) * bytes_of_letter(std::toupper(element)); }

int bytes_of_structure(const std::string& name) {
  static const std::regex whole("^(?:LD|ST)([1-4])(One|Two|Three|Four)v(\\d+)([bhsd])");
  static const std::regex lane("^(?:LD|ST)([1-4])i(8|16|32|64)");
  static const std::regex replicated("^LD([1-4])Rv\\d+([bhsd])");
  std::smatch m;
  if (std::regex_search(name, m, whole)) {
    const int registers = m[2] == "One" ? 1 : m[2] == "Two" ? 2 : m[2] == "Three" ? 3 : 4;
    return registers * bytes_of_shape(m[3], m[4].str()[0]);
  }
  if (std::regex_search(name, m, lane)) return std::stoi(m[1]) * std::stoi(m[2]) / 8;
  if (std::regex_search(name, m, replicated)) return std::stoi(m[1]) * bytes_of_letter(std::toupper(m[2].str()[0]));
  return 0;
}

Addressing aarch64_addressing(const LlvmTarget& target, const llvm::MCInst& instruction, std::uint64_t address) {
  Addressing a;
  const llvm::MCInstrDesc& what = target.instructions->get(instruction.getOpcode());
  const StringRef opcode = target.instructions->getName(instruction.getOpcode());
  if (!what.mayLoad() && !what.mayStore() && !opcode.starts_with("PRF")) return a;
  const unsigned count = std::min<unsigned>(instruction.getNumOperands(), what.getNumOperands());
  std::optional<unsigned> base;
  for (unsigned k = what.getNumDefs(); k < count && !base; ++k) {
    const int kind = what.operands()[k].RegClass;
    if (instruction.getOperand(k).isReg() && kind >= 0 &&
        StringRef(target.registers->getRegClassName(&target.registers->getRegClass(kind))) == "GPR64sp")
      base = k;
  }
  a.bytes = aarch64_memory_bytes(opcode, 128);
  a.write_back = opcode.ends_with("pre") || opcode.ends_with("post") || opcode.contains("_POST");
  if (!base) {  // a literal beside the code
    const auto& last = instruction.getOperand(count - 1);
    if (opcode.starts_with("LDR") && opcode.ends_with("l") && last.isImm())
      a.displacement = static_cast<std::int64_t>(address) + 4 * last.getImm(), a.constants = {count - 1};
    return a;
  }
  a.operands = {*base};
  auto constant = [&](unsigned k) -> std::optional<std::int64_t> {
    if (k >= count || !instruction.getOperand(k).isImm()) return std::nullopt;
    a.constants.push_back(k);
    return instruction.getOperand(k).getImm();
  };
  if (opcode.ends_with("roX") || opcode.ends_with("roW")) {
    a.operands.push_back(*base + 1), a.indexed = true;
    constant(*base + 2);  // sign extension
    if (constant(*base + 3).value_or(0) && a.bytes) a.scale = a.bytes;
    return a;
  }
  if (opcode.contains("_POST")) return a;  // the step is a register or fixed
  const auto value = constant(*base + 1);
  if (!value) {
    a.displacement = 0;
    return a;
  }
  const bool pair = opcode.starts_with("LDP") || opcode.starts_with("STP") || opcode.starts_with("LDNP") || opcode.starts_with("STNP");
  const int unit = pair ? (opcode.starts_with("LDPSW") ? 4 : a.bytes / 2) : opcode.ends_with("ui") ? a.bytes : 1;
  a.displacement = opcode.ends_with("post") ? 0 : *value * unit;
  return a;
}

}  // namespace

int aarch64_memory_bytes(StringRef opcode, int vector_bits) {
  static const std::regex single("^(?:LD|ST)U?R(BB|HH|SBW|SBX|SHW|SHX|SW|B|H|W|X|S|D|Q)(?:ui|i|ro[XW]|pre|post|l)$");
  static const std::regex pair("^(?:LD|ST)N?P(SW|W|X|S|D|Q)(?:i|pre|post)$");
  static const std::regex atomic(
      "^(?:LDXP|LDAXP|STXP|STLXP|LDXR|LDAXR|STXR|STLXR|LDAR|LDLAR|STLR|LDAPR|LDAPUR|STLUR|CASP?|CASA|CASL|CASAL|SWP(?:A|L|AL)?|"
      "LD(?:ADD|CLR|EOR|SET|SMAX|SMIN|UMAX|UMIN)(?:A|L|AL)?)(B|H|W|X)");
  const std::string name = opcode.str();
  std::smatch m;
  if (std::regex_search(name, m, single)) {
    const std::string what = m[1];
    if (what == "SW") return 4;
    return what.size() == 3 ? bytes_of_letter(what[1]) : bytes_of_letter(what[0]);
  }
  if (std::regex_search(name, m, pair)) return m[1] == "SW" ? 8 : 2 * bytes_of_letter(m[1].str()[0]);
  if (const int bytes = bytes_of_structure(name)) return bytes;
  if (std::regex_search(name, m, atomic)) return (name.find("XP") != std::string::npos ? 2 : 1) * bytes_of_letter(m[1].str()[0]);
  static const std::regex scalable("^(?:LD|ST)(?:NT)?[1-4][BHWD]?_|^(?:LDR|STR)_ZXI");
  if (std::regex_search(name, scalable)) return vector_bits / 8;
  return 0;
}

Addressing addressing_of(const LlvmTarget& target, const llvm::MCInst& instruction, std::uint64_t address,
                         std::uint64_t size) {
  return target.x86() ? x86_addressing(target, instruction, address, size)
                      : aarch64_addressing(target, instruction, address);
}

}  // namespace perfcast::machine_code

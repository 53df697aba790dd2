#include "engine/instruction_class.h"

#include <regex>

#include "base/assert.h"

namespace perfcast::engine {
namespace {

// AArch64: FADDv2f64, SVE's FADD_ZPmZ_D. x86-64: VADDPDYrr, PADDQrm; not ADDSDrr, CVTSI2SDrr, MOVQI2PQIrr. What only
// moves, clears or rearranges registers (MOVAPSrr, XORPSrr, ORRv16i8) also occurs in scalar code and says nothing.
bool is_packed(const InstructionForm& form) {
  static const std::regex neon_or_sve("v[0-9]+[ifb]|_Z|ZZ|ZP"), sse_or_avx("P[SD]|^V?P[A-Z]"), scalar("[A-Z]S[SD](Z?)(r|m|Int|_|$)"),
      moves("MOV|XORP[SD]|PXOR|ANDN?P[SD]|^V?ORP[SD]|UNPCK|SHUF|^(ORR|MVNI|DUP|INS|EXT)v");
  if (!form.floating || std::regex_search(form.opcode, moves)) return false;
  if (std::regex_search(form.opcode, neon_or_sve)) return true;
  return std::regex_search(form.opcode, sse_or_avx) && !std::regex_search(form.opcode, scalar);
}

}  // namespace

const char* name_of(InstructionClass instruction_class) {
  switch (instruction_class) {
    case InstructionClass::integer: return "integer";
    case InstructionClass::floating: return "floating";
    case InstructionClass::vector: return "vector";
    case InstructionClass::load: return "load";
    case InstructionClass::store: return "store";
    case InstructionClass::branch: return "branch";
  }
  throw Bug("an instruction class without a name");
}

InstructionClass class_of(const InstructionForm& form) {
  if (form.branch || form.call || form.ret) return InstructionClass::branch;
  if (form.load) return InstructionClass::load;
  if (form.store) return InstructionClass::store;
  if (is_packed(form)) return InstructionClass::vector;
  return form.floating ? InstructionClass::floating : InstructionClass::integer;
}

}  // namespace perfcast::engine

#include "engine/values.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace perfcast::engine {
namespace {

using Kind = ValueForm::Kind;

// The register an operand names: the last of its units stands for it, which %al and %eax share (%ah is the other). -1: no such
// operand.
int register_at(const std::vector<RegisterUse>& uses, int nth, bool address) {
  int seen = -1, operand = -1, unit = -1;
  for (const auto& use : uses) {
    if (use.address != address) continue;
    if (use.operand != operand) {
      if (seen == nth) return unit;
      operand = use.operand, seen++, unit = use.unit;
    } else if (seen == nth) {
      unit = std::max(unit, use.unit);
    }
  }
  return seen == nth ? unit : -1;
}

bool has_prefix(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view p) { return text.starts_with(p); });
}

// The "#number" at a place of an AArch64 text.
std::optional<std::int64_t> constant_at(const std::string& text, std::size_t at) {
  if (at == std::string::npos) return {};
  return std::strtoll(text.c_str() + at + 1, nullptr, 0);
}
std::optional<std::int64_t> last_constant(const std::string& text) { return constant_at(text, text.rfind('#')); }
std::optional<std::int64_t> first_constant(const std::string& text) { return constant_at(text, text.find('#')); }

ValueForm linear(int a, std::int64_t scale_a, int b = -1, std::int64_t scale_b = 0, std::int64_t constant = 0) {
  return {Kind::linear, a, b, scale_a, scale_b, constant};
}

ValueForm number(std::int64_t value) { return {Kind::number, -1, -1, 0, 0, value}; }

struct Reading {
  const InstructionForm& form;
  const Instruction& instruction;
  std::string_view op = form.opcode;
  std::int64_t immediate = instruction.immediate.value_or(0);
  int a = register_at(instruction.uses, 0, false), b = register_at(instruction.uses, 1, false);
  bool ends(std::string_view suffix) const { return op.ends_with(suffix); }
  bool has_immediate() const { return instruction.immediate.has_value(); }

  // A sum or difference of what the operand shape says.
  ValueForm x86_sum(std::int64_t sign) const {
    constexpr int memory = ValueForm::memory_operand;
    if (ends("rr") || ends("rr_REV")) return linear(a, 1, b, sign);
    if (ends("rm")) return linear(a, 1, memory, sign);
    if (ends("mr")) return linear(memory, 1, a, sign);
    if (form.load && has_immediate()) return linear(memory, 1, -1, 0, sign * immediate);
    if (has_immediate()) return linear(a, 1, -1, 0, sign * immediate);
    return {Kind::some_function, a, b, 0, 0, 0};
  }
  ValueForm x86() const {
    constexpr int memory = ValueForm::memory_operand;
    if (has_prefix(op, {"MOVZX32rr8", "MOVZX64rr8"})) return masked(0xff);
    if (has_prefix(op, {"MOVZX32rr16", "MOVZX64rr16"})) return masked(0xffff);
    if (op.starts_with("MOV") && !form.floating) {
      if (form.load) return linear(memory, 1);
      if (a >= 0) return linear(a, 1);
      if (has_immediate()) return number(immediate);
    }
    if (has_prefix(op, {"POP1", "POP3", "POP6", "LEAVE"})) return linear(memory, 1);
    if (op.starts_with("PUSH")) return a >= 0 ? linear(a, 1) : number(immediate);
    if (op.starts_with("LEA")) return lea();
    if (has_prefix(op, {"ADD16", "ADD32", "ADD64"})) return x86_sum(1);
    if (has_prefix(op, {"SUB16", "SUB32", "SUB64"})) return instruction.same_sources ? number(0) : x86_sum(-1);
    if (op.starts_with("XOR") && instruction.same_sources) return number(0);
    if (has_prefix(op, {"INC", "DEC"})) return linear(form.load ? memory : a, 1, -1, 0, op[0] == 'I' ? 1 : -1);
    if (has_prefix(op, {"SHL32ri", "SHL64ri"})) return linear(a, std::int64_t{1} << (immediate & 63));
    if (has_prefix(op, {"SHL32r1", "SHL64r1"})) return linear(a, 2);
    if (has_prefix(op, {"SAR32ri", "SAR64ri", "SHR32ri", "SHR64ri"})) return shifted_down(immediate & 63);
    if (has_prefix(op, {"SAR32r1", "SAR64r1", "SHR32r1", "SHR64r1"})) return shifted_down(1);
    if (has_prefix(op, {"AND32rr", "AND64rr"}) && !instruction.same_sources) return {Kind::masked, a, b, 0, 0, 0};
    if (has_prefix(op, {"AND32ri", "AND64ri", "AND32i", "AND64i"})) return masked(immediate);
    if (has_prefix(op, {"IMUL32rri", "IMUL64rri"})) return linear(a, immediate);
    if (has_prefix(op, {"IMUL32rr", "IMUL64rr"})) return {Kind::product, a, b, 0, 0, 0};
    if (has_prefix(op, {"IMUL32rm", "IMUL64rm"})) return {Kind::product, a, memory, 0, 0, 0};
    return {Kind::some_function, a, b, 0, 0, immediate};
  }
  ValueForm shifted_down(std::int64_t by) const { return {Kind::shifted_down, a, -1, 0, 0, by}; }
  // An index kept within a table, the size of which is a power of two, as a ring buffer has it; other masks may be anything.
  ValueForm masked(std::int64_t bits, std::int64_t scale = 1) const {
    const bool is_size = bits >= 1 && (bits & (bits + 1)) == 0;
    return {is_size ? Kind::masked : Kind::some_function, a, -1, scale, 0, bits};
  }
  ValueForm lea() const {
    bool base_missing = form.indexed && b < 0;
    int base = base_missing ? -1 : a, index = base_missing ? a : form.indexed ? b : -1;
    return linear(base, 1, index, form.scale, instruction.displacement.value_or(0));
  }
  // ADDXrs and ADDXrx keep the shift in their immediate.
  std::int64_t second_scale() const {
    if (ends("rs")) return (immediate >> 6) == 0 ? std::int64_t{1} << (immediate & 63) : 0;
    if (ends("rx") || ends("rx64")) return std::int64_t{1} << (immediate & 7);
    return 1;
  }
  ValueForm aarch64_sum(std::int64_t sign) const {
    if (ends("ri")) {
      bool high = instruction.text.find("lsl #12") != std::string::npos;
      return linear(a, 1, -1, 0, sign * (immediate << (high ? 12 : 0)));
    }
    if (b < 0) return linear(a, sign);  // the other operand is the zero register
    if (auto scale = second_scale()) return linear(a, 1, b, sign * scale);
    return {Kind::some_function, a, b, 0, 0, immediate};
  }
  ValueForm aarch64() const {
    constexpr int memory = ValueForm::memory_operand;
    const std::string& text = instruction.text;
    if (form.load && !form.floating) return linear(memory, 1);
    if (has_prefix(op, {"ADDX", "ADDW", "ADDSX", "ADDSW"})) return aarch64_sum(1);
    if (has_prefix(op, {"SUBX", "SUBW", "SUBSX", "SUBSW"})) return aarch64_sum(-1);
    if (text.starts_with("mov ") && !form.floating)
      return a >= 0 ? linear(a, 1) : number(last_constant(text).value_or(0));
    if (has_prefix(text, {"sxtw ", "uxtw "})) return linear(a, 1);
    if (text.starts_with("uxtb ")) return masked(0xff);
    if (text.starts_with("uxth ")) return masked(0xffff);
    if (has_prefix(text, {"lsl ", "sbfiz ", "ubfiz "}) && b < 0) {
      const auto by = first_constant(text);
      if (!by) return {Kind::some_function, a, b, 0, 0, immediate};
      constexpr std::int64_t whole = 31;  // bits: as many are an index, fewer one that was masked
      const std::int64_t scale = std::int64_t{1} << (*by & 63), width = last_constant(text).value_or(whole);
      return text.starts_with("ubfiz ") && width < whole ? masked((std::int64_t{1} << width) - 1, scale) : linear(a, scale);
    }
    if (has_prefix(text, {"asr ", "lsr "}) && b < 0)
      if (auto by = last_constant(text)) return shifted_down(*by & 63);
    if (text.starts_with("and ") && b >= 0 && second_scale() == 1) return {Kind::masked, a, b, 0, 0, 0};
    if (text.starts_with("and ") && b < 0)
      if (auto bits = last_constant(text)) return masked(*bits);
    if (op == "ADRP") return linear(-1, 0, -1, 0, page());
    if (text.starts_with("mul ")) return {Kind::product, a, b, 0, 0, 0};
    return {Kind::some_function, a, b, 0, 0, immediate};
  }
  std::int64_t page() const {
    return static_cast<std::int64_t>(instruction.address & ~std::uint64_t{0xfff}) + (immediate << 12);
  }
};

// x86 opcodes carry a width behind a name in capitals; AArch64's integer registers are W and X. The text tells
// them apart: AT&T registers carry a percent sign.
bool is_x86(const Instruction& instruction) { return instruction.text.find('%') != std::string::npos; }

// Below the frame pointer lies a function's own frame; elsewhere that register is one like others.
bool is_on_stack(const InstructionForm& form, const Instruction& instruction, bool x86) {
  const std::string& text = instruction.text;
  if (!x86) return text.find("[sp") != std::string::npos || text.find("[x29, #-") != std::string::npos;
  if (has_prefix(form.opcode, {"PUSH", "POP", "CALL", "RET", "LEAVE"}) || text.find("(%rsp") != std::string::npos) return true;
  const auto frame = text.find("(%rbp)");
  return frame != std::string::npos && text.rfind('-', frame) != std::string::npos;
}

AddressForm address_form(const InstructionForm& form, const Instruction& instruction, bool x86) {
  AddressForm address;
  if (!form.load && !form.store) return address;
  int first = register_at(instruction.uses, 0, true), second = register_at(instruction.uses, 1, true);
  bool base_missing = x86 && form.indexed && second < 0;
  address.known = first >= 0 || instruction.displacement.has_value();
  address.base = base_missing ? -1 : first, address.index = base_missing ? first : form.indexed ? second : -1;
  address.scale = form.scale, address.displacement = instruction.displacement.value_or(0);
  if (x86 && has_prefix(form.opcode, {"PUSH", "POP1", "POP3", "POP6"})) {
    bool push = form.opcode.starts_with("PUSH");
    address.update = first, address.step = push ? -8 : 8, address.displacement = push ? -8 : 0;
  }
  if (form.write_back) {
    address.update = first;
    bool after = form.opcode.find("post") != std::string::npos || form.opcode.find("POST") != std::string::npos;
    address.step = after ? last_constant(instruction.text).value_or(0) : address.displacement;
  }
  return address;
}

}  // namespace

std::uint64_t arbitrary(std::uint64_t seed) {
  seed += 0x9e3779b97f4a7c15u;
  seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9u;
  seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebu;
  return (seed ^ (seed >> 31)) & ~std::uint64_t{63};
}

std::uint64_t arbitrary_word(std::uint64_t address, int bytes) {
  constexpr std::uint64_t small = (std::uint64_t{1} << 30) - 1;
  return bytes <= 4 ? arbitrary(address) & small : arbitrary(address);
}

void describe_values(StaticInstruction& out, const InstructionForm& form, const Instruction& instruction) {
  bool x86 = is_x86(instruction);
  out.on_stack = (form.load || form.store) && is_on_stack(form, instruction, x86);
  Reading reading{form, instruction};
  out.address = address_form(form, instruction, x86);
  ValueForm value = x86 ? reading.x86() : reading.aarch64();
  if (value.kind == Kind::some_function) value.constant ^= static_cast<std::int64_t>(arbitrary(form.opcode.size()));
  if (form.store && !form.load && !x86) {  // AArch64: one or two registers go to memory
    for (int nth = 0; nth < 2; nth++)
      if (int unit = register_at(instruction.uses, nth, false); unit >= 0) out.values.push_back(linear(unit, 1));
    if (out.values.empty()) out.values.push_back(number(0));
    return;
  }
  if (form.floating) return;  // vectors form no addresses, apart from gathers, which are unknown anyway
  int operand = -1, unit = -1;
  auto flush = [&] {
    if (operand >= 0 && unit != out.address.update) out.value_units.push_back(unit), out.values.push_back(value);
  };
  for (const auto& def : instruction.defs) {
    if (def.operand != operand) flush(), operand = def.operand, unit = def.unit;
    unit = std::max(unit, def.unit);
  }
  flush();
  if (form.store && out.values.empty()) out.values.push_back(value);
}

std::optional<int> return_register(const std::vector<const Instruction*>& code) {
  for (const Instruction* instruction : code) {
    const std::string& text = instruction->text;
    const bool x86 = has_prefix(text, {"mov", "lea"}) && (text.ends_with(", %rax") || text.ends_with(", %eax"));
    const bool arm = has_prefix(text, {"mov x0, ", "mov w0, ", "add x0, ", "add w0, "});
    if ((!x86 && !arm) || instruction->defs.empty()) continue;
    int unit = instruction->defs.front().unit;
    for (const auto& def : instruction->defs)
      if (def.operand == instruction->defs.front().operand) unit = std::max(unit, def.unit);
    return unit;
  }
  return {};
}

namespace {

// Arbitrary numbers end in zeros, which a mask would make all of: something is added first, the same for all numbers around, so that
// what counts up goes round. In a small table unrelated numbers would meet by chance: each goes round in one of its own.
std::uint64_t masked(std::uint64_t value, std::uint64_t bits) {
  constexpr std::uint64_t line = 63;
  constexpr int around = 16;  // bits: numbers that differ in others are unrelated
  const std::uint64_t place = value >> around;
  if (value <= bits) return value;
  if (bits < line) return (place == 0 ? 0 : arbitrary(place)) + (value & bits);
  return (value + (arbitrary(place) >> 6 & line)) & bits;
}

// One of two registers is the mask: the one that ends in ones, as the size of a table less one does. Where that does not
// tell, an index that was masked before stays what it is, and else both make the index, in a way that keeps neighbours.
std::uint64_t masked_by_another(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t largest = (std::uint64_t{1} << 30) - 1, line = 63;
  auto ends_in_ones = [](std::uint64_t value) { return (value & line) == line; };
  if (ends_in_ones(a) != ends_in_ones(b)) {
    const auto [index, mask] = ends_in_ones(a) ? std::pair(b, a) : std::pair(a, b);
    return masked(index, (mask & (mask + 1)) == 0 ? std::min(mask, largest) : largest);
  }
  auto was_masked = [](std::uint64_t value) { return value <= largest && (value & line) != 0; };
  if (was_masked(a) != was_masked(b)) return was_masked(a) ? a : b;
  return masked(a + b, largest);
}

// Arbitrary numbers end in zeros, so products of products end in more and more of them until nothing else is left, as in the
// chain of a random generator: beyond what a product of a few has, it is arbitrary again.
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  constexpr int few = 24;
  const std::uint64_t result = a * b;
  if (a == 0 || b == 0 || std::countr_zero(result) < few) return result;
  return arbitrary(a ^ std::rotl(b, 32));
}

}  // namespace

RegisterValues::RegisterValues(int units) : values_(static_cast<std::size_t>(units)) {
  for (std::size_t unit = 0; unit < values_.size(); unit++) values_[unit] = arbitrary(unit + 1);
}

void RegisterValues::renew(std::uint64_t seed) {
  for (std::size_t unit = 0; unit < values_.size(); unit++) values_[unit] = arbitrary(unit + 1 + seed * values_.size());
}

std::uint64_t RegisterValues::read(int unit, std::uint64_t loaded) const {
  if (unit == ValueForm::memory_operand) return loaded;
  return unit < 0 ? 0 : values_[static_cast<std::size_t>(unit)];
}

std::uint64_t RegisterValues::address_of(const StaticInstruction& instruction) const {
  const auto& form = instruction.address;
  return read(form.base, 0) + read(form.index, 0) * static_cast<std::uint64_t>(form.scale) +
         static_cast<std::uint64_t>(form.displacement);
}

std::uint64_t RegisterValues::value_of(const StaticInstruction& instruction, std::size_t k,
                                       std::uint64_t loaded) const {
  const ValueForm& form = instruction.values[k];
  std::uint64_t a = read(form.unit_a, loaded), b = read(form.unit_b, loaded);
  switch (form.kind) {
    case Kind::linear:
      return static_cast<std::uint64_t>(form.constant) + a * static_cast<std::uint64_t>(form.scale_a) +
             b * static_cast<std::uint64_t>(form.scale_b);
    case Kind::product: return product(a, b);
    case Kind::shifted_down: return static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> form.constant);
    case Kind::masked: return form.unit_b < 0 ? masked(a, static_cast<std::uint64_t>(form.constant)) * static_cast<std::uint64_t>(form.scale_a) : masked_by_another(a, b);
    case Kind::some_function:
      return arbitrary(a + 3 * b + static_cast<std::uint64_t>(form.constant) + (loaded ^ (loaded >> 7)) + k);
    case Kind::number: return static_cast<std::uint64_t>(form.constant);
    case Kind::none: break;
  }
  return 0;
}

void RegisterValues::update_address(const StaticInstruction& instruction) {
  const auto& form = instruction.address;
  if (form.update >= 0) values_[static_cast<std::size_t>(form.update)] += static_cast<std::uint64_t>(form.step);
}

}  // namespace perfcast::engine

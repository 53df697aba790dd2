// Where instructions point to, without knowing any data. Registers are given arbitrary numbers and address
// arithmetic is done for real on them: moves, additions, shifts, scaled indices, write-back, spills and reloads. Two accesses
// then have the same address exactly when the code alone implies it, a constant distance shows as a small
// difference, and unrelated addresses do not meet (64-bit arithmetic on arbitrary numbers). That is how
// recurrences through memory and stack slots of unoptimised code are recognised when no addresses were recorded.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/static_instruction.h"
#include "record/instruction.h"

namespace perfcast::engine {

// Fills `on_stack`, `address`, `value_units` and `values` from what the opcode is known to do.
void describe_values(StaticInstruction& out, const InstructionForm& form, const Instruction& instruction);

// A number that is the same for the same argument and otherwise arbitrary; a multiple of a cache line, as pointers
// to data mostly are.
std::uint64_t arbitrary(std::uint64_t seed);
// What memory may hold that nobody stored to: a short word is mostly an index or a size, small and positive, so that shifting
// it up and down again to extend its sign gives it back.
std::uint64_t arbitrary_word(std::uint64_t address, int bytes);

// The register in which functions return pointers and numbers, found by its name; none: the code does not use it.
std::optional<int> return_register(const std::vector<const Instruction*>& code);

class RegisterValues {
 public:
  explicit RegisterValues(int units);
  // All registers hold something else, each on its own.
  void renew(std::uint64_t seed);
  std::uint64_t address_of(const StaticInstruction& instruction) const;
  // The value of values[k]; `loaded` is what the instruction read from memory, if it did.
  std::uint64_t value_of(const StaticInstruction& instruction, std::size_t k, std::uint64_t loaded) const;
  std::uint64_t at(int unit) const { return values_[static_cast<std::size_t>(unit)]; }
  void set(int unit, std::uint64_t value) { values_[static_cast<std::size_t>(unit)] = value; }
  void update_address(const StaticInstruction& instruction);

 private:
  std::uint64_t read(int unit, std::uint64_t loaded) const;
  std::vector<std::uint64_t> values_;
};

}  // namespace perfcast::engine

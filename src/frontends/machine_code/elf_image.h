// An ELF object, executable or shared library, read for its code: sections, function symbols, names behind PLT stubs
// and relocations, source lines, and the compiler's map of basic blocks where there is one.
//
// Addresses are the file's own. In a relocatable object every section starts at 0, so its sections are laid out one
// after the other, and undefined symbols get pages of their own: each thing a program can name has one address, and
// a displacement or call target in the object speaks of that address.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/gap.h"

namespace perfcast::machine_code {

struct CodeSection {
  std::string name;
  std::uint64_t address = 0;
  unsigned index = 0;  // in the file
  std::span<const std::uint8_t> bytes;
};

struct CodeSymbol {
  std::string name;
  std::uint64_t address = 0, size = 0;
  bool operator==(const CodeSymbol&) const = default;
};

// What a relocation puts into an instruction or a word of data.
struct Relocation {
  std::string symbol;
  std::uint64_t target = 0;   // symbol (or section) address plus addend
  std::uint64_t type = 0;     // ELF's number
  bool low_bits = false;      // AArch64: the target's address within its 4 KiB page goes into the instruction
  bool relative = false;      // x86: the field is relative to the next instruction
};

// One machine basic block as the compiler laid it out.
struct MappedBlock {
  unsigned id = 0;
  std::uint64_t address = 0, size = 0;
};
struct MappedFunction {
  std::uint64_t address = 0;
  std::vector<MappedBlock> blocks;  // in the order of the code
};

// Where the segments of an executable or library lie in the file and in memory.
struct LoadSegment {
  std::uint64_t file_offset = 0, address = 0, file_size = 0;
  bool executable = false;
};

class ElfImage {
 public:
  static Result<ElfImage> open(const std::string& path);
  static Result<ElfImage> from_bytes(std::string bytes, const std::string& name);
  ElfImage(ElfImage&&) noexcept;
  ~ElfImage();

  const std::string& name() const;
  const std::string& triple() const;
  bool relocatable() const;
  const std::vector<CodeSection>& code() const;
  const std::vector<CodeSymbol>& functions() const;      // by address, of nonzero size where known; aliases once
  const CodeSymbol* function_at(std::uint64_t address) const;
  const std::map<std::uint64_t, std::string>& stubs() const;  // PLT stub -> the routine behind it
  const Relocation* relocation_in(std::uint64_t address, std::uint64_t size) const;
  std::vector<LoadSegment> segments() const;
  std::vector<MappedFunction> block_map() const;          // empty without -fbasic-block-address-map
  std::vector<CodeSymbol> unwind_ranges() const;          // nameless functions, from .eh_frame
  bool has_lines() const;
  // The innermost source line of an instruction (inlined code: the line in the inlined function).
  Location line_at(std::uint64_t address) const;
  Location declared_at(std::uint64_t function_address) const;

 private:
  struct Parts;
  explicit ElfImage(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// Linkage name to what a person writes: "_Z3fooi" -> "foo(int)"; empty when it is the same.
std::string readable_name(const std::string& linkage_name);

}  // namespace perfcast::machine_code

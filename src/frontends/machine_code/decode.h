// Machine code becomes records the engine can cost: LLVM MC as a library decodes x86-64 and AArch64 on any host,
// names registers by units (so that a write of eax is seen by a read of rax) and adds what its scheduling tables say
// of a CPU, the fall-back where a machine file knows nothing. Bytes that are no instruction become gaps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "record/gap.h"
#include "record/instruction.h"

namespace perfcast::machine_code {

// The forms of a profile, each once.
class FormTable {
 public:
  int intern(const InstructionForm& form);
  const InstructionForm& operator[](int index) const { return forms_[index]; }
  std::vector<InstructionForm> take() { return std::move(forms_); }
  const std::vector<InstructionForm>& forms() const { return forms_; }

 private:
  std::vector<InstructionForm> forms_;
  std::unordered_map<std::string, std::vector<int>> by_opcode_;
};

struct Decoded {
  Instruction instruction;
  std::optional<std::uint64_t> target;  // where a direct branch or call goes
  bool ends_block = false;              // branch or return (calls do not end a block)
  bool barrier = false;                 // never falls through: jump, return, trap
};

// A stretch of decoded code; `gaps` says which bytes were no instruction (weight: bytes).
struct DecodedCode {
  std::vector<Decoded> instructions;
  std::vector<Gap> gaps;
};

// The CPU whose tables are used when none is named: a recent server core of the instruction set.
std::string default_cpu(const std::string& triple);

class Decoder {
 public:
  // `cpu` empty: default_cpu(triple). An error names an instruction set or CPU that LLVM or we do not know.
  static Result<Decoder> make(const std::string& triple, const std::string& cpu = {});
  Decoder(Decoder&&) noexcept;
  ~Decoder();

  // One instruction at the front of `bytes`; none when they are no instruction.
  std::optional<Decoded> decode_one(std::span<const std::uint8_t> bytes, std::uint64_t address, FormTable& forms);
  DecodedCode decode(std::span<const std::uint8_t> bytes, std::uint64_t address, FormTable& forms);

  const std::string& triple() const;
  const std::string& cpu() const;
  int minimum_size() const;  // bytes to skip after something undecodable

 private:
  struct Tables;
  explicit Decoder(std::unique_ptr<Tables> tables);
  std::unique_ptr<Tables> tables_;
};

}  // namespace perfcast::machine_code

// A Match of the machine file, compiled once and tried on instructions. What it says of the form is tried once per
// form and remembered: a program has many instructions and few forms.
#pragma once

#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "record/core_rules.h"
#include "record/instruction.h"

namespace perfcast::engine {

struct Candidate {
  const InstructionForm& form;
  const Instruction& instruction;
  std::vector<signed char>& remembered;  // of this form, by the number of the match; empty at first
};

class CompiledMatch {
 public:
  CompiledMatch(const Match& match, int number);
  bool holds(const Candidate& candidate) const;

 private:
  bool form_holds(const InstructionForm& form) const;
  Match match_;
  int number_;
  std::optional<std::regex> opcode_, text_;
  std::vector<std::string> opcode_starts_, text_starts_;
};

}  // namespace perfcast::engine

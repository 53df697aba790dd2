// From the branches of the IR to those of the machine code: the code generator copies branches, cuts a condition in two,
// makes a tree of a switch, and branches of choices and divisions that the IR does without.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "frontends/memory_profile/memory_profile.h"

namespace perfcast::memory_profile {

// What the code generator may have made a branch of, by function and block of the IR, in the order of the block.
struct Choice {
  BranchKind kind = BranchKind::choice;
  double taken = 0;  // shares of its executions
  Mispredictions mispredicted;
  Position at;
};
using Choices = std::map<std::pair<std::string, std::string>, std::vector<Choice>>;

Choices choices_of(const MemoryProfile& profile);

MadeBranches made_branches(const std::vector<InstructionForm>& forms, Graph& machine);

// Hands the mispredictions of IR branches and choices on to the machine blocks that end in them, and tells how often a
// division was done in half its width.
void pass_on_branches(const Graph& ir, const Choices& choices, const std::vector<InstructionForm>& forms, Graph& machine);

}  // namespace perfcast::memory_profile

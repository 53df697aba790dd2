// What the parts of fit_core share: the timings, the family's rules, and the core as far as it is fitted.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/core_tables.h"
#include "engine/static_instruction.h"
#include "methods/characterize/instructions/fit_core.h"

namespace perfcast::instructions {

struct Fitting {
  const FormTable& table;
  const DescribedForms& described;
  const Timings& timings;
  engine::CoreTables tables;                                  // of the family
  std::map<std::string, engine::StaticInstruction> resolved;  // by name of form, as the family's rules have it
  std::map<std::string, double> latency;                      // by name of form, as fitted
  FittedCore result;

  Fitting(const CoreModel& family, const FormTable& forms, const DescribedForms& descriptions, const Timings& times);
  // Of a form as fitted, else as the family has it; 0 when neither says.
  double known_latency(const std::string& form) const;
  double known_latency(const std::vector<std::string>& forms) const;  // one behind the other
  // A value that this benchmark told.
  Measurement from(const std::string& name, double value) const;
};

// These opcodes and no others.
std::string anchored(const std::string& opcodes);
Measurement measured(double value, double sd, int repetitions, std::string note);

// The family as the chains beside others' results have it: whether these only come later, or make the whole consumer slower.
CoreModel with_seen_bypasses(CoreModel family, const FormTable& table, const Timings& timings, std::vector<std::string>& changes);
// Rename and what comes before it: width, groups, moves, fusion.
void fit_front_end(Fitting& fitting, Frame frame);
// What they cost and how far they are foreseen, and the short loops that are replayed.
void fit_branches(Fitting& fitting);
// Latencies and ports of the forms, loads, gathers and atomics.
void fit_instructions(Fitting& fitting);

}  // namespace perfcast::instructions

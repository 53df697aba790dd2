// What a compiler's tables say of every form of a table: the decoded instruction and LLVM's latencies and resources,
// made once by bench/describe_forms (which needs LLVM) and kept in data/instructions/<isa>.forms.json, so that a core
// can be made from timings on a machine that has a C compiler only. With LLVM at hand they are made for any CPU it knows.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "methods/characterize/instructions/benchmarks.h"
#include "record/instruction.h"

namespace perfcast::instructions {

struct DescribedForm {
  InstructionForm form;
  Instruction instruction;
  bool operator==(const DescribedForm&) const = default;
};
template <class Fields>
void describe(Fields& f, DescribedForm& d) { f.need("form", d.form), f.need("instruction", d.instruction); }

struct DescribedForms {
  static constexpr const char* format = "perfcast.forms";
  static constexpr int version = 1;
  std::string isa, llvm_cpu;                  // whose tables
  std::map<std::string, DescribedForm> of;    // by name of the form
  bool operator==(const DescribedForms&) const = default;
};
template <class Fields>
void describe(Fields& f, DescribedForms& d) { f.need("isa", d.isa), f.need("llvm_cpu", d.llvm_cpu), f.need("forms", d.of); }

Result<DescribedForms> bundled_described_forms(const std::string& isa);

// The benchmarks that hold every form, and what they are when somebody has decoded their assembly (by loop_symbol) with the
// tables of `cpu`.
Selection one_of_each();
DescribedForms describe_forms(const FormTable& table, const std::vector<Benchmark>& benchmarks, const std::vector<InstructionForm>& forms,
                              const std::map<std::string, std::vector<Instruction>>& loops, const std::string& cpu);

}  // namespace perfcast::instructions

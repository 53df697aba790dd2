// Writes data/instructions/<isa>.forms.json: the decoded instruction of every form and what LLVM's tables say of it.
//   describe_forms ISA CPU OUTPUT
// To be run again when a table of forms changes.
#include <fmt/format.h>

#include <regex>

#include "../tests/instructions/decoded_benchmarks.h"
#include "methods/characterize/instructions/described_forms.h"
#include "record/record_file.h"

using namespace perfcast;
using namespace perfcast::instructions;

// Of the instructions of one copy, the one the form is about: it has one of the form's opcodes, or is the only one
// that is not a helper.
static const Instruction* main_instruction(const Form& form, const DecodedBenchmarks& decoded, const std::vector<Instruction>& loop) {
  const std::regex opcodes("(" + form.opcodes + ")$");
  const std::size_t copy = std::min<std::size_t>(loop.size() - 1, 4);
  for (std::size_t i = 0; i < copy && !form.opcodes.empty(); i++)
    if (std::regex_match(decoded.forms[static_cast<std::size_t>(loop[i].form)].opcode, opcodes)) return &loop[i];
  return form.opcodes.empty() ? &loop[0] : nullptr;
}

static Status write(const std::string& isa, const std::string& cpu, const std::string& output) {
  TRY(auto table, bundled_form_table(isa));
  Selection only_forms;
  only_forms.pairs = only_forms.slots = only_forms.special = false;
  const auto list = list_benchmarks(table, only_forms);
  TRY(auto decoded, decode_benchmarks(table, list, cpu));
  DescribedForms result{isa, cpu, {}};
  for (auto kind : {Kind::stream, Kind::chain, Kind::accumulate})
    for (std::size_t i = 0; i < list.size(); i++) {
      if (list[i].kind != kind || result.of.contains(list[i].form)) continue;
      const Form& form = *table.find(list[i].form);
      if (const auto* found = main_instruction(form, decoded, decoded.loops[i])) {
        result.of[form.name] = {decoded.forms[static_cast<std::size_t>(found->form)], *found};
        result.of[form.name].instruction.form = 0, result.of[form.name].instruction.address = 0;
      }
    }
  for (auto& form : table.forms)
    if (!result.of.contains(form.name)) {
      std::string seen;
      for (std::size_t i = 0; i < list.size(); i++)
        if (list[i].form == form.name) seen += " " + decoded.forms[static_cast<std::size_t>(decoded.loops[i].front().form)].opcode;
      fmt::print(stderr, "{}: none of its instructions has an opcode like {} (seen:{})\n", form.name, form.opcodes, seen);
    }
  return write_record(output, result);
}

int main(int count, char** words) {
  if (count != 4) return fmt::print(stderr, "usage: describe_forms ISA CPU OUTPUT\n"), 2;
  auto done = write(words[1], words[2], words[3]);
  if (!done) return fmt::print(stderr, "{}\n", done.error().message()), 3;
}

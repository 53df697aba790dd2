// Writes data/instructions/<isa>.forms.json: the decoded instruction of every form and what LLVM's tables say of it.
//   describe_forms ISA CPU OUTPUT
// To be run again when a table of forms changes.
#include <fmt/format.h>

#include "frontends/decoded_assembly.h"
#include "methods/characterize/instructions/described_forms.h"
#include "record/record_file.h"

using namespace perfcast;
using namespace perfcast::instructions;

static Status write(const std::string& isa, const std::string& cpu, const std::string& output) {
  TRY(auto table, bundled_form_table(isa));
  const auto list = list_benchmarks(table, one_of_each());
  TRY(auto decoded, decode_assembly(write_assembly(table, list), isa, cpu));
  const DescribedForms result = describe_forms(table, list, decoded.forms, decoded.functions, cpu);
  for (auto& form : table.forms)
    if (!result.of.contains(form.name)) {
      std::string seen;
      for (std::size_t i = 0; i < list.size(); i++)
        if (list[i].form == form.name) seen += " " + decoded.forms[static_cast<std::size_t>(decoded.functions.at(loop_symbol(i)).front().form)].opcode;
      fmt::print(stderr, "{}: none of its instructions has an opcode like {} (seen:{})\n", form.name, form.opcodes, seen);
    }
  return write_record(output, result);
}

int main(int count, char** words) {
  if (count != 4) return fmt::print(stderr, "usage: describe_forms ISA CPU OUTPUT\n"), 2;
  auto done = write(words[1], words[2], words[3]);
  if (!done) return fmt::print(stderr, "{}\n", done.error().message()), 3;
}

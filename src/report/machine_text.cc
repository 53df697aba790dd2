#include "report/machine_text.h"

#include <fmt/format.h>

#include "base/text.h"
#include "record/comparison.h"
#include "record/operations.h"

namespace perfcast::report {
namespace {

std::string value_text(const Measurement& m) {
  if (m.not_detected) return m.limit ? "<" + number_text(*m.limit) : "not detected";
  return number_text(m.value, 6);
}

std::string meaning_of(const NamedQuantity& quantity) {
  const auto* kind = find_operation(quantity.name);
  return kind ? kind->meaning : "";
}

std::string heading(const Machine& machine, const std::string& section) {
  for (const auto& costs : machine.source)
    if (costs.language == section) {
      std::string by = join({costs.compiler, costs.flags}, costs.compiler.empty() || costs.flags.empty() ? "" : " ");
      return fmt::format("{} operations{}, nanoseconds", section, by.empty() ? "" : ", " + by);
    }
  return section;
}

}  // namespace

std::string machine_text(const Machine& machine) {
  std::string text = machine.name + "\n" + machine.description + "\n";
  if (!machine.isa.empty()) text += "instruction set " + machine.isa + "\n";
  if (auto it = machine.made_by.more.find("source"); it != machine.made_by.more.end()) text += "source: " + it->second + "\n";
  auto quantities = quantities_of(machine);
  for (std::size_t i = 0; i < quantities.size();) {
    const std::string section = quantities[i].section;
    Table table({"quantity", "value", "sd", "how", "meaning", "note"});
    for (; i < quantities.size() && quantities[i].section == section; i++) {
      const Measurement& m = quantities[i].measured;
      table.add({quantities[i].name, value_text(m), m.sd ? number_text(*m.sd, 3) : "-",
                 std::string(word_of(m.how)) + (m.disturbed ? ", disturbed" : ""), meaning_of(quantities[i]), m.note});
    }
    text += "\n" + heading(machine, section) + "\n\n" + table.text();
  }
  if (!machine.gaps.empty()) text += "\nnot known\n";
  for (const auto& gap : machine.gaps) text += "  " + gap.what + "\n";
  return text;
}

}  // namespace perfcast::report

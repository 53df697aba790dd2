#include "report/gate_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/brief_name.h"
#include "base/text.h"

namespace perfcast::report {
namespace {

std::string changed(double fraction) { return fmt::format("{:+.2f} %", 100 * fraction); }

std::string verdict_of(const Gate& gate) {
  return fmt::format("{}: {} against a limit of {:g} %", gate.passed ? "passes" : "over the limit", changed(gate.change), 100 * gate.limit);
}

constexpr std::size_t name_columns = 40, page_columns = 80;  // of a name in a terminal, on a page
Table functions_table(const Gate& gate, std::size_t rows, std::size_t columns = name_columns) {
  Table table({"function", "before", "after", "change", "of the whole", ""});
  for (std::size_t i = 0; i < std::min(rows, gate.functions.size()); i++) {
    const FunctionCost& f = gate.functions[i];
    table.add({brief_name(f.name, columns), f.base_seconds > 0 ? time_text(f.base_seconds) : "-", f.seconds > 0 ? time_text(f.seconds) : "-",
               f.change ? changed(*f.change) : "-", changed(f.share), word_of(f.status)});
  }
  table.rule();
  table.add({"all", time_text(gate.base_seconds), time_text(gate.seconds), changed(gate.change), changed(gate.change), ""});
  return table;
}

std::string more_text(const Gate& gate, std::size_t rows) {
  if (gate.functions.size() <= rows) return "";
  return fmt::format("and {} more functions\n", gate.functions.size() - rows);
}

}  // namespace

std::string gate_text(const Gate& gate, std::size_t rows) {
  std::string text = fmt::format("{} -> {}: {} cost, {} on {}\n\n", gate.base, gate.candidate, gate.sampled ? "counted and sampled" : "counted", gate.model, gate.machine);
  text += functions_table(gate, rows).text() + more_text(gate, rows) + "\n" + verdict_of(gate) + "\n";
  for (const auto& remark : gate.remarks) text += remark + "\n";
  return text;
}

std::string gate_markdown(const Gate& gate, std::size_t rows) {
  std::string text = fmt::format("### {} perfcast gate {}\n\n`{}` → `{}`, {} cost, {} on {}\n\n", gate.passed ? "✅" : "❌", verdict_of(gate),
                                 gate.base, gate.candidate, gate.sampled ? "counted and sampled" : "counted", gate.model, gate.machine);
  return text + functions_table(gate, rows, page_columns).markdown() + more_text(gate, rows);
}

}  // namespace perfcast::report

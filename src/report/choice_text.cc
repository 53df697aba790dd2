#include "report/choice_text.h"

#include <fmt/format.h>

#include "base/text.h"

namespace perfcast::report {
namespace {

std::string range_text(const std::array<double, 2>& interval) { return time_text(interval[0]) + " .. " + time_text(interval[1]); }
std::string money(const std::optional<double>& amount) { return amount ? number_text(*amount, 3) : "-"; }

Table offers_table(const Choice& choice) {
  Table table({"machine", "all programs", "interval", "per hour", "cost", "value", "deadline"});
  for (const MachineOffer& offer : choice.offers)
    table.add({offer.machine, offer.complete ? time_text(offer.seconds) : "no answer", offer.complete ? range_text(offer.interval) : "-",
               money(offer.price_per_hour), offer.complete ? money(offer.cost) : "-", money(offer.value),
               offer.deadline == Deadline::none ? "-" : word_of(offer.deadline)});
  return table;
}

// Who gains most, and why: the resource that takes most of the time on each machine.
Table programs_table(const Choice& choice) {
  Table table({"program", "machine", "time", "gain", "mostly", "share"});
  for (const MachineOffer& offer : choice.offers)
    for (const OfferedTime& time : offer.programs)
      table.add({time.program, offer.machine, time_text(time.seconds), fmt::format("{:.2f}", time.gain), time.mostly, percent_text(time.mostly_share)});
  return table;
}

}  // namespace

std::string choice_text(const Choice& choice) {
  std::string text = offers_table(choice).text() + "\n";
  auto line = [&](const char* what, const std::string& machine) {
    if (!machine.empty()) text += fmt::format("{:<9} {}\n", what, machine);
  };
  line("fastest", choice.fastest), line("cheapest", choice.cheapest), line("value", choice.best_value);
  for (const auto& remark : choice.remarks) text += remark + "\n";
  text += "\nPrograms, gains against the machine named first\n" + programs_table(choice).text();
  for (const MachineOffer& offer : choice.offers)
    for (const auto& remark : offer.remarks) text += offer.machine + ": " + remark + "\n";
  return text;
}

}  // namespace perfcast::report

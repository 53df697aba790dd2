// Which machine for these programs: time, cost and the deadline on each machine offered.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/made_by.h"
#include "record/record_file.h"

namespace perfcast {

enum class Deadline { none, met, likely, unlikely, missed };
template <>
struct EnumWords<Deadline> {
  static constexpr std::pair<Deadline, const char*> words[] = {{Deadline::none, "none"},
                                                               {Deadline::met, "met"},
                                                               {Deadline::likely, "likely"},
                                                               {Deadline::unlikely, "unlikely"},
                                                               {Deadline::missed, "missed"}};
};

// One program on one machine.
struct OfferedTime {
  std::string program, model;
  double seconds = 0;
  std::array<double, 2> interval{0, 0};
  std::string mostly;                     // what it spends most of its time on there
  double mostly_share = 0;
  std::map<std::string, double> shares;   // of the time, by resource
  double gain = 1;                        // times faster than on the first machine
  bool operator==(const OfferedTime&) const = default;
};
template <class Fields>
void describe(Fields& f, OfferedTime& t) {
  f.need("program", t.program), f.need("model", t.model), f.need("seconds", t.seconds), f.need("interval", t.interval);
  f("mostly", t.mostly), f("mostly_share", t.mostly_share), f("shares", t.shares), f("gain", t.gain);
}

struct MachineOffer {
  std::string machine;
  double seconds = 0;                       // all programs, one after the other
  std::array<double, 2> interval{0, 0};
  std::optional<double> price_per_hour, cost;
  std::optional<std::array<double, 2>> cost_interval;
  std::optional<double> value;              // performance per cost, relative to the best offer (Clement's phi)
  Deadline deadline = Deadline::none;
  std::vector<OfferedTime> programs;
  std::vector<std::string> remarks;         // programs it cannot answer for, what was used instead
  bool complete = true;                     // every program has a time
  bool operator==(const MachineOffer&) const = default;
};
template <class Fields>
void describe(Fields& f, MachineOffer& o) {
  f.need("machine", o.machine), f.need("seconds", o.seconds), f.need("interval", o.interval);
  f("price_per_hour", o.price_per_hour), f("cost", o.cost), f("cost_interval", o.cost_interval), f("value", o.value);
  f("deadline", o.deadline), f.need("programs", o.programs), f("remarks", o.remarks), f("complete", o.complete);
}

struct Choice {
  static constexpr const char* format = "perfcast.choice";
  static constexpr int version = 1;
  MadeBy made_by;
  std::optional<double> deadline_seconds;
  std::vector<MachineOffer> offers;                       // fastest first
  std::string fastest, cheapest, best_value;       // among those that meet the deadline; empty: none does, or no prices
  std::vector<std::string> remarks;
  bool operator==(const Choice&) const = default;
};
template <class Fields>
void describe(Fields& f, Choice& c) {
  f("made_by", c.made_by), f("deadline_seconds", c.deadline_seconds), f.need("offers", c.offers);
  f("fastest", c.fastest), f("cheapest", c.cheapest), f("best_value", c.best_value), f("remarks", c.remarks);
}

PERFCAST_RECORD_FILE(extern, Choice)

}  // namespace perfcast

// Who made a file, where and when: one object that comparisons of files skip.
#pragma once

#include <map>
#include <string>

#include "base/json.h"

namespace perfcast {

struct MadeBy {
  std::string perfcast;  // version of this program
  std::string host, system, compiler, flags, date, clock, command;
  std::map<std::string, std::string> more;
  bool operator==(const MadeBy&) const { return true; }  // provenance is not content
};

template <class Fields>
void describe(Fields& f, MadeBy& m) {
  f("perfcast", m.perfcast), f("host", m.host), f("system", m.system), f("compiler", m.compiler), f("flags", m.flags);
  f("date", m.date), f("clock", m.clock), f("command", m.command), f("more", m.more);
}

// This program, this host, now.
MadeBy made_here();

}  // namespace perfcast

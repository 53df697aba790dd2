// What records must hold beyond the shape of their JSON, so that no other part has to ask again: what they refer to exists,
// what divides is above zero, what is allocated is not huge. Each throws JsonMismatch with the place; record_file.cc calls
// them where a file is read.
#pragma once

#include "record/equation.h"
#include "record/machine.h"
#include "record/profile.h"
#include "record/skeleton.h"
#include "record/use_tree.h"

namespace perfcast {

// What the checks are made of: JsonMismatch unless it holds.
inline void need(bool holds, const std::string& place, const char* what) {
  if (!holds) throw JsonMismatch{place, what};
}

// Edges, loops and instruction forms that exist, counts that are not negative, loops that do not contain themselves.
void check_record(const Profile& profile);
// Widths, sizes and clocks within reason.
void check_record(const Machine& machine);
// Tables whose rows and columns are as many as their heads say.
void check_record(const Equation& equation);
void check_record(const UseTree& tree);

// Ranks, groups and call sites that exist, loops that do something, numbers that are not negative. Parts of a record that are
// kept as JSON are checked where they are used.
Status check_skeleton(const Skeleton& skeleton);
// All of its runs, which have values for the same parameters.
Status check_messages(const MessageProfile& recorded);
Status check_threads(const ThreadProfile& threads);

}  // namespace perfcast

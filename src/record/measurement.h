// A number and where it comes from. Nothing in a machine file is a bare number: it was measured here, published
// somewhere, derived from other numbers, documented by a vendor, or assumed, and it says which.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "base/statistics.h"

namespace perfcast {

enum class How { measured, published, derived, documented, assumed, llvm };
template <>
struct EnumWords<How> {
  static constexpr std::pair<How, const char*> words[] = {{How::measured, "measured"},     {How::published, "published"},
                                                          {How::derived, "derived"},       {How::documented, "documented"},
                                                          {How::assumed, "assumed"},       {How::llvm, "llvm"}};
};

struct Measurement {
  double value = 0;
  std::optional<double> sd;     // standard deviation of the value
  int repetitions = 0;
  How how = How::measured;
  bool not_detected = false;    // cannot be told from zero; `limit` is what it would have to exceed
  std::optional<double> limit;
  bool disturbed = false;       // still disturbed after repeating
  std::string note;             // source, confidence, doubts

  bool operator==(const Measurement&) const = default;
  double variance() const { return sd ? *sd * *sd : 0; }
};

inline double value_or(const std::optional<Measurement>& m, double otherwise) { return m ? m->value : otherwise; }

template <class Fields>
void describe(Fields& f, Measurement& m) {
  f.need("value", m.value);
  f("sd", m.sd);
  if (Fields::reading || m.repetitions) f("repetitions", m.repetitions);
  f("how", m.how);
  if (Fields::reading || m.not_detected) f("not_detected", m.not_detected);
  f("limit", m.limit);
  if (Fields::reading || m.disturbed) f("disturbed", m.disturbed);
  f("note", m.note);
}

}  // namespace perfcast

// A profile at parameters other than the recorded ones: counts from their expressions, reuse distances and footprints
// by how they grew between the sizes where memory was watched, mispredictions with the rarer way of their branch.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/profile.h"

namespace perfcast::engine {

struct SizedProfile {
  Profile profile;
  double spread = 0;                   // relative standard deviation that laws and hidden counts add
  std::vector<std::string> warnings;   // sizes beyond what any run exercised, forms that hold from a size on, ...
};

// An error when the profile has no expressions, or a parameter is unknown or out of the forms' range. Parameters not
// set keep their recorded value.
Result<SizedProfile> profile_at(const Profile& profile, const std::map<std::string, double>& set);

// The value a count's expression has; hidden variables are replaced by their laws.
class CountValues {
 public:
  static Result<CountValues> make(const Profile& profile, const std::map<std::string, double>& set);
  double of(const Count& count) const;
  const std::map<std::string, double>& values() const { return values_; }
  // An expression that has no value at this size, such as 2^N at a large one: `of` gave what was recorded. Empty: there was none.
  const std::string& without_value() const { return without_value_; }

 private:
  std::map<std::string, double> values_;
  mutable std::map<std::string, double> known_;
  mutable std::string without_value_;
};

}  // namespace perfcast::engine

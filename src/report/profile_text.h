// A profile as people read it: what ran, what was counted, where the work is, and what is not known.
#pragma once

#include <string>

#include "record/profile.h"

namespace perfcast::report {

struct ProfileView {
  std::size_t rows = 10;  // of each table; the rest is one line
};

std::string profile_text(const Profile& profile, const ProfileView& view = {});

}  // namespace perfcast::report

// Where machines and profiles are found by name: a file, one the user saved, or one that is bundled.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/machine.h"
#include "record/profile.h"

namespace perfcast {

struct NamedMachine {
  std::string name, path;
  bool bundled = false;
};

// Saved machines first, then the bundled ones; a saved name hides a bundled one.
std::vector<NamedMachine> list_machines();
Result<Machine> find_machine(const std::string& name_or_file);
Result<Profile> find_profile(const std::string& name_or_file);
// The file of a saved or bundled machine, or of a bundled profile, of this name.
std::optional<std::string> path_of_record(const std::string& name);

// Saves under the machine's own name in the user's data folder; with make_default it becomes what `--machine`
// means when it is not given.
Status save_machine(const Machine& machine, bool make_default);
std::optional<std::string> default_machine();

}  // namespace perfcast

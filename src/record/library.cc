#include "record/library.h"

#include <algorithm>
#include <filesystem>

#include "base/paths.h"
#include "record/record_file.h"

namespace perfcast {
namespace fs = std::filesystem;
namespace {

fs::path saved_machines() { return user_data() / "machines"; }

std::vector<NamedMachine> machines_in(const fs::path& folder, bool bundled) {
  std::vector<NamedMachine> found;
  std::error_code error;
  const std::string ending = ".machine.json";
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    std::string file = entry.path().filename().string();
    if (file.ends_with(ending))
      found.push_back({file.substr(0, file.size() - ending.size()), entry.path().string(), bundled});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return found;
}

bool is_file(const std::string& name) {
  std::error_code ignored;
  return fs::exists(name, ignored);
}

}  // namespace

std::vector<NamedMachine> list_machines() {
  auto all = machines_in(saved_machines(), false);
  for (auto& machine : machines_in(bundled_data() / "machines", true))
    if (std::none_of(all.begin(), all.end(), [&](const auto& m) { return m.name == machine.name; }))
      all.push_back(std::move(machine));
  return all;
}

Result<Machine> find_machine(const std::string& name) {
  if (is_file(name)) return read_record<Machine>(name);
  for (const auto& machine : list_machines())
    if (machine.name == name) return read_record<Machine>(machine.path);
  return unfit("there is no machine of this name and no such file", name, "perfcast machines list");
}

Result<Profile> find_profile(const std::string& name) {
  if (is_file(name)) return read_record<Profile>(name);
  std::string bundled = (bundled_data() / "profiles" / (name + ".profile.json")).string();
  if (is_file(bundled)) return read_record<Profile>(bundled);
  return unfit("there is no such file and no bundled profile of this name", name,
               "perfcast analyze SOURCE -o FILE makes one");
}

std::optional<std::string> path_of_record(const std::string& name) {
  for (const auto& machine : list_machines())
    if (machine.name == name) return machine.path;
  std::string bundled = (bundled_data() / "profiles" / (name + ".profile.json")).string();
  return is_file(bundled) ? std::optional(bundled) : std::nullopt;
}

Status save_machine(const Machine& machine, bool make_default) {
  std::error_code error;
  fs::create_directories(saved_machines(), error);
  if (error) return unfit("cannot make the folder: " + error.message(), saved_machines().string());
  CHECK_OK(write_record((saved_machines() / (machine.name + ".machine.json")).string(), machine));
  if (make_default) CHECK_OK(write_file((user_data() / "default-machine").string(), machine.name + "\n"));
  return {};
}

std::optional<std::string> default_machine() {
  auto text = read_file((user_data() / "default-machine").string());
  if (!text) return {};
  std::string name = text->substr(0, text->find('\n'));
  return name.empty() ? std::nullopt : std::optional(name);
}

}  // namespace perfcast

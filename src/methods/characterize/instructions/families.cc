#include "methods/characterize/instructions/families.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/files.h"
#include "base/paths.h"
#include "base/text.h"
#include "record/library.h"

namespace perfcast::instructions {
namespace {

// The value of a key in /proc/cpuinfo ("model\t\t: 143"), of the first processor.
std::string value_of(const std::string& cpuinfo, const std::string& key) {
  std::istringstream in(cpuinfo);
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string name = line.substr(0, colon);
    name.erase(name.find_last_not_of(" \t") + 1);
    if (name != key) continue;
    const auto first = line.find_first_not_of(" \t", colon + 1);
    return first == std::string::npos ? "" : line.substr(first);
  }
  return {};
}
std::string trimmed(std::string text) {
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}
bool holds(const std::string& list, const std::string& value) {
  const auto words = split_words(list);
  return list == "*" || std::ranges::find(words, value) != words.end();
}

using Row = std::vector<std::string>;  // isa, vendor, family, models, LLVM's name, bundled core

Result<std::vector<Row>> rows_of(const std::string& isa) {
  TRY(auto text, read_file((bundled_data() / "instructions" / "families.txt").string()));
  std::vector<Row> rows;
  for (auto& line : split(text, '\n')) {
    Row row = split(line, '|');
    if (line.starts_with('#') || row.size() != 6) continue;
    for (auto& part : row) part = trimmed(part);
    if (row[5] == "-") row[5].clear();
    if (row[0] == isa) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Result<Family> family_of(const std::string& cpuinfo, const std::string& isa) {
  const bool arm = isa == "aarch64";
  const std::string vendor = value_of(cpuinfo, arm ? "CPU implementer" : "vendor_id");
  const std::string family = value_of(cpuinfo, arm ? "CPU variant" : "cpu family");
  const std::string model = value_of(cpuinfo, arm ? "CPU part" : "model");
  TRY(const auto rows, rows_of(isa));
  for (const Row& row : rows)
    if (row[1] == vendor && holds(row[2], family) && holds(row[3], model)) return Family{row[5], row[4]};
  return Family{};
}

std::string usual_core(const std::string& isa) { return isa == "aarch64" ? "neoverse-v1" : "skylake"; }

Result<std::vector<std::string>> cores_of(const std::string& isa) {
  TRY(const auto rows, rows_of(isa));
  std::vector<std::string> names{usual_core(isa)};
  for (const Row& row : rows)
    if (!row[5].empty() && std::ranges::find(names, row[5]) == names.end()) names.push_back(row[5]);
  return names;
}

Result<CoreModel> frame_of(const Family& family, const std::string& isa) {
  const std::string file = (family.core.empty() ? usual_core(isa) : family.core) + ".machine.json";
  std::filesystem::path path = bundled_data() / "machines" / file;
  if (!std::filesystem::exists(path)) path = bundled_data() / "cores" / file;
  TRY(auto machine, find_machine(path.string()));
  if (!machine.core) return unfit("has no core part", path.string(), "reinstall the bundled data");
  return *machine.core;
}

}  // namespace perfcast::instructions

#include "methods/tree/skeleton.h"

#include <filesystem>

#include "base/paths.h"

namespace perfcast::tree {

Result<Skeleton> find_skeleton(const std::string& name) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(name, ignored)) return read_record<Skeleton>(name);
  std::string bundled = (bundled_data() / "trees" / (name + ".skeleton.json")).string();
  if (std::filesystem::is_regular_file(bundled, ignored)) return read_record<Skeleton>(bundled);
  return unfit("there is no such file and no bundled skeleton of this name", name,
               "core, source, vector-pipeline, parallel, message-passing or hypercube");
}

bool fits(const std::string& pattern, const std::string& key, std::string* star) {
  auto at = pattern.find('*');
  if (at == std::string::npos) return pattern == key;
  if (key.compare(0, at, pattern, 0, at) != 0) return false;
  std::string rest = pattern.substr(at + 1);
  for (std::size_t begin = at; begin <= key.size(); begin++) {
    if (!fits(rest, key.substr(begin), star)) continue;
    if (star && rest.find('*') == std::string::npos) *star = key.substr(at, begin - at);
    return true;
  }
  return false;
}

}  // namespace perfcast::tree

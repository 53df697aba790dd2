#include "base/paths.h"

#include <cstdlib>

namespace perfcast {
namespace fs = std::filesystem;

fs::path bundled_data() {
  if (const char* named = std::getenv("PERFCAST_DATA")) return named;
  std::error_code ignored;
  // Beside the running program first, so that an installed or copied tree finds its own data.
  if (fs::path self = fs::read_symlink("/proc/self/exe", ignored); !self.empty())
    if (fs::path beside = self.parent_path().parent_path() / "share/perfcast"; fs::is_directory(beside, ignored))
      return beside;
  if (fs::is_directory(PERFCAST_SOURCE_DATA, ignored)) return PERFCAST_SOURCE_DATA;
  // Where nobody can say what runs (no /proc): as installed from here, or by the package.
  return fs::is_directory(PERFCAST_INSTALLED_DATA, ignored) ? PERFCAST_INSTALLED_DATA : "/usr/share/perfcast";
}

fs::path user_data() {
  if (const char* named = std::getenv("PERFCAST_HOME")) return named;
  if (const char* data = std::getenv("XDG_DATA_HOME")) return fs::path(data) / "perfcast";
  if (const char* home = std::getenv("HOME")) return fs::path(home) / ".local/share/perfcast";
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  return (error ? fs::path("/tmp") : temporary) / "perfcast-home";
}

std::string program_version() { return PERFCAST_VERSION; }

}  // namespace perfcast

// Files: read whole, written whole or not at all, temporary folders that go away.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace perfcast {

Result<std::string> read_file(const std::string& path);

// Writes to a temporary name beside `path`, syncs and renames, so that readers see the old or the new file, never a
// part. "-" writes to standard output.
Status write_file(const std::string& path, const std::string& text);

// Whether a file could be written there, as far as can be told beforehand: asked before minutes of work for it.
Status can_write(const std::string& path);

// A folder of our own below the system's temporary folder, removed with all it holds when this goes out of scope,
// and by remove_temporary_folders() when a signal ends the program.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make(const std::string& purpose);
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

// Removes every live temporary folder; called where SIGINT or SIGTERM ends the program.
void remove_temporary_folders();

}  // namespace perfcast

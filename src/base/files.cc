#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>

namespace perfcast {
namespace fs = std::filesystem;
namespace {

std::mutex folders_mutex;
std::set<std::string>& live_folders() {
  static std::set<std::string> folders;
  return folders;
}

Status write_all(int descriptor, const std::string& text, const std::string& path) {
  for (std::size_t done = 0; done < text.size();) {
    ssize_t n = ::write(descriptor, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return unfit(std::string("cannot write: ") + std::strerror(errno), path, "check the free space");
    done += static_cast<std::size_t>(n);
  }
  return {};
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return unfit(std::string("cannot read: ") + std::strerror(errno), path);
  std::string text;
  if (struct stat info; ::fstat(descriptor, &info) == 0) {
    if (S_ISDIR(info.st_mode)) return ::close(descriptor), unfit("this is a folder, not a file", path);
    if (info.st_size > 0) text.reserve(static_cast<std::size_t>(info.st_size));
  }
  char buffer[1 << 16];
  for (;;) {
    ssize_t n = ::read(descriptor, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      int why = errno;
      ::close(descriptor);
      return unfit(std::string("cannot read: ") + std::strerror(why), path);
    }
    if (n == 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(descriptor);
  return text;
}

Status write_file(const std::string& path, const std::string& text) {
  if (path == "-") return write_all(STDOUT_FILENO, text, "standard output");
  std::string temporary = path + ".XXXXXX";
  int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0)
    return unfit(std::string("cannot write: ") + std::strerror(errno), path, "check that the folder exists");
  ::fchmod(descriptor, 0644);
  auto written = write_all(descriptor, text, path);
  if (written && ::fsync(descriptor) != 0) written = unfit(std::string("cannot write: ") + std::strerror(errno), path);
  ::close(descriptor);
  if (written && std::rename(temporary.c_str(), path.c_str()) != 0)
    written = unfit(std::string("cannot write: ") + std::strerror(errno), path);
  if (!written) ::unlink(temporary.c_str());
  return written;
}

Result<TemporaryFolder> TemporaryFolder::make(const std::string& purpose) {
  std::error_code error;
  fs::path base = fs::temp_directory_path(error);
  if (error) base = "/tmp";
  std::string name = (base / ("perfcast-" + purpose + "-XXXXXX")).string();
  if (!::mkdtemp(name.data()))
    return unfit(std::string("cannot make a temporary folder: ") + std::strerror(errno), base.string(),
                 "set TMPDIR to a folder with free space");
  std::lock_guard lock(folders_mutex);
  live_folders().insert(name);
  return TemporaryFolder(name);
}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  std::lock_guard lock(folders_mutex);
  live_folders().erase(path_.string());
}

void remove_temporary_folders() {
  std::error_code ignored;
  std::lock_guard lock(folders_mutex);
  for (const auto& folder : live_folders()) fs::remove_all(folder, ignored);
  live_folders().clear();
}

}  // namespace perfcast

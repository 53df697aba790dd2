#include "base/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>

#include "base/bounded_read.h"
#include "base/source_is_there.h"

namespace perfcast {
namespace fs = std::filesystem;
namespace {

// What goes away when a signal ends the program: temporary folders and files that are being written.
std::mutex temporary_mutex;
std::set<std::string>& live_folders() {
  static auto& folders = *new std::set<std::string>;  // never destroyed: a signal may come while the program exits
  return folders;
}
std::set<std::string>& live_files() {
  static auto& files = *new std::set<std::string>;
  return files;
}

constexpr const char* no_folder = "check that the folder exists and may be written to";
std::unexpected<Error> cannot_write(const std::string& path, const char* try_this = "check the free space") {
  return unfit(std::string("cannot write: ") + std::strerror(errno), path, try_this);
}

Status write_all(int descriptor, const std::string& text, const std::string& path) {
  for (std::size_t done = 0; done < text.size();) {
    ssize_t n = ::write(descriptor, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EPIPE) return {};  // whoever reads has seen enough, as `head` has
    if (n <= 0) return cannot_write(path);
    done += static_cast<std::size_t>(n);
  }
  return {};
}

// A file while it is being written: without a name where the file system can do that, else under a temporary one beside
// the target. It is locked, so that what a killed process left behind is told from what another process is writing.
class Draft {
 public:
  explicit Draft(const std::string& target) : target_(target) {}
  ~Draft() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!name_.empty()) forget(), ::unlink(name_.c_str());
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  Status open() {
    std::string folder = fs::path(target_).parent_path().string();
    descriptor_ = ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor_ < 0) {
      CHECK_OK(with_a_name([&](const char* name) { return (descriptor_ = ::open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666)) >= 0; }));
    }
    ::flock(descriptor_, LOCK_EX | LOCK_NB);
    if (struct stat old; ::stat(target_.c_str(), &old) == 0) ::fchmod(descriptor_, old.st_mode & 07777);
    return {};
  }
  int descriptor() const { return descriptor_; }

  // To the disk, then under its own name in one step.
  Status publish() {
    if (::fsync(descriptor_) != 0) return cannot_write(target_);
    if (name_.empty()) {
      const std::string self = "/proc/self/fd/" + std::to_string(descriptor_);
      if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, target_.c_str(), AT_SYMLINK_FOLLOW) == 0) return {};
      if (errno != EEXIST) return cannot_write(target_);
      CHECK_OK(with_a_name([&](const char* name) { return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0; }));
    }
    if (std::rename(name_.c_str(), target_.c_str()) != 0) return cannot_write(target_);
    forget();
    name_.clear();
    return {};
  }

  // Named drafts of this target that no process holds.
  void remove_abandoned() const {
    std::error_code error;
    const fs::path folder = fs::path(target_).parent_path();
    const std::string start = fs::path(target_).filename().string() + ".";
    for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, error)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with(start) || !name.ends_with(ending)) continue;
      int other = ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
      if (other < 0) continue;
      if (::flock(other, LOCK_EX | LOCK_NB) == 0) ::unlink(entry.path().c_str());
      ::close(other);
    }
  }

 private:
  static constexpr const char* ending = ".perfcast-draft";
  template <class Make>
  Status with_a_name(Make make) {
    static std::atomic<unsigned> number = 0;
    std::lock_guard lock(temporary_mutex);
    for (int attempt = 0; attempt < 100; attempt++) {
      std::string name = target_ + "." + std::to_string(::getpid()) + "-" + std::to_string(number++) + ending;
      if (make(name.c_str())) {
        live_files().insert(name_ = name);
        return {};
      }
      if (errno != EEXIST) break;
    }
    return cannot_write(target_, no_folder);
  }
  void forget() {
    std::lock_guard lock(temporary_mutex);
    live_files().erase(name_);
  }

  std::string target_, name_;
  int descriptor_ = -1;
};

// A device or a pipe is written to as it is.
Status write_in_place(const std::string& path, const std::string& text) {
  int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return cannot_write(path, "check the permissions");
  auto written = write_all(descriptor, text, path);
  ::close(descriptor);
  return written;
}

}  // namespace

Status source_is_there(const std::string& found, const std::string& named) {
  std::error_code ignored;
  if (std::filesystem::is_directory(found, ignored)) return unfit("a folder is no source file", named, "name the files in it");
  if (!std::filesystem::exists(found, ignored)) return unfit("there is no such source file", named);
  return {};
}

Result<std::string> read_file(const std::string& path) { return read_file_up_to(path, largest_file_bytes); }

Result<std::string> read_file_up_to(const std::string& path, std::size_t most_bytes) {
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return unfit(std::string("cannot read: ") + std::strerror(errno), path);
  std::string text;
  auto too_large = [&] {
    ::close(descriptor);
    return unfit("this is larger than " + std::to_string(most_bytes >> 20) + " MiB, the largest file that is read", path);
  };
  if (struct stat info; ::fstat(descriptor, &info) == 0) {
    if (S_ISDIR(info.st_mode)) return ::close(descriptor), unfit("this is a folder, not a file", path);
    if (info.st_size > 0 && static_cast<std::size_t>(info.st_size) > most_bytes) return too_large();
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
    if (text.size() + static_cast<std::size_t>(n) > most_bytes) return too_large();
    text.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(descriptor);
  return text;
}

Status can_write(const std::string& path) {
  if (path.empty() || path == "-") return {};
  struct stat info;
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) return unfit("this is a folder, not a file", path, "name a file in it");
  if (exists && !S_ISREG(info.st_mode)) return {};
  const std::string folder = fs::path(path).parent_path().string();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) return cannot_write(path, no_folder);
  return {};
}

Status write_file(const std::string& path, const std::string& text) {
  if (path == "-") return write_all(STDOUT_FILENO, text, "standard output");
  CHECK_OK(can_write(path));
  struct stat info;
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && !S_ISREG(info.st_mode)) return write_in_place(path, text);
  // Through a symbolic link the file it leads to is replaced, not the link.
  std::error_code error;
  std::string target = exists ? fs::canonical(path, error).string() : path;
  Draft draft(error ? path : target);
  CHECK_OK(draft.open());
  CHECK_OK(write_all(draft.descriptor(), text, path));
  CHECK_OK(draft.publish());
  draft.remove_abandoned();
  return {};
}

Result<TemporaryFolder> TemporaryFolder::make(const std::string& purpose) {
  std::error_code error;
  fs::path base = fs::temp_directory_path(error);
  if (error) base = "/tmp";
  std::string name = (base / ("perfcast-" + purpose + "-XXXXXX")).string();
  std::lock_guard lock(temporary_mutex);
  if (!::mkdtemp(name.data()))
    return unfit(std::string("cannot make a temporary folder: ") + std::strerror(errno), base.string(),
                 "set TMPDIR to a folder with free space");
  live_folders().insert(name);
  return TemporaryFolder(name);
}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  std::lock_guard lock(temporary_mutex);
  live_folders().erase(path_.string());
}

void remove_temporary_folders() {
  // Never given back: nobody makes another one while the program ends.
  temporary_mutex.lock();
  for (const auto& file : live_files()) ::unlink(file.c_str());
  // Other threads may still be filling a folder that is being removed.
  for (const auto& folder : live_folders())
    for (int attempt = 0; attempt < 20; attempt++) {
      std::error_code error;
      fs::remove_all(folder, error);
      if (!fs::exists(folder, error)) break;
      ::usleep(5000);
    }
}

}  // namespace perfcast

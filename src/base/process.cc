#include "base/process.h"

#include "base/cores.h"
#include "base/ending.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>

namespace perfcast {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  int read_end = -1, write_end = -1;
  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    read_end = ends[0], write_end = ends[1];
    return true;
  }
  void close_read() { if (read_end >= 0) ::close(read_end), read_end = -1; }
  void close_write() { if (write_end >= 0) ::close(write_end), write_end = -1; }
  ~Pipe() { close_read(), close_write(); }
};

Seconds seconds_of(const timeval& t) { return {static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec)}; }

// Programs that are running now, by process group.
std::mutex running_mutex;
bool no_more_programs = false;
std::atomic<std::atomic<bool>*> stop_flag = nullptr;  // what the first SIGINT sets, if anything
std::set<pid_t>& running() {
  static auto& groups = *new std::set<pid_t>;  // never destroyed: a signal may come while the program exits
  return groups;
}

// Processes that left their program's group (daemons) and outlived it have become our children, because we are their
// subreaper: found in /proc and ended. Only when no other program runs. Call with running_mutex held.
void end_orphans() {
  if (!running().empty()) return;
  for (int round = 0; round < 50; round++) {  // what they started meanwhile comes to us in turn
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return;  // no children at all: the usual case
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
      const pid_t pid = std::atoi(entry.path().filename().c_str());
      if (pid <= 0) continue;
      std::ifstream stat(entry.path() / "stat");
      std::string line;
      std::getline(stat, line);
      int parent = 0;
      // "PID (name) S PARENT": the name may hold anything, so the last parenthesis counts.
      if (auto close = line.rfind(')'); close != line.npos && std::sscanf(line.c_str() + close + 1, " %*c %d", &parent) == 1 && parent == ::getpid()) {
        ::kill(pid, SIGKILL);
        while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {}
      }
    }
  }
}

// A limit beyond what the system can express is none.
void limit_to(decltype(RLIMIT_AS) resource, const std::optional<Bytes>& bytes) {
  constexpr double largest = 0x1p63;
  if (!bytes) return;
  const rlim_t most = bytes->value < largest ? static_cast<rlim_t>(bytes->value) : RLIM_INFINITY;
  rlimit limit{most, most};
  ::setrlimit(resource, &limit);
}

// Everything that happens in the child between fork and exec; only async-signal-safe calls, nothing allocated.
[[noreturn]] void become(char* const* arguments, char* const* environment, const RunRequest& request,
                         const Pipe& output, const Pipe& errors, int input, const Pipe& failure) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // it does not outlive us, even when we are killed
  if (input >= 0) ::dup2(input, STDIN_FILENO);
  ::dup2(output.write_end, STDOUT_FILENO);
  ::dup2(errors.write_end, STDERR_FILENO);
  if (!request.folder.empty() && ::chdir(request.folder.c_str()) != 0) goto failed;
  if (request.first_core) OnCore moved(*request.first_core);
  if (request.core) move_to(*request.core);
  {
    rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    limit_to(RLIMIT_AS, request.limits.memory);
    limit_to(RLIMIT_FSIZE, request.limits.file_size);
    for (int signal : {SIGINT, SIGTERM, SIGPIPE, SIGCHLD}) ::signal(signal, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
  }
  ::execvpe(arguments[0], arguments, environment);
failed:
  int why = errno;
  [[maybe_unused]] ssize_t told = ::write(failure.write_end, &why, sizeof why);
  ::_exit(127);
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  for (auto& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
  std::vector<std::string> words;
  for (char** entry = environ; *entry; entry++) {
    std::string text = *entry;
    if (!added.contains(text.substr(0, text.find('=')))) words.push_back(std::move(text));
  }
  for (const auto& [key, value] : added) words.push_back(key + "=" + value);
  return words;
}

// Reads what the program prints until both pipes close, it ends, or a limit is passed.
Ending follow(pid_t child, Pipe& output, Pipe& errors, const RunLimits& limits, Clock::time_point start,
              RunOutcome& outcome) {
  auto deadline = start + std::chrono::duration<double>(limits.time.value);
  std::string* sinks[2] = {&outcome.output, &outcome.errors};
  pollfd descriptors[2] = {{output.read_end, POLLIN, 0}, {errors.read_end, POLLIN, 0}};
  bool ended = false;
  while (descriptors[0].fd >= 0 || descriptors[1].fd >= 0) {
    auto left = std::chrono::duration<double, std::milli>(deadline - Clock::now()).count();
    if (left <= 0) return Ending::timed_out;
    ::poll(descriptors, 2, static_cast<int>(std::min(left + 1, ended ? 5.0 : 20.0)));
    bool heard = false;
    for (int i = 0; i < 2; i++) {
      if (descriptors[i].fd < 0 || !(descriptors[i].revents & (POLLIN | POLLHUP | POLLERR))) continue;
      char buffer[1 << 16];
      ssize_t n = ::read(descriptors[i].fd, buffer, sizeof buffer);
      if (n > 0) sinks[i]->append(buffer, static_cast<std::size_t>(n)), heard = true;
      else if (n == 0) descriptors[i].fd = -1;
    }
    if (static_cast<double>(outcome.output.size() + outcome.errors.size()) > limits.output.value)
      return Ending::too_much_output;
    // A grandchild may hold the pipes open after the program itself has ended.
    siginfo_t info{};
    if (ended && !heard) break;
    if (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child)
      ended = true;
  }
  for (;;) {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child)
      return Ending::exited;
    if (Clock::now() > deadline) return Ending::timed_out;
    ::usleep(200);
  }
}

}  // namespace

Result<RunOutcome> run_program(const RunRequest& request) {
  if (request.command.empty()) return unfit("no program to run");
  std::vector<std::string> arguments = request.command, environment = environment_with(request.environment);
  std::vector<char*> argument_list = pointers(arguments), environment_list = pointers(environment);
  Pipe output, errors, failure;
  if (!output.open() || !errors.open() || !failure.open())
    return unfit(std::string("cannot make a pipe: ") + std::strerror(errno));
  int input = -1;
  if (!request.inherit_input) {
    std::string path = request.input_file.value_or("/dev/null");
    input = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (input < 0) return unfit(std::string("cannot read: ") + std::strerror(errno), path);
  }
  auto close_input = [&] { if (input >= 0) ::close(input); };
  RunOutcome outcome;
  auto start = Clock::now();
  static std::once_flag once;
  std::call_once(once, [] { ::prctl(PR_SET_CHILD_SUBREAPER, 1); });
  std::unique_lock lock(running_mutex);
  if (no_more_programs) return close_input(), unfit("perfcast is ending");
  pid_t child = ::fork();
  if (child < 0) {
    const std::string why = std::strerror(errno);
    return close_input(), unfit("cannot start a process: " + why);
  }
  if (child == 0)
    become(argument_list.data(), environment_list.data(), request, output, errors, input, failure);
  ::setpgid(child, child);
  running().insert(child);
  lock.unlock();
  close_input();
  output.close_write(), errors.close_write(), failure.close_write();

  int why = 0;
  bool not_started = ::read(failure.read_end, &why, sizeof why) == sizeof why;
  outcome.ending = not_started ? Ending::exited : follow(child, output, errors, request.limits, start, outcome);
  // Whatever it left running in its group goes too.
  ::kill(-child, SIGKILL);
  int status = 0;
  rusage usage{};
  while (::wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {}
  lock.lock();
  running().erase(child);
  end_orphans();
  lock.unlock();
  outcome.wall = {std::chrono::duration<double>(Clock::now() - start).count()};
  if (not_started) return unfit(std::string("cannot run: ") + std::strerror(why), request.command[0]);

  if (outcome.ending == Ending::exited && WIFSIGNALED(status)) outcome.ending = Ending::signalled;
  outcome.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  outcome.user = seconds_of(usage.ru_utime), outcome.system = seconds_of(usage.ru_stime);
  outcome.cpu = outcome.user + outcome.system;
  outcome.page_faults_minor = usage.ru_minflt, outcome.page_faults_major = usage.ru_majflt;
  outcome.switches_voluntary = usage.ru_nvcsw, outcome.switches_involuntary = usage.ru_nivcsw;
  outcome.peak_memory = {1024.0 * static_cast<double>(usage.ru_maxrss)};
  return outcome;
}

void end_running_programs() {
  std::lock_guard lock(running_mutex);
  no_more_programs = true;
  // Compilers remove their temporary files when they are asked to end; who does not listen is ended.
  for (pid_t group : running()) ::kill(-group, SIGTERM);
  if (!running().empty()) ::usleep(200'000);
  for (pid_t group : running()) ::kill(-group, SIGKILL);
}

void stop_at_first_interrupt(std::atomic<bool>& stop) { stop_flag = &stop; }

bool take_first_interrupt() {
  std::atomic<bool>* stop = stop_flag.exchange(nullptr);
  if (stop) *stop = true;
  return stop != nullptr;
}

std::string RunOutcome::how_it_ended(const RunLimits& limits) const {
  auto number = [](double value) { std::string s = std::to_string(value); s.erase(s.find_last_not_of('0') + 1); if (s.back() == '.') s.pop_back(); return s; };
  switch (ending) {
    case Ending::exited: return "exited with code " + std::to_string(code);
    case Ending::signalled: return "was killed by signal " + std::to_string(code) + " (SIG" + (::sigabbrev_np(code) ? ::sigabbrev_np(code) : "?") + ")";
    case Ending::timed_out: return "ran longer than " + number(limits.time.value) + " s";
    case Ending::too_much_output: return "printed more than " + number(std::round(limits.output.value / (1 << 20))) + " MiB";
  }
  return "";
}

std::optional<std::string> find_program(const std::string& name) {
  auto usable = [](const std::string& path) {
    std::error_code closed;  // PATH may name folders that we may not look into
    return std::filesystem::is_regular_file(path, closed) && ::access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return usable(name) ? std::optional(name) : std::nullopt;
  const char* path = std::getenv("PATH");
  std::string folders = path ? path : "/usr/bin:/bin";
  for (std::size_t begin = 0; begin <= folders.size();) {
    std::size_t end = std::min(folders.find(':', begin), folders.size());
    std::string candidate = folders.substr(begin, end - begin) + "/" + name;
    if (usable(candidate)) return candidate;
    begin = end + 1;
  }
  return {};
}

std::optional<std::string> find_c_compiler() {
  if (const char* wish = std::getenv("CC"); wish && *wish)
    if (auto found = find_program(wish)) return found;
  for (const char* name : {"cc", "gcc", "clang", "clang-19"})
    if (auto found = find_program(name)) return found;
  return {};
}

}  // namespace perfcast

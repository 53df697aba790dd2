#include "frontends/machine_code/trace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "base/files.h"
#include <memory_profile_layout.h>  // data/runtime: shared with the plugin
#include "base/mpi.h"
#include "base/preload.h"
#include "frontends/llvm_ir/emulated.h"
#include "frontends/machine_code/elf_image.h"
#include "frontends/memory_profile/observed.h"

namespace perfcast::machine_code {
namespace {

// The plugin's file, as qemu_blocks.c writes it.
struct FileHeader {
  char magic[8];
  std::uint64_t used, vcpus, stopped, lost, instructions, sampled;
  std::uint64_t watched_whole, short_bursts, long_bursts, burst_instructions, deepest_lines, pages;
  std::uint64_t system_calls, clock_reads, bytes_read, bytes_written, unfinished;
};
struct FileEdge {
  std::uint64_t to, count;
};
struct FileBlock {
  std::uint64_t kind_size, address, count, predicted, mispredicted, mispredicted_small, mispredicted_path;
  std::uint32_t instructions, bytes;
  FileEdge edges[4];
  std::uint64_t more, routine;
};
struct FileSeen {
  std::uint64_t kind_size, address, store, executions, reports, last_execution, last_line;
  perfcast_access_data data;
};
struct FileMore {
  std::uint64_t next;
  FileEdge edges[6];
};

// Of Open MPI: under qemu a process cannot read another's memory, by which ranks like to copy; and the other ranks are to leave their
// processors to the one that is slow.
const std::map<std::string, std::string> traced_rank = {
    {"PERFCAST_TRACED", "1"}, {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"}, {"OMPI_MCA_mpi_yield_when_idle", "1"}};

// The used beginning of the plugin's file. Read, not mapped: it is sparse, and on a full disk its holes cannot be mapped.
class TraceFile {
 public:
  explicit TraceFile(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    const off_t size = ::lseek(file, 0, SEEK_END);
    read_to(file, sizeof(FileHeader));
    if (auto header = at<FileHeader>(0); header && size > 0) read_to(file, std::min(header->used, static_cast<std::uint64_t>(size)));
    ::close(file);
  }
  const std::uint8_t* data() const { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }
  template <class T>
  std::optional<T> at(std::uint64_t offset) const {
    if (size() < sizeof(T) || offset > size() - sizeof(T)) return {};
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }

 private:
  void read_to(int file, std::uint64_t end) {
    std::size_t done = bytes_.size();
    if (end <= done) return;
    bytes_.resize(end);
    while (done < end) {
      const ssize_t got = ::pread(file, bytes_.data() + done, end - done, static_cast<off_t>(done));
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    bytes_.resize(done);
  }
  std::vector<std::uint8_t> bytes_;
};

// Goes through the records: calls `visit` with the kind, the place and the size of each.
void for_records(const TraceFile& file, const FileHeader& header, auto visit) {
  const std::uint64_t end = std::min<std::uint64_t>(header.used, file.size());
  for (std::uint64_t at = sizeof(FileHeader); at + 8 <= end;) {
    const std::uint64_t kind_size = *file.at<std::uint64_t>(at), size = kind_size & ~std::uint64_t{7};
    // The program may have written into the file, or been killed while the plugin did.
    if (size == 0 || size > end - at) break;
    visit(kind_size & 7, at, size);
    at += size;
  }
}
constexpr std::uint64_t block_record = 1, seen_record = 2;

void read_blocks(const TraceFile& file, const FileHeader& header, Trace& trace) {
  // The same code may have been translated several times: one entry for each address and bytes.
  struct Sum {
    double count = 0, predicted = 0;
    Mispredictions mispredicted;
    std::map<std::uint64_t, double> next;
  };
  std::map<std::pair<std::uint64_t, std::vector<std::uint8_t>>, Sum> sums;
  for_records(file, header, [&](std::uint64_t kind, std::uint64_t at, std::uint64_t size) {
    if (auto block = kind == block_record ? file.at<FileBlock>(at) : std::nullopt; block && block->count && sizeof(FileBlock) + block->bytes <= size) {
      const std::uint8_t* code = file.data() + at + sizeof(FileBlock);
      Sum& sum = sums[{block->address, {code, code + block->bytes}}];
      sum.count += static_cast<double>(block->count), sum.predicted += static_cast<double>(block->predicted);
      sum.mispredicted += {static_cast<double>(block->mispredicted), static_cast<double>(block->mispredicted_small), static_cast<double>(block->mispredicted_path)};
      auto take = [&](const FileEdge& edge) { if (edge.count) sum.next[edge.to] += static_cast<double>(edge.count); };
      for (const auto& edge : block->edges) take(edge);
      for (std::uint64_t more = block->more; more;) {
        auto chain = file.at<FileMore>(more);
        if (!chain) break;
        for (const auto& edge : chain->edges) take(edge);
        more = chain->next < more ? chain->next : 0;  // older ones lie before
      }
    }
  });
  for (auto& [key, sum] : sums)
    trace.blocks.push_back({key.first, sum.count, sum.predicted > 0 ? sum.mispredicted * (sum.count / sum.predicted) : Mispredictions(), key.second, {sum.next.begin(), sum.next.end()}});
}

void read_mappings(const std::string& text, Trace& trace) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    Mapping m;
    std::istringstream words(line);
    words >> std::hex >> m.start >> m.end >> m.offset;
    std::getline(words >> std::ws, m.path);
    trace.mappings.push_back(std::move(m));
  }
}

void read_accesses(const TraceFile& file, const FileHeader& header, Trace& trace) {
  MemoryWatch watch{header.watched_whole != 0, static_cast<double>(header.short_bursts), static_cast<double>(header.long_bursts), 1,
                    static_cast<double>(header.deepest_lines), static_cast<double>(header.pages)};
  if (!watch.whole) watch.share = header.instructions ? static_cast<double>(header.burst_instructions) / static_cast<double>(header.instructions) : 0;
  trace.memory = watch;
  for_records(file, header, [&](std::uint64_t kind, std::uint64_t at, std::uint64_t) {
    auto seen = kind == seen_record ? file.at<FileSeen>(at) : std::nullopt;
    if (!seen || !seen->executions) return;
    TracedAccess traced{seen->address, static_cast<double>(seen->reports) / static_cast<double>(seen->executions), {}};
    traced.access.store = seen->store != 0;
    memory_profile::describe_access(seen->data, watch.whole, traced.access);
    trace.accesses.push_back(std::move(traced));
  });
  std::ranges::sort(trace.accesses, {}, [](const TracedAccess& a) { return std::pair(a.address, a.access.store); });
}

// The folder under which a foreign program's loader and libraries lie.
std::string system_root_of(const std::string& arch) {
  for (const std::string& root : {"/usr/" + arch + "-linux-gnu", "/usr/gnemul/qemu-" + arch})
    if (std::filesystem::exists(root + "/lib")) return root;
  return {};
}

Result<std::vector<std::string>> qemu_command(const ElfImage& image, const TraceOptions& options) {
  const std::string arch = image.triple().substr(0, image.triple().find('-'));
  const std::string name = "qemu-" + arch;
  auto qemu = find_program(name);
  if (!qemu) return unfit(name + " is not installed; counting a binary needs it", image.name(), "install the package qemu-user");
  std::vector<std::string> command = {*qemu};
#if defined(__x86_64__)
  const bool foreign = arch != "x86_64";
#else
  const bool foreign = arch != "aarch64";
#endif
  const auto here = foreign ? std::nullopt : llvm_ir::scalable_bits_here();
  for (auto& word : llvm_ir::emulated_cpu(arch, here.value_or(llvm_ir::scalable_bits({})))) command.push_back(word);
  const std::string root = !options.system_root.empty() ? options.system_root : foreign ? system_root_of(arch) : "";
  if (!root.empty()) command.insert(command.end(), {"-L", root});
  return command;
}

// For the plugin: the file's lowest code address, then the ranges not to count, in order.
std::string skipped_ranges(const ElfImage& image, const std::vector<std::string>& names) {
  const std::set<std::string> wanted(names.begin(), names.end());
  std::uint64_t lowest = ~std::uint64_t{0};
  for (const auto& segment : image.segments())
    if (segment.executable) lowest = std::min(lowest, segment.address);
  std::string text = fmt::format("{:x}\n", lowest);
  for (const auto& f : image.functions())
    if (wanted.contains(f.name) && f.size) text += fmt::format("{:x} {:x}\n", f.address, f.address + f.size);
  return text;
}

struct Entry {
  std::string routine;
  double calls = 0;
  bool apart = false;  // not counted
};
using Entries = std::map<std::uint64_t, Entry>;

// What compilers link into every program, to start and to end it.
bool starts_or_ends(const std::string& name) {
  static const std::set<std::string> names = {"_start", "_init", "_fini", "frame_dummy", "__do_global_dtors_aux", "register_tm_clones", "deregister_tm_clones",
                                              "__cxa_finalize", "__gmon_start__"};
  return names.contains(name);
}

// Where calls of routines enter the file, by address: at the routine itself, where it is linked in, or at its stub. Those of which
// calls are known; of a rank all that it calls itself, since each tells that MPI's routine before it is left.
Entries entries_of(const ElfImage& image, const TraceOptions& options) {
  Entries entries;
  const bool of_rank = !options.launcher.empty();
  auto add = [&](std::uint64_t address, const std::string& name) {
    auto known = options.routines.find(name);
    if ((of_rank && !starts_or_ends(name)) || known != options.routines.end())
      entries[address] = {name, known == options.routines.end() ? 0 : known->second, of_rank && is_mpi_routine(name)};
  };
  if (options.skip.empty()) return entries;
  for (const auto& [address, name] : image.stubs()) add(address, name);
  for (const auto& f : image.functions()) add(f.address, f.name);
  return entries;
}

// The command as the launcher is to start it; what is put before the program is for the traced rank only.
std::vector<std::string> launched(const std::vector<std::string>& command, std::size_t before_program, const std::vector<std::string>& launcher) {
  std::vector<std::string> all = launcher;
  all.insert(all.end(), {"sh", "-c", fmt::format("[ -n \"$PERFCAST_TRACED\" ] || shift {}; exec \"$@\"", before_program), "sh"});
  all.insert(all.end(), command.begin(), command.end());
  return all;
}

// Of a rank that a signal ended, the launcher tells so by its own exit code.
Result<RunOutcome> run_or_launch(const RunRequest& request, const TraceOptions& options) {
  constexpr int signal_is_told = 128;  // and its number added
  TRY(RunOutcome outcome, run_program(request));
  if (!options.launcher.empty() && outcome.ending == Ending::exited && outcome.code > signal_is_told)
    outcome.ending = Ending::signalled, outcome.code -= signal_is_told;
  return outcome;
}

// qemu itself crashes now and then (less than one run in a hundred) where several threads meet signals or a fork, and the
// program would not: such a crash is worth another run.
bool threads_crashed(const RunOutcome& outcome, const std::string& out) {
  if (outcome.ending != Ending::signalled || outcome.code != SIGSEGV) return false;
  const auto header = TraceFile(out).at<FileHeader>(0);
  return header && header->vcpus > 1;
}

}  // namespace

Result<Trace> trace_program(const std::string& executable, const std::vector<std::string>& arguments, const TraceOptions& options) {
  TRY(const ElfImage image, ElfImage::open(executable));
  if (image.relocatable()) return unfit("is an object file, not a program", executable, "link it first");
  TRY(auto command, qemu_command(image, options));
  TRY(const TemporaryFolder folder, TemporaryFolder::make("trace"));
  TRY(const std::string plugin, runtime_library("qemu_blocks", {"-ftls-model=initial-exec"}));
  const std::string out = folder.file("blocks.bin"), maps = folder.file("maps.txt");
  std::string settings = plugin + ",out=" + out + ",maps=" + maps;
  if (options.instruction_limit) settings += ",limit=" + std::to_string(std::llround(*options.instruction_limit));
  constexpr double counted_whole = 1.8;  // seconds; in samples from then on
  if (options.processor_time)
    settings += fmt::format(",whole={:.3f},seconds={:.3f}", std::min(counted_whole, 0.9 * options.processor_time->value), options.processor_time->value);
  if (options.memory != WatchMemory::no) settings += options.memory == WatchMemory::whole_run ? ",memory=whole" : ",memory=bursts";
  if (!options.skip.empty()) {
    const std::string ranges = folder.file("skip.txt");
    CHECK_OK(write_file(ranges, skipped_ranges(image, options.skip)));
    settings += ",skip=" + ranges;
  }
  const Entries entries = entries_of(image, options);
  if (!entries.empty()) {
    const std::string routines = folder.file("routines.txt");
    std::string text;
    for (const auto& [address, entry] : entries) text += fmt::format("{:x} {:.0f} {:d}\n", address, entry.calls, entry.apart ? 1 : 0);
    CHECK_OK(write_file(routines, text));
    settings += fmt::format(",routines={},patience={:.3f}", routines, options.patience.value);
  }
  command.insert(command.end(), {"-plugin", settings});
  const std::size_t before_program = command.size();
  command.push_back(std::filesystem::absolute(executable).string());
  command.insert(command.end(), arguments.begin(), arguments.end());
  RunRequest request;
  request.command = options.launcher.empty() ? std::move(command) : launched(command, before_program, options.launcher);
  if (!options.launcher.empty()) request.environment = traced_rank;
  request.limits = options.limits, request.folder = options.folder;
  if (!options.input_file.empty()) request.input_file = options.input_file;
  Trace trace;
  TRY(trace.outcome, run_or_launch(request, options));
  for (int again = 0; again < 2 && threads_crashed(trace.outcome, out); ++again) {
    TRY(trace.outcome, run_or_launch(request, options));
  }
  trace.triple = image.triple();
  const TraceFile file(out);
  const auto header = file.at<FileHeader>(0);
  if (!header || std::memcmp(header->magic, "PCBLOCK4", 8) != 0)
    return unfit("qemu could not run the plugin: " + trace.outcome.errors, request.command[0]);
  if (header->used == sizeof(FileHeader)) {
    const std::string said = trace.outcome.errors;
    if (said.find("Could not open '/lib") != std::string::npos)
      return unfit("the program's own C library is not here: " + said, executable,
                   "install the cross package of its C library (libc6-arm64-cross, libc6-amd64-cross), or link the program statically");
    return unfit("qemu did not start the program: " + (said.empty() ? trace.outcome.how_it_ended(options.limits) : said), executable);
  }
  trace.instructions = static_cast<double>(header->instructions);
  trace.threads = static_cast<int>(header->vcpus);
  trace.overflowed = header->lost > 0;
  trace.complete = trace.outcome.ending == Ending::exited && !header->stopped;
  trace.sampled = header->sampled;
  trace.system = {static_cast<double>(header->system_calls), static_cast<double>(header->clock_reads), static_cast<double>(header->bytes_read),
                  static_cast<double>(header->bytes_written)};
  if (!trace.complete && header->unfinished > 0 && header->unfinished <= entries.size())
    trace.unfinished = std::next(entries.begin(), static_cast<std::ptrdiff_t>(header->unfinished - 1))->second.routine;
  read_blocks(file, *header, trace);
  if (options.memory != WatchMemory::no) read_accesses(file, *header, trace);
  if (auto text = read_file(maps)) read_mappings(*text, trace);
  return trace;
}

}  // namespace perfcast::machine_code

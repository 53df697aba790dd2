#include "methods/characterize/memory/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "base/files.h"
#include "base/threads.h"
#include "methods/characterize/memory/campaign.h"
#include "methods/characterize/memory/levels.h"

namespace perfcast::characterize {
namespace {

constexpr double kib = 1024, mib = 1024 * kib;

// Sizes of the data caches as the system tells them; empty where it does not.
std::vector<double> nominal_cache_sizes() {
  std::vector<double> sizes;
  for (int index = 0; index < 8; index++) {
    std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    auto type = read_file(folder + "type"), size = read_file(folder + "size");
    if (!type || !size || type->starts_with("Instruction")) continue;
    double value = std::atof(size->c_str());
    if (size->find('K') != std::string::npos) value *= kib;
    if (size->find('M') != std::string::npos) value *= mib;
    if (value > 0) sizes.push_back(value);
  }
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

double free_memory() {
  return static_cast<double>(::sysconf(_SC_AVPHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

MemoryModel MemoryCampaign::run() {
  nominal_ = nominal_cache_sizes();
  largest_ = options_.largest_bytes > 0 ? options_.largest_bytes
                                        : std::clamp(3 * (nominal_.empty() ? 32 * mib : nominal_.back()), 192 * mib, 1024 * mib);
  largest_ = std::min(largest_, free_memory() / 3);
  model_.page_bytes = static_cast<int>(::sysconf(_SC_PAGESIZE));
  step(0.00, "latency of each level", [&] { latencies(); });
  step(0.20, "retention of the last cache", [&] { retention(); });
  step(0.25, "random accesses", [&] { random_accesses(); });
  step(0.35, "bandwidth", [&] { for_each_level([&](auto& level, Buffer& b, long) { bandwidth(level, b); }); });
  step(0.55, "random accesses again", [&] { random_accesses_again(); });
  step(0.60, "strides", [&] { for_each_level([&](auto& level, Buffer& b, long) { strides(level, b); }); });
  step(0.72, "random accesses once more", [&] { random_accesses_again(); });
  step(0.78, "address translation", [&] { translation(), without_addresses(); });
  step(0.85, "window", [&] { window(); });
  step(0.92, "all cores", [&] { all_cores(); });
  return model_;
}

std::size_t MemoryCampaign::size_in(std::size_t i) const {
  const auto& level = model_.levels[i];
  if (!level.capacity_bytes) return static_cast<std::size_t>(largest_) / 4096 * 4096;
  double below = i == 0 ? 0 : model_.levels[i - 1].capacity_bytes->value, half = 0.5 * level.capacity_bytes->value;
  double bytes = i < 2 ? half : std::min(half, 4 * below);
  bytes = std::max(bytes, std::min(2.5 * below, 0.8 * level.capacity_bytes->value));
  return static_cast<std::size_t>(bytes) / 4096 * 4096;
}

Measurement MemoryCampaign::chase_time(double bytes, bool huge) {
  Buffer buffer(static_cast<std::size_t>(bytes), huge);
  if (!buffer.valid()) return {};
  auto cells = static_cast<std::size_t>(bytes) / line;
  char* cell = make_ring(buffer.begin(), cells, line, false);
  long steps = std::clamp<long>(static_cast<long>(cells), 4000, options_.quick ? 30000 : 100000);
  cell = chase(cell, std::min<long>(static_cast<long>(cells), 600000));
  return timed(slices_, static_cast<double>(steps), bytes, [&] { cell = chase(cell, steps); });
}

void MemoryCampaign::latencies() {
  std::vector<CurvePoint> curve;
  double factor = options_.quick ? 2 : std::sqrt(2.0);
  for (double bytes = 12 * kib; bytes <= largest_ * 1.01; bytes *= factor) {
    if (options_.stop && *options_.stop) return;
    curve.push_back({bytes, chase_time(std::round(bytes / line) * line, true).value});
  }
  auto plateaus = find_plateaus(without_disturbance(std::move(curve)), nominal_);
  for (std::size_t i = 0; i < plateaus.size(); i++) {
    MemoryLevel level;
    bool last = i + 1 == plateaus.size();
    level.name = last ? "DRAM" : "L" + std::to_string(i + 1);
    level.latency_ns = measured(plateaus[i].value, 0.02 * plateaus[i].value);
    if (!last) {
      double capacity = plateaus[i].capacity;
      level.capacity_bytes = measured(capacity, capacity * (factor - 1) / 4);
      if (i < nominal_.size()) level.nominal_bytes = documented(nominal_[i]);
    }
    model_.levels.push_back(level);
  }
  if (model_.levels.size() == nominal_.size() && model_.levels.size() >= 2) cache_seen_by_streams();
  if (model_.levels.empty()) return;
  double& latency = model_.levels.back().latency_ns->value;
  latency_with_walks_ = latency, latency = std::min(latency, flushed_latency().value_or(latency));
}

// Of lines that were flushed to memory, on so few pages that none has to be looked up. A ring larger than all caches needs walks
// for nearly every line, with a hypervisor even on huge pages, whose walks wait for memory themselves.
std::optional<double> MemoryCampaign::flushed_latency() {
  constexpr std::size_t bytes = 4 << 20;
  constexpr long steps = 4000;  // a sixteenth of them: hardly two of a pair that is fetched together
  Buffer b(bytes, true);
  if (!b.valid()) return {};
  char* cell = make_ring(b.begin(), bytes / line, line, false);
  std::vector<double> times;
  for (int repeat = 0; repeat < 2 * slices_; repeat++) {
    if (!flush_lines(b.begin(), bytes)) return {};
    double start = now_ns();
    cell = chase(cell, steps);
    times.push_back((now_ns() - start) / steps);
  }
  return quantile(times, 0.25);
}

void MemoryCampaign::bandwidth(MemoryLevel& level, Buffer& b) {
  double lines = static_cast<double>(b.bytes()) / line;
  std::vector<int> counts = options_.quick ? std::vector{1, 2, 4} : std::vector{1, 2, 4, 8, 16, 32};
  for (int streams : counts) {
    std::string key = std::to_string(streams);
    level.read_ns[key] = passes(lines, [&] { read_streams(b.begin(), b.bytes(), streams); });
    if (streams > 4) continue;
    level.write_ns[key] = passes(lines, [&] { write_streams(b.begin(), b.bytes(), streams); });
    level.copy_ns[key] = passes(lines / 2, [&] { copy_streams(b.begin(), b.bytes(), streams); });
  }
  level.update_ns = passes(lines, [&] { update_lines(b.begin(), b.bytes()); });
  level.partial_write_ns = passes(lines, [&] { write_partly(b.begin(), b.bytes()); });
  if (!level.capacity_bytes && !options_.quick)
    for (int streams : {8, 12, 16, 24, 32, 48})
      if (!model_.prefetch_streams &&
          passes(lines, [&] { read_streams(b.begin(), b.bytes(), streams); }).value > 1.5 * level.read_ns["4"].value)
        model_.prefetch_streams = measured(streams, streams / 4.0);
}

void MemoryCampaign::random(MemoryLevel& level, Buffer& b, long count) {
  std::size_t lines = b.bytes() / line;
  const auto bytes = static_cast<double>(b.bytes());
  auto time = [&](auto kernel) {
    return timed(slices_, static_cast<double>(count), bytes, [&] { kernel(b.begin(), lines, count); });
  };
  level.random_read_ns = time(read_random);
  level.random_update_ns = time(update_random);
  scattered_stores(level, b.bytes(), count);
  double best = level.latency_ns->value;
  char* cell = make_ring(b.begin(), lines, line, false);
  char* cells[24];
  for (int i = 0; i < 24; i++) cells[i] = cell = chase(cell, static_cast<long>(lines / 24));
  double single = timed(slices_, 4000, bytes, [&] { cell = chase(cell, 4000); }).value;
  for (int chains : {4, 8, 12, 16, 24})
    best = std::min(best, timed(slices_, 3000.0 * chains, bytes, [&] { chase_many(cells, chains, 3000); }).value);
  level.parallel_misses = measured(single / best, 0.1 * single / best);
}

void MemoryCampaign::random_accesses() {
  for_each_level([&](auto& level, Buffer& b, long count) { random(level, b, count); });
  random_moments_ = {model_.levels};
}

// Of what is shared with others, at another moment.
void MemoryCampaign::random_accesses_again() {
  if (options_.quick) return;
  constexpr std::size_t own = 2;
  std::vector<MemoryLevel> now = model_.levels;
  for_each_level([&](auto& level, Buffer& b, long count) {
    const auto i = static_cast<std::size_t>(&level - model_.levels.data());
    if (i >= own) random(now[i], b, count);
  });
  random_moments_.push_back(std::move(now));
  for (std::size_t i = own; i < model_.levels.size(); i++) {
    std::vector<MemoryLevel> moments;
    for (const auto& all : random_moments_) moments.push_back(all[i]);
    take_middle(model_.levels[i], moments);
  }
}

// Most of what the second cache seems to take for a random line is the computing of its address: the first level has that alone.
void MemoryCampaign::without_addresses() {
  if (model_.levels.empty()) return;
  const MemoryLevel& first = model_.levels.front();
  for (std::size_t i = 1; i < model_.levels.size(); i++) {
    MemoryLevel& level = model_.levels[i];
    if (level.random_read_ns) level.random_read_ns->value = without_core(level.random_read_ns->value, value_or(first.random_read_ns, 0));
    if (level.random_update_ns) level.random_update_ns->value = without_core(level.random_update_ns->value, value_or(first.random_update_ns, 0));
  }
}

// On huge pages: walks of stores overlap, these lines do not.
void MemoryCampaign::scattered_stores(MemoryLevel& level, std::size_t bytes, long count) {
  Buffer b(bytes, true);
  if (!b.valid()) return;
  double most = INFINITY;  // fewer stores between never take longer
  for (int stores : options_.quick ? std::vector{16, 4, 1} : std::vector{16, 8, 4, 2, 1}) {
    Measurement& time = level.random_write_ns[std::to_string(stores)];
    time = timed(slices_, static_cast<double>(count), static_cast<double>(bytes), [&] { write_random(b.begin(), bytes / line, count, stores); });
    most = time.value = std::min(time.value, most);
  }
}

void MemoryCampaign::strides(MemoryLevel& level, Buffer& b) {
  std::vector<std::size_t> strides = options_.quick
                                         ? std::vector<std::size_t>{128, 192, 256, 1024, 4096, 4160}
                                         : std::vector<std::size_t>{64, 128, 192, 256, 320, 512, 1024, 2048, 4096, 4160, 8256, 65600};
  const auto bytes = static_cast<double>(b.bytes());
  for (std::size_t stride : strides) {
    if (stride * 8 > b.bytes()) continue;
    long count = std::clamp<long>(static_cast<long>(b.bytes() / line), 20000, 60000);  // long enough to time
    int slices = std::max(5, slices_ / 2);
    std::size_t at = 0;
    level.stride_ns[std::to_string(stride)] = timed(slices, static_cast<double>(count), bytes, [&] { at = read_strided(b.begin(), b.bytes(), stride, count, at); });
    level.stride_write_ns[std::to_string(stride)] = timed(slices, static_cast<double>(count), bytes, [&] { at = write_strided(b.begin(), b.bytes(), stride, count, at); });
  }
}

void MemoryCampaign::window() {
  if (model_.levels.empty()) return;
  const auto& last = model_.levels.back();
  if (!last.parallel_misses) return;
  Buffer buffer(static_cast<std::size_t>(largest_), true);
  if (!buffer.valid()) return;
  std::size_t lines = buffer.bytes() / line;
  for (bool floating : {false, true}) {
    std::vector<CurvePoint> times;
    times.reserve(fillers);
    for (int f = 0; f < fillers; f++)
      times.push_back({static_cast<double>(filler_instructions[f]),
                       time_slices(slices_, 10000, [&] { read_random_filled(buffer.begin(), lines, 10000, f, floating); }).value});
    double window = fit_window(times, latency_with_walks_, last.parallel_misses->value, 7);
    (floating ? model_.window_instructions_fp : model_.window_instructions) = measured(window, 0.1 * window);
  }
}

void MemoryCampaign::all_cores() {
  if (model_.levels.empty()) return;
  int cores = static_cast<int>(std::thread::hardware_concurrency());
  auto bytes = static_cast<std::size_t>(std::min(largest_, free_memory() / 2 / std::max(1, cores)));
  for (int busy = 1; busy <= cores; busy = busy < cores && busy * 2 > cores ? cores : busy * 2) {
    std::vector<std::unique_ptr<Buffer>> buffers;
    buffers.reserve(static_cast<std::size_t>(busy));
    for (int i = 0; i < busy; i++) buffers.push_back(std::make_unique<Buffer>(bytes, false));
    bool all_read = true;
    auto work = [&] {
      std::vector<std::jthread> threads;
      for (auto& buffer : buffers) {
        threads.push_back(thread_if_any<std::jthread>([&buffer] { read_streams(buffer->begin(), buffer->bytes(), 4); }));
        all_read = all_read && threads.back().joinable();
      }
    };
    const Measurement time = time_slices(5, static_cast<double>(bytes) / line, work, Worker::others);
    if (!all_read) break;  // fewer threads than cores are to be had: what more cores would do is not known
    model_.all_cores_read_ns[std::to_string(busy)] = time;
    if (busy == cores) break;
  }
}

ThroughputCanary& session_canary() {
  static ThroughputCanary canary;
  return canary;
}

Result<MemoryModel> measure_memory(const MemoryOptions& options) {
  MemoryModel model = MemoryCampaign(options).run();
  if (model.levels.empty()) return unfit("no level of memory could be measured", "memory", "free some memory and try again");
  return model;
}

Measurement measure_page_fault() {
  constexpr std::size_t bytes = 16 << 20, page = 4096;
  constexpr double pages = static_cast<double>(bytes) / page;
  Measurement best;
  std::vector<double> times;
  for (int i = 0; i < 7; i++) {
    void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) break;
    ::madvise(p, bytes, MADV_NOHUGEPAGE);
    double start = now_ns();
    for (std::size_t at = 0; at < bytes; at += page) static_cast<volatile char*>(p)[at] = 1;
    ::munmap(p, bytes);  // a page is given back as well, at the latest when the program ends
    times.push_back((now_ns() - start) / pages);
  }
  if (times.empty()) return best;
  best.value = quantile(times, 0.25), best.sd = standard_deviation(times), best.repetitions = static_cast<int>(times.size());
  return best;
}

}  // namespace perfcast::characterize

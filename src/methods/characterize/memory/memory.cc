#include "methods/characterize/memory/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <random>

#include "base/files.h"
#include "base/threads.h"
#include "methods/characterize/memory/kernels.h"
#include "methods/characterize/memory/levels.h"
#include "methods/characterize/memory/slices.h"

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

// One measurement after the other, with the options at hand; each step asks `stopped` before it starts.
class Campaign {
 public:
  explicit Campaign(const MemoryOptions& options) : options_(options), slices_(options.quick ? 7 : 15) {}

  MemoryModel run() {
    nominal_ = nominal_cache_sizes();
    largest_ = options_.largest_bytes > 0 ? options_.largest_bytes
                                          : std::clamp(3 * (nominal_.empty() ? 32 * mib : nominal_.back()), 192 * mib, 1024 * mib);
    largest_ = std::min(largest_, free_memory() / 3);
    model_.page_bytes = static_cast<int>(::sysconf(_SC_PAGESIZE));
    step(0.00, "latency of each level", [&] { latencies(); });
    step(0.20, "retention of the last cache", [&] { retention(); });
    step(0.25, "bandwidth", [&] { for_each_level([&](auto& level, Buffer& b, long) { bandwidth(level, b); }); });
    step(0.50, "random accesses", [&] { for_each_level([&](auto& level, Buffer& b, long n) { random(level, b, n); }); });
    step(0.62, "strides", [&] { for_each_level([&](auto& level, Buffer& b, long) { strides(level, b); }); });
    step(0.75, "address translation", [&] { translation(); });
    step(0.85, "window", [&] { window(); });
    step(0.92, "all cores", [&] { all_cores(); });
    return model_;
  }

 private:
  void step(double done, const char* what, auto work) {
    if (options_.stop && *options_.stop) return;
    if (options_.progress) options_.progress(done, what);
    work();
  }

  Measurement chase_time(double bytes, bool huge) {
    Buffer buffer(static_cast<std::size_t>(bytes), huge);
    if (!buffer.valid()) return {};
    auto cells = static_cast<std::size_t>(bytes) / line;
    char* cell = make_ring(buffer.begin(), cells, line, false);
    long steps = std::clamp<long>(static_cast<long>(cells), 4000, options_.quick ? 30000 : 100000);
    cell = chase(cell, std::min<long>(static_cast<long>(cells), 600000));
    return time_slices(slices_, static_cast<double>(steps), [&] { cell = chase(cell, steps); });
  }

  void latencies() {
    std::vector<CurvePoint> curve;
    double factor = options_.quick ? 2 : std::sqrt(2.0);
    for (double bytes = 12 * kib; bytes <= largest_ * 1.01; bytes *= factor) {
      if (options_.stop && *options_.stop) return;
      Measurement m = chase_time(std::round(bytes / line) * line, true);
      double y = curve.empty() ? m.value : std::max(m.value, curve.back().y);  // a larger ring is never faster
      curve.push_back({bytes, y});
    }
    auto plateaus = find_plateaus(curve, nominal_);
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
  }

  // A shared last cache can be too busy to keep the lines of a slow chase and still serve a fast stream: then its
  // size is where the bandwidth, not the latency, drops.
  void cache_seen_by_streams() {
    const double below = model_.levels[model_.levels.size() - 2].capacity_bytes->value;
    std::vector<CurvePoint> curve;
    for (double bytes = 2 * below; bytes <= largest_ * 1.01; bytes *= std::sqrt(2.0)) {
      Buffer buffer(static_cast<std::size_t>(bytes) / 4096 * 4096, false);
      if (!buffer.valid()) return;
      double time = passes(bytes / line, [&] { read_streams(buffer.begin(), buffer.bytes(), 1); }).value;
      curve.push_back({bytes, curve.empty() ? time : std::max(time, curve.back().y)});
    }
    if (curve.size() < 4 || curve.back().y < 1.4 * curve.front().y) return;
    double capacity = crossing(curve, curve.front().y, curve.back().y);
    if (capacity < 3 * below) return;
    MemoryLevel level;
    level.name = "L" + std::to_string(model_.levels.size());
    level.capacity_bytes = measured(capacity, 0.2 * capacity);
    level.capacity_bytes->note = "seen by streams; a slow chase does not find its lines again";
    level.nominal_bytes = documented(nominal_.back());
    double latency = chase_time(std::round(2.5 * below / line) * line, true).value;
    level.latency_ns = measured(std::min(latency, model_.levels.back().latency_ns->value), 0.1 * latency);
    model_.levels.insert(model_.levels.end() - 1, level);
  }

  Measurement measured(double value, double sd) const {
    Measurement m;
    m.value = value, m.sd = sd, m.repetitions = slices_;
    return m;
  }

  static Measurement documented(double value) {
    Measurement m;
    m.value = value, m.how = How::documented;
    return m;
  }

  // A size that lives in the level, well above the level below and well inside its own capacity: a few times the level
  // below, since a busy cache keeps little for long; the last level gets the most.
  std::size_t size_in(std::size_t i) const {
    const auto& level = model_.levels[i];
    if (!level.capacity_bytes) return static_cast<std::size_t>(largest_) / 4096 * 4096;
    double below = i == 0 ? 0 : model_.levels[i - 1].capacity_bytes->value, half = 0.5 * level.capacity_bytes->value;
    double bytes = i < 2 ? half : std::min(half, 4 * below);
    bytes = std::max(bytes, std::min(2.5 * below, 0.8 * level.capacity_bytes->value));
    return static_cast<std::size_t>(bytes) / 4096 * 4096;
  }

  void for_each_level(auto work) {
    for (std::size_t i = 0; i < model_.levels.size(); i++) {
      if (options_.stop && *options_.stop) return;
      Buffer buffer(std::max<std::size_t>(size_in(i), 8192), false);
      if (buffer.valid()) work(model_.levels[i], buffer, i == 0 ? 100000 : 40000);
    }
  }

  // Passes over a buffer, repeated until a slice is long enough to time; units are lines.
  Measurement passes(double lines_per_pass, auto pass) {
    int repeat = std::max(1, static_cast<int>(30000 / lines_per_pass));
    int slices = lines_per_pass > 1e6 ? std::max(3, slices_ / 3) : slices_;
    return time_slices(slices, lines_per_pass * repeat, [&] { for (int i = 0; i < repeat; i++) pass(); });
  }

  void bandwidth(MemoryLevel& level, Buffer& b) {
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

  void random(MemoryLevel& level, Buffer& b, long count) {
    std::size_t lines = b.bytes() / line;
    auto time = [&](auto kernel) {
      return time_slices(slices_, static_cast<double>(count), [&] { kernel(b.begin(), lines, count); });
    };
    level.random_read_ns = time(read_random);
    level.random_update_ns = time(update_random);
    double best = level.latency_ns->value;
    char* cell = make_ring(b.begin(), lines, line, false);
    char* cells[24];
    for (int i = 0; i < 24; i++) cells[i] = cell = chase(cell, static_cast<long>(lines / 24));
    double single = time_slices(slices_, 4000, [&] { cell = chase(cell, 4000); }).value;
    for (int chains : {4, 8, 12, 16, 24})
      best = std::min(best, time_slices(slices_, 3000.0 * chains, [&] { chase_many(cells, chains, 3000); }).value);
    level.parallel_misses = measured(single / best, 0.1 * single / best);
  }

  void strides(MemoryLevel& level, Buffer& b) {
    std::vector<std::size_t> strides = options_.quick
                                           ? std::vector<std::size_t>{128, 192, 256, 1024, 4096, 4160}
                                           : std::vector<std::size_t>{64, 128, 192, 256, 320, 512, 1024, 2048, 4096, 4160, 8256, 65600};
    for (std::size_t stride : strides) {
      if (stride * 8 > b.bytes()) continue;
      long count = std::clamp<long>(static_cast<long>(b.bytes() / line), 20000, 60000);  // long enough to time
      int slices = std::max(5, slices_ / 2);
      std::size_t at = 0;
      level.stride_ns[std::to_string(stride)] = time_slices(slices, static_cast<double>(count), [&] { at = read_strided(b.begin(), b.bytes(), stride, count, at); });
      level.stride_write_ns[std::to_string(stride)] = time_slices(slices, static_cast<double>(count), [&] { at = write_strided(b.begin(), b.bytes(), stride, count, at); });
    }
  }

  Measurement page_chase(std::size_t pages, bool huge_pages) {
    Buffer buffer(pages * 4096 + 4096, huge_pages);
    if (!buffer.valid()) return {};
    char* cell = make_ring(buffer.begin(), pages, 4096, true);
    long steps = std::clamp<long>(static_cast<long>(pages), 4000, 60000);
    return time_slices(slices_, static_cast<double>(steps), [&] { cell = chase(cell, steps); });
  }

  Measurement independent_pages(std::size_t pages) {
    constexpr long count = 20000;
    Buffer buffer(pages * 4096 + 4096, false);
    if (!buffer.valid()) return {};
    std::vector<std::uint32_t> order(static_cast<std::size_t>(count * 32));
    std::mt19937 random(7);
    for (auto& page : order) page = static_cast<std::uint32_t>(random() % pages);
    std::size_t at = 0;
    return time_slices(slices_, count, [&] { read_pages(buffer.begin(), order.data() + at, count), at = (at + count) % order.size(); });
  }

  // One cell per page: the first rise is the first TLB, the second the second one. Lines stay in L2 up to some
  // thousands of pages, so the rest of the rise is translation.
  void translation() {
    if (model_.levels.size() < 2) return;
    std::vector<CurvePoint> curve;
    double factor = options_.quick ? 2 : std::sqrt(2.0);
    for (double pages = 16; pages <= 10000; pages *= factor)
      curve.push_back({std::round(pages), page_chase(static_cast<std::size_t>(pages), false).value});
    double l1 = model_.levels[0].latency_ns->value, l2 = model_.levels[1].latency_ns->value;
    auto at = [&](double pages) {
      double y = curve.front().y;
      for (const auto& point : curve)
        if (point.x <= pages) y = point.y;
      return y;
    };
    auto& t = model_.translation;
    auto number = [&](double value) { return measured(value, 0.05 * value); };
    // With 512 pages the lines still fit the first cache level's neighbour; with 4096 they are in L2.
    double with_first_miss = at(512);
    if (with_first_miss > 1.1 * l1) {
      double from_l1 = crossing(curve, l1, with_first_miss);
      if (from_l1 > 0) t.first_entries = number(from_l1);
      t.first_miss_ns = number(std::max(0.0, with_first_miss - (with_first_miss > l2 ? l2 : l1)));
    }
    double l2_plateau = at(700), beyond = at(8192);
    if (beyond <= 1.2 * l2_plateau) return;
    if (double entries = crossing(curve, l2_plateau, at(4096) > 1.2 * l2_plateau ? at(4096) : beyond); entries > 0)
      t.second_entries = number(entries);
    walks();
  }

  // What walks cost, one line on each of many pages: the lines of the near ones are in L2, of the far ones in memory.
  // Under a hypervisor huge pages need walks too, to the host's small ones, so the latency of memory, measured on
  // them, holds some of it: that part is taken out.
  void walks() {
    auto& t = model_.translation;
    auto number = [&](double value) { return measured(std::max(0.0, value), 0.1 * std::max(0.0, value)); };
    const MemoryLevel& second = model_.levels[1];
    double line = second.latency_ns->value, stream = second.random_read_ns ? second.random_read_ns->value : line / 8;
    double entries = t.second_entries ? t.second_entries->value : 0;
    double missing = std::max(0.5, 1 - entries / Translation::near_pages);
    t.walk_ns = number((page_chase(Translation::near_pages, false).value - line) / missing);
    t.walk_parallel_ns = number((independent_pages(Translation::near_pages).value - stream) / missing);
    double hidden = std::max(0.0, page_chase(Translation::near_pages, true).value - line);
    MemoryLevel& last = model_.levels.back();
    if (model_.levels.size() > 2 && hidden < 0.3 * last.latency_ns->value) last.latency_ns->value -= hidden;
    t.far_walk_ns = number(page_chase(Translation::far_pages, false).value - last.latency_ns->value);
    t.far_walk_parallel_ns = number(independent_pages(Translation::far_pages).value);
    without_walks(entries);
  }

  // The throughput of random lines without the walks that came with them, two limits of one stream of accesses, and
  // without those that the level below had.
  void without_walks(double entries) {
    const auto& t = model_.translation;
    for (std::size_t i = 2; i < model_.levels.size(); i++) {
      double missing = std::max(0.0, 1 - entries * 4096 / static_cast<double>(size_in(i)));
      double walks = missing * (i + 1 == model_.levels.size() ? t.far_walk_parallel_ns : t.walk_parallel_ns)->value;
      double nearer = std::min(0.7, model_.levels[i - 1].capacity_bytes->value / static_cast<double>(size_in(i)));  // hits of the level below
      auto clean = [&](std::optional<Measurement>& number, const std::optional<Measurement>& below) {
        if (!number) return;
        constexpr double q = MemoryModel::walk_overlap;
        double all = std::pow(number->value, q), least = std::pow(0.5 * number->value, q);
        double lines = std::pow(std::max(least, all - std::pow(walks, q)), 1 / q);
        number->value = std::max(lines, (lines - nearer * (below ? below->value : 0)) / (1 - nearer));
      };
      clean(model_.levels[i].random_read_ns, model_.levels[i - 1].random_read_ns);
      clean(model_.levels[i].random_update_ns, model_.levels[i - 1].random_update_ns);
    }
  }

  void window() {
    if (model_.levels.empty()) return;
    const auto& last = model_.levels.back();
    if (!last.latency_ns || !last.parallel_misses) return;
    Buffer buffer(static_cast<std::size_t>(largest_), true);
    if (!buffer.valid()) return;
    std::size_t lines = buffer.bytes() / line;
    for (bool floating : {false, true}) {
      std::vector<CurvePoint> times;
      for (int f = 0; f < fillers; f++)
        times.push_back({static_cast<double>(filler_instructions[f]),
                         time_slices(slices_, 10000, [&] { read_random_filled(buffer.begin(), lines, 10000, f, floating); }).value});
      double window = fit_window(times, last.latency_ns->value, last.parallel_misses->value, 7);
      (floating ? model_.window_instructions_fp : model_.window_instructions) = measured(window, 0.1 * window);
    }
  }

  void all_cores() {
    if (model_.levels.empty()) return;
    int cores = static_cast<int>(std::thread::hardware_concurrency());
    auto bytes = static_cast<std::size_t>(std::min(largest_, free_memory() / 2 / std::max(1, cores)));
    for (int busy = 1; busy <= cores; busy = busy < cores && busy * 2 > cores ? cores : busy * 2) {
      std::vector<std::unique_ptr<Buffer>> buffers;
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

  // What the slow ring took for a small cache may be one that forgets.
  void whole_size(MemoryLevel& cache, double fast, double gone) const {
    auto& capacity = *cache.capacity_bytes;
    if (!cache.nominal_bytes || capacity.value >= cache.nominal_bytes->value) return;
    const double whole = line * size_behind_retention(capacity.value / line, fast, gone, model_.retention_ns->value, cache.nominal_bytes->value / line);
    if (whole <= capacity.value) return;
    capacity = measured(whole, whole / 4);
    capacity.note = "less for a slow ring, whose lines others push out while it goes round";
  }

  // Touch what fits the last cache, push it out of the one below, wait, and see how much of it is still there. A busy
  // shared cache loses it within milliseconds; its latency is what loads take that come soon enough.
  void retention() {
    if (model_.levels.size() < 3) return;
    auto& cache = model_.levels[model_.levels.size() - 2];
    double below = model_.levels[model_.levels.size() - 3].capacity_bytes->value;
    const double size = cache.nominal_bytes ? cache.nominal_bytes->value : cache.capacity_bytes->value;
    auto bytes = static_cast<std::size_t>(std::min(1.5 * below, 0.2 * size));
    Buffer kept(bytes, true), pushing(static_cast<std::size_t>(2 * below), true);
    if (!kept.valid() || !pushing.valid()) return;
    char* cell = make_ring(kept.begin(), bytes / line, line, false);
    std::vector<CurvePoint> curve;
    for (double wait_ns : {0.0, 5e5, 1e6, 2e6, 4e6, 8e6, 1.6e7}) {
      std::vector<double> times;
      for (int repeat = 0; repeat < slices_; repeat++) {
        read_streams(kept.begin(), bytes, 1), read_streams(kept.begin(), bytes, 1);
        read_streams(pushing.begin(), pushing.bytes(), 1);
        for (double start = now_ns(); now_ns() - start < wait_ns;) {}
        double start = now_ns();
        cell = chase(cell, 500);
        times.push_back((now_ns() - start) / 500);
      }
      curve.push_back({wait_ns + 2e5, quantile(times, wait_ns > 0 ? 0.5 : 0.25)});
    }
    double gone = model_.levels.back().latency_ns->value, fast = curve.front().y;
    if (fast > 0.95 * gone) return;
    double slow = cache.latency_ns->value;
    if (fast < 0.9 * slow) cache.latency_ns = measured(fast, 0.05 * fast);
    for (std::size_t i = 1; i < curve.size(); i++)  // half of the lines lost: half-way in time, not on a log scale
      if (double half = (fast + gone) / 2; curve[i - 1].y <= half && curve[i].y > half) {
        double at = curve[i - 1].x + (half - curve[i - 1].y) / (curve[i].y - curve[i - 1].y) * (curve[i].x - curve[i - 1].x);
        model_.retention_ns = measured(at, at / 3);
        break;
      }
    if (model_.retention_ns) whole_size(cache, fast, gone);
  }

  const MemoryOptions& options_;
  int slices_;
  double largest_ = 0;
  std::vector<double> nominal_;
  MemoryModel model_;
};

}  // namespace

ThroughputCanary& session_canary() {
  static ThroughputCanary canary;
  return canary;
}

Result<MemoryModel> measure_memory(const MemoryOptions& options) {
  MemoryModel model = Campaign(options).run();
  if (model.levels.empty()) return unfit("no level of memory could be measured", "memory", "free some memory and try again");
  return model;
}

Measurement measure_page_fault() {
  constexpr std::size_t bytes = 16 << 20;
  Measurement best;
  std::vector<double> times;
  for (int i = 0; i < 7; i++) {
    void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) break;
    ::madvise(p, bytes, MADV_NOHUGEPAGE);
    double start = now_ns();
    for (std::size_t at = 0; at < bytes; at += 4096) static_cast<volatile char*>(p)[at] = 1;
    ::munmap(p, bytes);  // a page is given back as well, at the latest when the program ends
    times.push_back((now_ns() - start) / (bytes / 4096));
  }
  if (times.empty()) return best;
  best.value = quantile(times, 0.25), best.sd = standard_deviation(times), best.repetitions = static_cast<int>(times.size());
  return best;
}

}  // namespace perfcast::characterize

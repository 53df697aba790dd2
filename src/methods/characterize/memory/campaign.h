// One measurement of memory after the other, with the options at hand: levels and their speed (memory.cc), what is special
// about a shared last cache (last_cache.cc), and the translation of addresses (translation.cc).
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "methods/characterize/memory/kernels.h"
#include "methods/characterize/memory/levels.h"
#include "methods/characterize/memory/memory.h"
#include "methods/characterize/memory/slices.h"

namespace perfcast::characterize {

class MemoryCampaign {
 public:
  explicit MemoryCampaign(const MemoryOptions& options) : options_(options), slices_(options.quick ? 7 : 15) {}
  MemoryModel run();

 private:
  // Each step asks whether the user stopped before it starts.
  void step(double done, const char* what, auto work) {
    if (options_.stop && *options_.stop) return;
    if (options_.progress) options_.progress(done, what);
    work();
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
    return timed(slices, lines_per_pass * repeat, lines_per_pass * line, [&] { for (int i = 0; i < repeat; i++) pass(); });
  }

  // What goes on within so many bytes: the core's clock paces its own caches, not the one that it shares.
  Measurement timed(int slices, double units, double bytes, auto work) {
    const double own = nominal_.size() > 1 ? nominal_[nominal_.size() - 2] : 0;
    return time_slices(slices, units, work, Worker::this_thread, bytes <= own ? options_.clock_ghz : 0);
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
  std::size_t size_in(std::size_t level) const;
  Measurement chase_time(double bytes, bool huge);
  void latencies();
  std::optional<double> flushed_latency();
  void bandwidth(MemoryLevel& level, Buffer& b);
  void random_accesses();
  void random_accesses_again();
  void random(MemoryLevel& level, Buffer& b, long count);
  void scattered_stores(MemoryLevel& level, std::size_t bytes, long count);
  void strides(MemoryLevel& level, Buffer& b);
  void window();
  void all_cores();

  void cache_seen_by_streams();
  void retention();
  void whole_size(MemoryLevel& cache, double below, double fast, double gone);
  std::vector<CurvePoint> stream_curve(double below);

  Measurement page_chase(std::size_t pages);
  Measurement independent_pages(std::size_t pages);
  void translation();
  void walks();
  void without_walks(double entries);
  void without_addresses();

  const MemoryOptions& options_;
  int slices_;
  double largest_ = 0;
  double latency_with_walks_ = 0;  // of memory, on a ring of that size
  std::vector<double> nominal_;
  MemoryModel model_;
  std::vector<std::vector<MemoryLevel>> random_moments_;  // by moment, level by level
};

}  // namespace perfcast::characterize

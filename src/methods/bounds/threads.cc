// What each thread executed, block by block, gives the bound of every region: of the work shared evenly (4.17) and of the
// busiest thread (4.18). A routine belongs to the regions that call it, thread by thread in proportion to their calls; a
// region whose condition did not hold, and one inside another that got no threads of its own, to the code around it. One inside
// another that did get threads has a bound of its own and is part of the other's.
#include "methods/bounds/threads.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace perfcast::bounds {
namespace {

// The body of a parallel region is a function of its own; clang and flang name it so. With debug information clang
// makes two at -O0, of which the outer one only calls the other.
bool is_parallel_body(const std::string& name) {
  if (name.find("_debug__") != std::string::npos) return false;
  return name.find(".omp_outlined") != std::string::npos || name.find("..omp_par") != std::string::npos || name.find("omp_task_entry") != std::string::npos;
}

// work.omp_outlined.omp_outlined lies in work.omp_outlined; work.omp_outlined.1 does not.
bool lies_in(const std::string& inner, const std::string& outer) {
  return inner.size() > outer.size() && inner.starts_with(outer) && inner.find("omp_", outer.size()) != std::string::npos;
}

// The run-time library tells where in the source a region is, but by the function it was inlined into and by another spelling of the
// path.
bool same_place(const Location& watched, const Location& body) {
  auto name = [](const std::string& path) { return path.substr(path.find_last_of('/') + 1); };
  return body.line > 0 && watched.line == body.line && name(watched.file) == name(body.file);
}

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// One run, by function and thread.
class ThreadsMaker {
 public:
  ThreadsMaker(const Profile& profile, const Steps& steps, double hertz, const std::vector<LoopGroup>& groups, const ThreadedRun& run)
      : functions_(profile.machine->functions), steps_(steps), hertz_(hertz), groups_(groups), run_(run), number_(std::min(functions_.size(), run.counts.size())) {
    threads_ = static_cast<std::size_t>(std::max(1, run.threads));
    for (const auto& function : run.counts)
      for (const auto& block : function) threads_ = std::max(threads_, block.size());
    for (std::size_t f = 0; f < number_; f++) by_name_[functions_[f].name] = f;
    for (std::size_t f = 0; f < number_; f++) seconds_.push_back(seconds_by_thread(f, run.counts)), plain_seconds_.push_back(seconds_by_thread(f, run.plain));
    find_regions();
    share_out();
    find_teams_inside();
  }

  ThreadsBound make(const ThreadsBound* one) const {
    ThreadsBound out;
    out.threads = run_.threads;
    if (run_.seconds > 0) out.measured_seconds = run_.seconds;
    std::vector<double> outside = seconds_in(regions_.size());
    out.sequential_seconds = outside.empty() ? 0 : *std::ranges::max_element(outside);
    double balanced = 0, actual = 0, work = sum_of(outside);
    for (std::size_t r = 0; r < regions_.size(); r++) {
      const RegionTime time = time_of(r);
      if (time.work <= 0) continue;
      out.regions.push_back(region_bound(r, time, one));
      if (around_.contains(r)) continue;  // part of the region around it
      balanced += out.regions.back().balanced_seconds, actual += out.regions.back().actual_seconds, work += time.work;
    }
    std::ranges::sort(out.regions, std::greater{}, &ParallelRegionBound::actual_seconds);
    out.balanced_seconds = out.sequential_seconds + balanced, out.actual_seconds = out.sequential_seconds + actual;  // 4.19
    if (out.measured_seconds) {
      out.utilisation = work / (*out.measured_seconds * run_.threads);  // 7.1, averaged over CPUs
      out.speedup = one && one->measured_seconds ? *one->measured_seconds / *out.measured_seconds : 1;
    }
    return out;
  }

 private:
  using Shares = std::vector<std::vector<double>>;  // [region, the last is outside of all][thread]

  using Counts = std::vector<std::vector<std::vector<double>>>;  // [function][block][thread]

  static double count(const Counts& counts, std::size_t f, std::size_t b, std::size_t t) {
    return f < counts.size() && b < counts[f].size() && t < counts[f][b].size() ? counts[f][b][t] : 0;
  }
  double count(std::size_t f, std::size_t b, std::size_t t) const { return count(run_.counts, f, b, t); }
  // MACS cycles of one execution of a block, times how often each thread ran it.
  std::vector<double> seconds_by_thread(std::size_t f, const Counts& counts) const {
    std::vector<double> seconds(threads_, 0);
    for (std::size_t b = 0; b < functions_[f].blocks.size(); b++) {
      if (functions_[f].blocks[b].count.value <= 0) continue;
      double each = steps_.macs_cycles(static_cast<int>(f), static_cast<int>(b)) / functions_[f].blocks[b].count.value / hertz_;
      for (std::size_t t = 0; t < threads_; t++) seconds[t] += each * count(counts, f, b, t);
    }
    return seconds;
  }
  std::set<std::size_t> entering(std::size_t f) const {
    std::set<std::size_t> threads;
    for (std::size_t t = 0; t < threads_; t++)
      if (seconds_[f][t] > 0 || count(f, 0, t) > 0) threads.insert(t);
    return threads;
  }

  // Bodies, and what runs on other threads for reasons that no call tells (callbacks, tasks).
  void find_regions() {
    std::set<std::string> called;
    for (std::size_t f = 0; f < number_; f++)
      for (const Block& block : functions_[f].blocks)
        for (const Call& call : block.calls) called.insert(call.callee);
    for (std::size_t f = 0; f < number_; f++) {
      double others = sum_of(seconds_[f]) - seconds_[f][0];
      if (is_parallel_body(functions_[f].name) || (others > 0 && !called.contains(functions_[f].name))) region_of_[f] = regions_.size(), regions_.push_back(f);
    }
    // A region inside another whose body no further thread enters has no threads of its own.
    for (std::size_t inner : regions_)
      for (std::size_t outer : regions_)
        if (lies_in(functions_[inner].name, functions_[outer].name) && std::ranges::includes(entering(outer), entering(inner))) inside_[inner] = outer;
  }

  // Whose time each function's is: that of its callers, until nothing changes.
  void share_out() {
    const std::size_t outside = regions_.size();
    shares_.assign(number_, Shares(outside + 1, std::vector<double>(threads_, 0.0)));
    struct CallCount { std::size_t from, to; std::vector<double> times; };
    std::vector<CallCount> calls;
    for (std::size_t f = 0; f < number_; f++)
      for (std::size_t b = 0; b < functions_[f].blocks.size(); b++)
        for (const Call& call : functions_[f].blocks[b].calls)
          if (auto to = by_name_.find(call.callee); to != by_name_.end() && to->second != f) {
            CallCount made{f, to->second, std::vector<double>(threads_, 0.0)};
            for (std::size_t t = 0; t < threads_; t++) made.times[t] = call.per_execution * count(f, b, t);
            calls.push_back(std::move(made));
          }
    for (std::size_t f = 0; f < number_; f++) {
      auto own = region_of_.find(f);
      std::ranges::fill(shares_[f][own == region_of_.end() ? outside : own->second], 1.0);
    }
    constexpr int deepest = 24;  // calls
    for (int round = 0; round < deepest; round++) {
      std::vector<Shares> sums(number_, Shares(outside + 1, std::vector<double>(threads_, 0.0)));
      std::vector<std::vector<double>> all(number_, std::vector<double>(threads_, 0.0));
      for (const CallCount& call : calls)
        for (std::size_t t = 0; t < threads_; t++) {
          all[call.to][t] += call.times[t];
          for (std::size_t r = 0; r <= outside; r++) sums[call.to][r][t] += call.times[t] * shares_[call.from][r][t];
        }
      for (std::size_t f = 0; f < number_; f++)
        for (std::size_t t = 0; t < threads_; t++) {
          double executed = std::max(count(f, 0, t), all[f][t]);
          // Of a body, what was called plainly ran where its caller ran: its condition did not hold.
          double plain = executed > 0 ? plain_share(f, t, all[f][t], executed) : 0;
          auto own = region_of_.find(f);
          if (auto outer = inside_.find(f); outer != inside_.end()) {
            for (std::size_t r = 0; r <= outside; r++) shares_[f][r][t] = shares_[outer->second][r][t];
          } else if (all[f][t] > 0) {
            for (std::size_t r = 0; r <= outside; r++) shares_[f][r][t] = (own == region_of_.end() ? 1 : plain) * sums[f][r][t] / all[f][t];
            if (own != region_of_.end()) shares_[f][own->second][t] += 1 - plain;
          } else if (own != region_of_.end() && plain > 0) {
            // Called by the run-time library: it ran where the code that asked for it ran. Code that was inlined is taken to lie outside.
            const auto caller = forking(f);
            for (std::size_t r = 0; r <= outside; r++) shares_[f][r][t] = plain * (caller ? shares_[*caller][r][t] : r == outside);
            shares_[f][own->second][t] += 1 - plain;
          }
        }
    }
  }

  // The function a body was cut out of, which makes its threads.
  std::optional<std::size_t> forking(std::size_t body) const {
    const std::string& name = functions_[body].name;
    const std::size_t clang = name.rfind(".omp_outlined"), flang = name.rfind("..omp_par");
    auto found = by_name_.find(name.substr(0, clang != std::string::npos ? clang : flang));
    return found == by_name_.end() || found->second == body ? std::nullopt : std::optional(found->second);
  }

  // Whether a region is another or, as far as is known, inside it: functions may call each other in a circle.
  bool lies_inside(std::size_t region, std::size_t other) const {
    for (auto up = around_.find(region); region != other && up != around_.end(); up = around_.find(region)) region = up->second;
    return region == other;
  }

  // Regions with threads of their own whose function is called in another region.
  void find_teams_inside() {
    for (std::size_t r = 0; r < regions_.size(); r++) {
      auto function = forking(regions_[r]);
      if (!function || inside_.contains(regions_[r])) continue;
      for (std::size_t outer = 0; outer < regions_.size(); outer++) {
        double there = 0, all = 0;
        for (std::size_t t = 0; t < threads_; t++) there += count(*function, 0, t) * shares_[*function][outer][t], all += count(*function, 0, t);
        if (there > all / 2 && !lies_inside(outer, r)) around_[r] = outer;
      }
    }
  }

  // Of a region with those inside it: a thread that makes a team waits for the slowest of it.
  struct RegionTime {
    std::vector<double> by_thread;
    std::set<std::size_t> entering;
    double work = 0;
  };
  RegionTime time_of(std::size_t region) const {
    RegionTime time{seconds_in(region), entering(regions_[region]), 0};
    time.work = sum_of(time.by_thread);
    for (const auto& [inner, outer] : around_) {
      if (outer != region) continue;
      RegionTime more = time_of(inner);
      if (more.work <= 0) continue;
      std::vector<std::size_t> makers;
      for (std::size_t t = 0; t < threads_; t++)
        if (count(*forking(regions_[inner]), 0, t) > 0) makers.push_back(t);
      // Whose team a thread was in is known where there was one only; else each has its own time to bear, which is less.
      if (makers.size() == 1) more.by_thread[makers[0]] = *std::ranges::max_element(more.by_thread);
      for (std::size_t t = 0; t < threads_; t++) time.by_thread[t] += more.by_thread[t];
      time.entering.merge(more.entering), time.work += more.work;
    }
    return time;
  }

  // The share of a thread's work in a body that it did in plain calls. Where those were not counted apart, each does as much as the
  // threads do together in another.
  double plain_share(std::size_t f, std::size_t t, double plain_calls, double executed) const {
    if (sum_of(plain_seconds_[f]) > 0) return seconds_[f][t] > 0 ? std::min(1.0, plain_seconds_[f][t] / seconds_[f][t]) : 0;
    double entries = 0;
    for (std::size_t other = 0; other < threads_; other++) entries = std::max(entries, count(f, 0, other));
    if (!region_of_.contains(f) || seconds_[f][t] <= 0 || entries <= 0 || plain_calls >= executed) return plain_calls / executed;
    return std::min(1.0, plain_calls * sum_of(seconds_[f]) / entries / seconds_[f][t]);
  }

  std::vector<double> seconds_in(std::size_t region) const {
    std::vector<double> seconds(threads_, 0);
    for (std::size_t f = 0; f < number_; f++)
      for (std::size_t t = 0; t < threads_; t++) seconds[t] += seconds_[f][t] * shares_[f][region][t];
    return seconds;
  }

  ParallelRegionBound region_bound(std::size_t r, const RegionTime& time, const ThreadsBound* one) const {
    ParallelRegionBound out;
    const Function& body = functions_[regions_[r]];
    out.function = body.readable.empty() ? body.name : body.readable;
    out.function = without_body_mark(out.function);
    out.at = body.at, out.threads = std::max(1, static_cast<int>(entering(regions_[r]).size()));
    out.balanced_seconds = time.work / std::max(1.0, static_cast<double>(time.entering.size()));          // 4.17
    out.actual_seconds = *std::ranges::max_element(time.by_thread);                                       // 4.18
    out.imbalance = out.balanced_seconds > 0 ? std::max(0.0, out.actual_seconds / out.balanced_seconds - 1) : 0;
    out.iterations = iterations_in(r);
    for (const RegionSeconds& measured : run_.regions)
      if (same_place(measured.at, body.at)) {
        out.measured_seconds = out.measured_seconds.value_or(0) + measured.seconds;
        out.busy_seconds.resize(std::max(out.busy_seconds.size(), measured.busy.size()));
        for (std::size_t t = 0; t < measured.busy.size(); t++) out.busy_seconds[t] += measured.busy[t];
      }
    if (double busy = sum_of(out.busy_seconds); busy > 0)
      out.measured_imbalance = *std::ranges::max_element(out.busy_seconds) * static_cast<double>(out.busy_seconds.size()) / busy - 1;
    if (!out.measured_seconds || *out.measured_seconds <= 0) return out;
    out.utilisation = time.work / (*out.measured_seconds * run_.threads);                         // 7.1
    out.speedup = 1;
    if (one)
      for (const ParallelRegionBound& before : one->regions)
        if (before.at == out.at && before.function == out.function && before.measured_seconds) out.speedup = *before.measured_seconds / *out.measured_seconds;
    return out;
  }
  // Machine loops of a group that hold no other loop. A loop whose chunks are handed out has two of its own, one around the
  // other: the inner one iterates. A group around loops of others has none.
  std::vector<int> innermost_of(const LoopGroup& group) const {
    const auto& loops = functions_[static_cast<std::size_t>(group.function)].loops;
    std::vector<int> innermost;
    for (int l : group.machine_loops)
      if (std::ranges::none_of(loops, [l](const Loop& other) { return other.parent == l && other.iterations.value > 0; })) innermost.push_back(l);
    return innermost;
  }
  // Source iterations of the loops in a region, by thread.
  std::vector<double> iterations_in(std::size_t r) const {
    std::vector<double> iterations(threads_, 0);
    for (const LoopGroup& group : groups_) {
      auto f = static_cast<std::size_t>(group.function);
      if (f >= number_) continue;
      for (int l : innermost_of(group))
        for (std::size_t t = 0; t < threads_; t++)
          iterations[t] += shares_[f][r][t] * count(f, static_cast<std::size_t>(functions_[f].loops[static_cast<std::size_t>(l)].header), t) * group.iterations / group.machine_iterations;
    }
    return iterations;
  }

  const std::vector<Function>& functions_;
  const Steps& steps_;
  double hertz_;
  const std::vector<LoopGroup>& groups_;
  const ThreadedRun& run_;
  std::size_t number_, threads_ = 1;
  std::map<std::string, std::size_t> by_name_;
  std::vector<std::vector<double>> seconds_, plain_seconds_;  // [function][thread]; the second: in plain calls of a body
  std::vector<std::size_t> regions_;               // functions
  std::map<std::size_t, std::size_t> region_of_;   // by function
  std::map<std::size_t, std::size_t> inside_;      // body -> the body around it, whose threads run it
  std::map<std::size_t, std::size_t> around_;      // region with threads of its own -> the region around it
  std::vector<Shares> shares_;                     // by function
};

// Figures 18 and 19: for each region the number of threads with the shortest time, and that with the largest utilisation.
void choose_by_region(Bounds& out) {
  std::map<std::pair<std::string, int>, std::pair<double, double>> best;  // by function and line: seconds, utilisation
  for (const ThreadsBound& at : out.threads)
    for (const ParallelRegionBound& region : at.regions) {
      if (!region.measured_seconds || !region.utilisation) continue;
      auto [it, fresh] = best.try_emplace({region.function, region.at.line}, *region.measured_seconds, *region.utilisation);
      auto same = [&](const RegionChoice& choice) { return choice.function == region.function && choice.at.line == region.at.line; };
      if (fresh) out.region_threads.push_back({region.function, region.at, at.threads, at.threads});
      RegionChoice& choice = *std::ranges::find_if(out.region_threads, same);
      if (*region.measured_seconds < it->second.first) it->second.first = *region.measured_seconds, choice.fastest_threads = at.threads;
      if (*region.utilisation > it->second.second) it->second.second = *region.utilisation, choice.best_used_threads = at.threads;
    }
}

}  // namespace

void add_threads(const Profile& profile, const BoundsOptions& options, const Steps& steps, double hertz, const std::vector<LoopGroup>& groups, Bounds& out) {
  for (const ThreadedRun& run : options.threaded)
    out.threads.push_back(ThreadsMaker(profile, steps, hertz, groups, run).make(out.threads.empty() ? nullptr : &out.threads.front()));
  double fastest = 0, best = 0;
  for (const ThreadsBound& at : out.threads) {
    if (!at.measured_seconds) continue;
    if (!out.fastest_threads || *at.measured_seconds < fastest) out.fastest_threads = at.threads, fastest = *at.measured_seconds;
    if (at.utilisation && (!out.best_used_threads || *at.utilisation > best)) out.best_used_threads = at.threads, best = *at.utilisation;
  }
  choose_by_region(out);
  for (const ThreadedRun& run : options.threaded)
    if (!run.doubt.empty()) out.remarks.push_back(run.doubt);
  for (const ThreadsBound& at : out.threads) {
    auto check = [&](const std::string& what, const Location& where, double bound, std::optional<double> measured) {
      constexpr double tolerance = 0.03;
      if (measured && bound > *measured * (1 + tolerance)) out.broken_laws.push_back({"bound <= measured, " + std::to_string(at.threads) + " threads", what, where, bound / *measured - 1});
    };
    check("the program", {}, at.actual_seconds, at.measured_seconds);
    for (const ParallelRegionBound& region : at.regions) check(region.function, region.at, region.actual_seconds, region.measured_seconds);
  }
}

}  // namespace perfcast::bounds

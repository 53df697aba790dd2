#include "engine/scaling/profile_at.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/scaling/reuse_growth.h"
#include "expr/parse.h"

namespace perfcast::engine {
namespace {

class Sizer {
 public:
  Sizer(const Profile& from, const std::map<std::string, double>& set, const CountValues& values, SizedProfile& result)
      : from_(from), set_(set), values_(values), result_(result) {
    for (const SizedMemory& memory : from.scaling->memory)
      for (const SizedAccess& access : memory.accesses)
        others_[{access.function, access.block, access.access.index}].push_back({&memory, &access.access});
  }

  void run() {
    Profile& p = result_.profile;
    for (Graph* graph : {p.source ? &*p.source : nullptr, p.ir ? &*p.ir : nullptr, p.machine ? &*p.machine : nullptr})
      if (graph)
        for (Function& function : graph->functions) size(function, graph == (p.ir ? &*p.ir : nullptr));
    for (auto& [name, calls] : p.library_calls)
      if (auto it = from_.scaling->library_calls.find(name); it != from_.scaling->library_calls.end()) calls = value(it->second, calls);
    if (!from_.scaling->page_faults.empty()) {
      double here = value(from_.scaling->page_faults, 0), recorded = recorded_faults_law();
      if (here > 0 && recorded > 0) p.run.page_faults *= here / recorded;
    }
    // How long the recorded run took, and what it asked of the system, is known for it alone.
    p.run.seconds = 0;
    if (p.run.system && p.run.system->calls > 1000)
      result_.warnings.push_back("system calls are taken to be those of the recorded run");
    for (const auto& [name, v] : set_) p.run.parameters[name] = v;
  }

 private:
  double value(const std::string& expression, double otherwise) const {
    Count count;
    count.value = otherwise, count.expression = expression;
    return values_.of(count);
  }
  double recorded_faults_law() const {
    auto law = expr::parse(from_.scaling->page_faults);
    if (!law) return 0;
    return expr::evaluate(*law, from_.run.parameters).value_or(0);
  }

  void size(Function& function, bool is_ir) {
    function.calls.value = values_.of(function.calls);
    for (Loop& loop : function.loops) loop.entries.value = values_.of(loop.entries), loop.iterations.value = values_.of(loop.iterations);
    for (Block& block : function.blocks) {
      double before = block.count.value;
      auto rarer = [&] {
        double least = block.count.value;
        for (const Edge& edge : block.next) least = std::min(least, edge.count.value);
        return block.next.size() > 1 ? least : block.count.value;
      };
      double rare_before = rarer();
      block.count.value = values_.of(block.count);
      for (Edge& edge : block.next) edge.count.value = values_.of(edge.count);
      // A branch is mispredicted when it goes its rarer way, or as often as it goes there; one that is mispredicted far more often
      // was made by the code generator of a choice, of which the edges do not tell.
      if (block.mispredicted) {
        constexpr double of_its_ends = 2;
        double rare = rarer();
        if (rare_before > 0 && block.mispredicted->large <= of_its_ends * rare_before) *block.mispredicted *= rare / rare_before;
        else if (before > 0) *block.mispredicted *= block.count.value / before;
        Mispredictions& all = *block.mispredicted;
        all = {std::min(all.large, block.count.value), std::min(all.small, block.count.value), std::min(all.path, block.count.value)};
      }
      if (block.mispredicted_calls && before > 0) *block.mispredicted_calls *= block.count.value / before;
      if (!is_ir) continue;
      for (Access& access : block.accesses) size(access, function, block, before);
    }
  }

  void size(Access& access, const Function& function, const Block& block, double block_before) {
    if (block_before > 0) access.count *= block.count.value / block_before;
    auto it = others_.find({function.name, block.name, access.index});
    for (const auto& [name, recorded] : from_.run.parameters) {
      auto wanted = set_.find(name);
      if (wanted == set_.end() || recorded <= 0 || wanted->second == recorded) continue;
      double factor = wanted->second / recorded;
      std::vector<std::pair<double, const Access*>> smaller;  // how many times smaller, the smallest last
      if (it != others_.end())
        for (auto [memory, other] : it->second)
          if (differs_only_in(memory->set, name) && memory->set.at(name) < recorded) smaller.emplace_back(recorded / memory->set.at(name), other);
      if (smaller.empty()) continue;
      std::ranges::sort(smaller);
      auto of = [&](std::vector<DistanceBin> Access::*bins) {
        std::vector<SmallerReuse> all;
        all.reserve(smaller.size());
        for (auto [ratio, other] : smaller) all.push_back({ratio, &(other->*bins)});
        return all;
      };
      const double most = memory_power(name);
      const auto [ratio, then] = smaller.front();
      double step_growth = 1;
      if (access.stride_bytes && then->stride_bytes && *access.stride_bytes * *then->stride_bytes > 0)
        step_growth = std::pow(factor, growth_power(std::abs(*access.stride_bytes), std::abs(*then->stride_bytes), ratio));
      grow_lines(access.lines, of(&Access::lines), factor, most, access.cold_near);
      grow_pages(access.pages, of(&Access::pages), factor, most, step_growth, access.lines);
      grow_lines(access.dirtied, of(&Access::dirtied), factor, most);
      if (access.stride_bytes) *access.stride_bytes *= step_growth;
      if (access.unknown > 0) access.unknown_from *= std::pow(factor, std::min(most, growth_power(access.unknown_from, then->unknown_from, ratio)));
      // First touches: their number grows by its own power, so their share changes against the count.
      if (access.cold > 0 && then->cold > 0 && then->count > 0) {
        double e = std::log((access.cold) / (then->cold)) / std::log(ratio);
        double colder = std::clamp(access.cold * std::pow(factor, std::clamp(e, -3.0, 0.0)), 0.0, 1.0), gained = access.cold - colder;
        double seen = 0;
        for (const DistanceBin& bin : access.lines) seen += bin.share;
        if (seen > 0) for (DistanceBin& bin : access.lines) bin.share *= (seen + gained) / seen;
        access.cold = seen > 0 ? colder : access.cold;
      }
    }
  }
  // The power with which the lines grow that the program touches at all: no reuse is farther away than they are. First touches are
  // seen where whole runs were watched; bursts at the recorded size see fewer than a whole run at a smaller one.
  double memory_power(const std::string& name) {
    auto [it, fresh] = memory_powers_.try_emplace(name, 3.0);
    if (!fresh || !from_.ir) return it->second;
    double now = 0, then = 0, ratio = 1;
    for (const Function& function : from_.ir->functions)
      for (const Block& block : function.blocks)
        for (const Access& access : block.accesses) now += access.count * access.cold;
    for (const SizedMemory& memory : from_.scaling->memory)
      if (differs_only_in(memory.set, name) && from_.run.parameters.at(name) / memory.set.at(name) > ratio) {
        ratio = from_.run.parameters.at(name) / memory.set.at(name), then = 0;
        for (const SizedAccess& sized : memory.accesses) then += sized.access.count * sized.access.cold;
      }
    constexpr double least_lines = 64;
    if (then > least_lines && now >= then && ratio > 1) it->second = std::max(1.0, growth_power(now, then, ratio));
    return it->second;
  }
  bool differs_only_in(const std::map<std::string, double>& set, const std::string& name) const {
    for (const auto& [other, value] : from_.run.parameters)
      if (auto it = set.find(other); it == set.end() || (other != name ? it->second != value : it->second == value || it->second <= 0)) return false;
    return true;
  }

  const Profile& from_;
  const std::map<std::string, double>& set_;
  const CountValues& values_;
  SizedProfile& result_;
  std::map<std::tuple<std::string, std::string, int>, std::vector<std::pair<const SizedMemory*, const Access*>>> others_;
  std::map<std::string, double> memory_powers_;
};

bool has_expressions(const Graph& graph) {
  return std::ranges::any_of(graph.functions, [](const Function& function) {
    return std::ranges::any_of(function.blocks, [](const Block& block) { return !block.count.expression.empty(); });
  });
}

double largest_run(const Scaling& scaling, const std::string& name) {
  double largest = 0;
  for (const SizedRun& run : scaling.runs)
    if (run.failed.empty())
      if (auto it = run.set.find(name); it != run.set.end()) largest = std::max(largest, it->second);
  return largest;
}

// Octaves that the farthest parameter lies beyond the largest size that was run.
double doublings_beyond(const Profile& profile, const std::map<std::string, double>& set) {
  double most = 0;
  for (const auto& [name, value] : set)
    if (double largest = largest_run(*profile.scaling, name); largest > 0 && value > largest) most = std::max(most, std::log2(value / largest));
  return most;
}

void add_warnings(const Profile& profile, const std::map<std::string, double>& set, SizedProfile& result) {
  const Scaling& scaling = *profile.scaling;
  for (const auto& [name, value] : set) {
    const double largest = largest_run(scaling, name);
    if (largest > 0 && value > largest)
      result.warnings.push_back(fmt::format("{} = {} is {:.3g} times the largest size that was run ({})", name, value, value / largest, largest));
    if (auto from = scaling.from.find(name); from != scaling.from.end() && value < from->second)
      result.warnings.push_back(fmt::format("some counts are known for {} >= {} only", name, from->second));
  }
  if (set != profile.run.parameters && profile.source && !has_expressions(*profile.source))
    result.warnings.push_back("source-level counts (hllc, poc) are those of the recorded run: they have no expressions");
}

}  // namespace

Result<CountValues> CountValues::make(const Profile& profile, const std::map<std::string, double>& set) {
  if (!profile.scaling || profile.run.parameters.empty() || profile.scaling->shares.empty())
    return unfit("this profile knows its counts for the recorded run only", profile.program, "analyze again with --param, or use perfcast scale");
  CountValues made;
  made.values_ = profile.run.parameters;
  for (const auto& [name, value] : set) {
    if (!made.values_.contains(name)) {
      std::string known;
      for (const auto& [other, v] : profile.run.parameters) known += (known.empty() ? "" : ", ") + other;
      return unfit("the profile has no parameter \"" + name + "\"", profile.program, "it has " + known);
    }
    constexpr double largest = 1e18;  // no machine has so many of anything, and cubes of it are still numbers
    if (!(value > 0 && value <= largest)) return unfit(fmt::format("{} = {} is not a size", name, value), profile.program);
    made.values_[name] = value;
  }
  for (const HiddenVariable& hidden : profile.scaling->hidden) {
    TRY(expr::Expr law, expr::parse(hidden.law, "the law of " + hidden.name));
    TRY(double value, expr::evaluate(law, made.values_));
    made.values_[hidden.name] = std::max(0.0, std::round(value));
  }
  return made;
}

double CountValues::of(const Count& count) const {
  if (count.expression.empty()) return count.value;
  auto [it, fresh] = known_.try_emplace(count.expression, 0.0);
  if (fresh) {
    auto parsed = expr::parse(count.expression);
    auto value = parsed ? expr::evaluate(*parsed, values_) : Result<double>(std::unexpected(parsed.error()));
    if (!value || !std::isfinite(*value)) without_value_ = count.expression;
    it->second = value && std::isfinite(*value) ? std::max(0.0, count.certainty == Certainty::ratio || count.certainty == Certainty::unknown ? *value : std::round(*value)) : count.value;
  }
  return it->second;
}

Result<SizedProfile> profile_at(const Profile& profile, const std::map<std::string, double>& set) {
  TRY(CountValues values, CountValues::make(profile, set));
  SizedProfile result{profile, 0, {}};
  Sizer(profile, set, values, result).run();
  add_warnings(profile, set, result);
  if (!values.without_value().empty())
    result.warnings.push_back("a count has no value at this size (" + values.without_value() + "): the recorded one was taken, which may be far too small");
  double hidden = 0;
  for (const HiddenVariable& h : profile.scaling->hidden) hidden = std::max(hidden, h.spread);
  auto share = [&](const char* word) {
    auto it = profile.scaling->shares.find(word);
    return it == profile.scaling->shares.end() ? 0.0 : it->second;
  };
  const double library = share("library");
  // A law was judged about an octave beyond what it was fitted on; as much again is not known for each one beyond the runs.
  const double octaves = std::max(1.0, doublings_beyond(profile, values.values()));
  result.spread = (1 - library) * (share("ratio") * std::max(hidden, 0.05) * octaves + share("unknown") * 0.5) + library * 0.05;
  return result;
}

}  // namespace perfcast::engine

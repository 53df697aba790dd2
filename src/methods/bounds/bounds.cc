#include "methods/bounds/bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "methods/bounds/causes.h"
#include "methods/bounds/threads.h"

namespace perfcast::bounds {
namespace {

// Tolerances of the laws: what rounding and the sampling of the walk may hide.
constexpr double order_tolerance = 0.01, measured_tolerance = 0.03;

class Maker {
 public:
  Maker(const Profile& profile, const Machine& machine, const BoundsOptions& options, Steps& steps)
      : profile_(profile), machine_(machine), options_(options), steps_(steps), hertz_(machine.core->clock_ghz.value * 1e9) {
    if (options.measured)
      for (const BlockSeconds& b : options.measured->blocks) measured_[{b.function, b.block}] += b.seconds;
  }

  Bounds make() {
    Bounds out;
    out.program = profile_.program, out.machine = machine_.name, out.made_by = made_here();
    out.measured_how = options_.measured ? options_.measured->how : options_.not_measured;
    std::vector<LoopGroup> groups = loop_groups(profile_);
    double total = options_.measured ? options_.measured->seconds : steps_.cost().seconds();
    RunTimeBound sums;
    double loops_macs = 0;
    for (const LoopGroup& group : groups) {
      LoopBounds loop = bound(group, total, out);
      double each = loop.iterations / hertz_;
      sums.m += loop.m * each, sums.mac += loop.mac * each;
      if (!profile_.source_loops.empty()) sums.ma = sums.ma.value_or(0) + loop.ma.value_or(loop.m) * each;
      for (int b : group.blocks) loops_macs += steps_.macs_cycles(group.function, b);
      if (wanted(group, loop)) out.loops.push_back(std::move(loop));
    }
    finish(out, sums, loops_macs, total);
    if (!groups.empty() && !options_.threaded.empty()) add_threads(profile_, options_, steps_, hertz_, groups, out);
    return out;
  }

 private:
  bool wanted(const LoopGroup& group, const LoopBounds& loop) const {
    if (options_.loops.empty()) return loop.share >= options_.hot_share;
    return std::ranges::any_of(options_.loops, [&](const LoopName& name) {
      const Function& function = profile_.machine->functions[static_cast<std::size_t>(group.function)];
      bool here = name.function.empty() || name.function == loop.function || name.function == function.name || name.function == function.readable ||
                  name.function == loop.function.substr(0, loop.function.find('('));
      return here && (name.line == 0 || name.line == loop.line);
    });
  }

  LoopBounds bound(const LoopGroup& group, double total, Bounds& out) {
    LoopBounds loop;
    const Function& function = profile_.machine->functions[static_cast<std::size_t>(group.function)];
    const std::string holder = function.readable.empty() ? function.name : function.readable;
    loop.function = without_body_mark(group.source && !group.source->source_function.empty() ? group.source->source_function : holder);
    if (loop.function != without_body_mark(holder) && !holder.starts_with(loop.function + "(")) loop.inlined_into = without_body_mark(holder);
    loop.file = group.at.file, loop.line = group.at.line;
    loop.iterations = group.iterations, loop.entries = group.entries;
    loop.outer = group.outer, loop.irreducible = group.irreducible;
    loop.per_machine_iteration = group.iterations / group.machine_iterations;

    Ladder raw = steps_.of(group);
    place_in_order(raw, loop);
    loop.limited_by = raw.limited_by, loop.t_d = raw.t_d, loop.t_d_reassociated = raw.t_d_reassociated;
    add_measured(group, loop);
    loop.gaps = {{}, {}, loop.macs - loop.mac, loop.window - loop.macs, {}};
    if (loop.ma) loop.gaps.a = *loop.ma - loop.m, loop.gaps.c = loop.mac - *loop.ma;
    if (loop.measured) loop.gaps.p = *loop.measured - loop.window;

    Beyond beyond = beyond_window(profile_, machine_, steps_, group);
    loop.p_parts = beyond.parts;
    if (loop.gaps.p) loop.p_parts.push_back({"rest", *loop.gaps.p - beyond.total});
    double now = loop.measured.value_or(loop.window + beyond.total);
    loop.seconds = now * loop.iterations / hertz_, loop.share = total > 0 ? loop.seconds / total : 0;
    loop.essential_flops = group.needs.flops;
    add_per_flop(loop);
    loop.vector_bits = vector_bits_used(profile_, group);
    loop.compiled = compiled_classes(profile_, group);
    if (group.source) loop.essential = essential_classes(group.needs);
    loop.data = data_of(profile_, machine_, group);
    if (!wanted(group, loop)) return loop;
    add_remarks(group, loop);
    loop.advice = advice_for(profile_, machine_, steps_, {group, raw, loop, beyond});
    check_laws(group, raw, loop, out);
    return loop;
  }

  // A bound that is lowered is still a bound. Where a step lies above the next, it gives way: the compiled code does all
  // the source asks for, the walk executes all of the code, and with fewer queues no core is faster.
  static void place_in_order(const Ladder& raw, LoopBounds& loop) {
    loop.window = raw.window, loop.macs = std::min(raw.macs, loop.window), loop.mac = std::min(raw.mac, loop.macs);
    if (raw.ma) loop.ma = std::min(*raw.ma, loop.mac);
    loop.m = std::min(raw.m, loop.ma.value_or(loop.mac)), loop.m_practical = raw.m_practical;
    loop.overlap = raw.mac - loop.mac;
  }

  // How often control comes to a loop from elsewhere: the code in front, an inner loop, a call; and the slots of the window it fills
  // in the run.
  struct Arrivals {
    double times = 1, slots = 0;
  };
  Arrivals arrivals_at(const LoopGroup& group) const {
    const Function& function = profile_.machine->functions[static_cast<std::size_t>(group.function)];
    std::vector<bool> own(function.blocks.size());
    for (int b : group.blocks) own[static_cast<std::size_t>(b)] = true;
    Arrivals arrivals{1, steps_.compiled_demand(group).slots * group.iterations};
    for (std::size_t b = 0; b < function.blocks.size(); b++) {
      const Block& block = function.blocks[b];
      for (const Edge& edge : block.next)
        if (!own[b] && own[static_cast<std::size_t>(edge.to)]) arrivals.times += edge.count.value;
      if (!own[b]) continue;
      for (const Call& call : block.calls) arrivals.times += call.per_execution * block.count.value;
    }
    return arrivals;
  }

  // Ports and recurrences bound code that runs alone. At each arrival the window has begun up to its own size of it before that
  // other code ended: at most this share of the loop's work is hidden so in the walk.
  double hidden_share(const LoopGroup& group) const {
    const Arrivals arrivals = arrivals_at(group);
    const double seen = steps_.seen_share(group);
    if (arrivals.slots <= 0 || seen <= 0) return 0;
    // The walk may have seen more arrivals than fall on its part of the run: two standard deviations, and one begun.
    const double most = arrivals.times * seen + 2 * std::sqrt(arrivals.times * seen) + 1;
    return std::min(1.0, machine_.core->window.reorder_buffer.value * most / (arrivals.slots * seen));
  }

  // All of the loop, from one arrival to the next, is in the window at once with the code around it: which of the two an
  // instruction waits for is known neither to the walk nor to the samples.
  bool fits_the_window(const LoopGroup& group) const {
    const Arrivals arrivals = arrivals_at(group);
    return machine_.core->window.reorder_buffer.value * arrivals.times >= arrivals.slots;
  }

  void add_measured(const LoopGroup& group, LoopBounds& loop) const {
    if (!options_.measured || options_.measured->seconds <= 0) return;
    double seconds = 0;
    for (int b : group.blocks)
      if (auto it = measured_.find({group.function, b}); it != measured_.end()) seconds += it->second;
    double samples = options_.measured->samples * seconds / options_.measured->seconds;
    constexpr double too_few = 5;
    if (samples < too_few) return;
    loop.measured = seconds * hertz_ / loop.iterations;
    loop.measured_error = *loop.measured / std::sqrt(samples);
  }

  static void add_per_flop(LoopBounds& loop) {
    if (loop.essential_flops <= 0) return;
    double flops = loop.essential_flops;
    loop.per_flop = {{"m", loop.m / flops}, {"mac", loop.mac / flops}, {"macs", loop.macs / flops}, {"window", loop.window / flops}};
    if (loop.ma) loop.per_flop["ma"] = *loop.ma / flops;
    if (loop.measured) loop.per_flop["measured"] = *loop.measured / flops;
  }

  void add_remarks(const LoopGroup& group, LoopBounds& loop) const {
    if (!group.source) loop.remarks.push_back("what the source needs is not known: M is the peak for what was executed, MA is unknown");
    if (loop.overlap > order_tolerance * loop.mac)
      loop.remarks.push_back(fmt::format("alone it would take {} cycles at least: the window overlaps its ends with the code around it", number_text(loop.mac + loop.overlap, 3)));
    if (!group.normalised) loop.remarks.push_back("per iteration of the machine's loop: how often the source iterates is not known");
    if (group.removed > 0) loop.remarks.push_back(fmt::format("the compiler does away with {} of the iterations; per iteration that is left", percent_text(group.removed)));
    if (group.irreducible) loop.remarks.push_back("the loop is entered in several places (irreducible)");
    if (group.outer) loop.remarks.push_back("an outer loop: what lies in the loops inside it is theirs");
    for (const CompilerRemark* remark : remarks_about(profile_, group, "loop-vectorize"))
      if (loop.remarks.size() < 6) loop.remarks.push_back("compiler: " + remark->text);
    if (loop.compiled.calls > 0) loop.remarks.push_back("calls routines whose time is not in here");
  }

  void check_laws(const LoopGroup& group, const Ladder& raw, const LoopBounds& loop, Bounds& out) const {
    auto law = [&](const char* text, double lower, double upper, double tolerance) {
      if (lower > upper * (1 + tolerance) && lower - upper > 1e-6)
        out.broken_laws.push_back({text, loop.function, {loop.file, loop.line, 0}, lower / std::max(upper, 1e-12) - 1});
    };
    law("m <= ma", raw.m, raw.ma.value_or(raw.m), order_tolerance);
    if (auto with_calls = steps_.demand_with_calls(group))
      law("ma <= mac", raw.ma.value_or(0), std::max(raw.mac, steps_.ideal().bound(*with_calls).cycles), order_tolerance);
    law("mac <= macs", raw.mac * (1 - hidden_share(group)), raw.macs, order_tolerance);
    if (!loop.measured || fits_the_window(group)) return;
    double noise = 2 * loop.measured_error.value_or(0) / *loop.measured;
    const WithCallees whole = with_callees(group, loop);
    law("macs <= measured", whole.macs * (whole.open ? 1 - hidden_share(group) : 1), whole.measured, std::max(measured_tolerance, noise));
  }

  // Where a loop ends and a routine it calls begins is not sharp in a core that works on both at once, neither in the walk nor
  // in the samples: both are compared together with what is called, if that has no loops of its own. `open`: something was
  // called that could not be added.
  struct WithCallees {
    double macs = 0, measured = 0;
    bool open = false;
  };
  WithCallees with_callees(const LoopGroup& group, const LoopBounds& loop) const {
    WithCallees sum{loop.macs, loop.measured.value_or(0)};
    const auto& functions = profile_.machine->functions;
    for (int b : group.blocks) {
      const Block& block = functions[static_cast<std::size_t>(group.function)].blocks[static_cast<std::size_t>(b)];
      for (const Call& call : block.calls) {
        auto callee = std::ranges::find(functions, call.callee, &Function::name);
        const double calls = call.per_execution * block.count.value;
        if (callee == functions.end() || callee->library || !callee->loops.empty() || callee->calls.value <= 0) {
          sum.open = sum.open || calls > 0;
          continue;
        }
        const int f = static_cast<int>(callee - functions.begin());
        const double share = std::min(1.0, calls / callee->calls.value) / loop.iterations;
        for (int k = 0; k < static_cast<int>(callee->blocks.size()); k++) {
          sum.macs += share * steps_.macs_cycles(f, k);
          if (auto it = measured_.find({f, k}); it != measured_.end()) sum.measured += share * it->second * hertz_;
        }
      }
    }
    return sum;
  }

  void finish(Bounds& out, RunTimeBound sums, double loops_macs, double total) const {
    std::ranges::sort(out.loops, std::greater{}, &LoopBounds::seconds);
    double outside = std::max(0.0, steps_.total_macs() - loops_macs) / hertz_;
    out.outside_loops_seconds = outside;
    // Code outside loops has no source loop to be compared with: its schedule stands for all bounds of it but M.
    sums.mac += outside;
    if (sums.ma) *sums.ma += outside;
    sums.macs = std::max(std::min(steps_.total_macs(), steps_.total_window()) / hertz_, sums.mac), sums.window = std::max(steps_.total_window() / hertz_, sums.macs);
    if (options_.measured) sums.measured = options_.measured->seconds;
    out.run_time = sums;
    for (const LoopBounds& loop : out.loops) out.loops_share += total > 0 ? loop.seconds / total : 0;
    // What is expected beyond the window overlaps with what follows a loop: unmeasured, loops may add up to more than the program.
    if (!options_.measured && out.loops_share > 1) {
      for (LoopBounds& loop : out.loops) loop.seconds /= out.loops_share, loop.share /= out.loops_share;
      out.loops_share = 1;
    }
    for (const LoopBounds& loop : out.loops) {
      for (const Advice& advice : loop.advice) {
        auto said = std::ranges::find_if(out.advice, [&](const Advice& other) { return other.text == advice.text && other.at == advice.at; });
        if (said == out.advice.end()) out.advice.push_back(advice);
        else said->seconds += advice.seconds, said->cycles = std::max(said->cycles, advice.cycles);  // of another copy of the loop
      }
    }
    std::ranges::sort(out.advice, std::greater{}, &Advice::seconds);
    if (profile_.source_loops.empty())
      out.unknown.push_back({"what the loops of the source need, so MA: the profile has no sources", {}, 0});
    if (!profile_.ir) out.unknown.push_back({"memory behaviour and the origin of loops: the profile has no IR level", {}, 0});
    if (!machine_.memory) out.unknown.push_back({"memory levels of " + machine_.name + ": gap P is not split", {}, 0});
  }

  const Profile& profile_;
  const Machine& machine_;
  const BoundsOptions& options_;
  Steps& steps_;
  double hertz_;
  std::map<std::pair<int, int>, double> measured_;
};

}  // namespace

Result<Bounds> bounds(const Profile& profile, const Machine& machine, const BoundsOptions& options) {
  TRY(std::unique_ptr<Steps> steps, Steps::make(profile, machine, options.instructions));
  Bounds made = Maker(profile, machine, options, *steps).make();
  if (!options.loops.empty() && made.loops.empty()) {
    std::string named = options.loops[0].function + (options.loops[0].line ? ":" + std::to_string(options.loops[0].line) : "");
    return wrong_usage("no executed loop is named " + named, "perfcast bounds without --loop lists those there are");
  }
  return made;
}

std::string without_body_mark(const std::string& function) {
  return function.substr(0, std::min(function.find(".omp_outlined"), function.find("..omp_par")));
}

Result<LoopName> loop_name(const std::string& text) {
  LoopName name;
  std::size_t colon = text.rfind(':');
  std::string line = colon == std::string::npos ? text : text.substr(colon + 1);
  bool number = !line.empty() && std::ranges::all_of(line, [](unsigned char c) { return std::isdigit(c); });
  if (number) name.line = std::atoi(line.c_str());
  if (colon != std::string::npos && !number) return wrong_usage("--loop " + text + ": no line number after the colon", "--loop sweep:12");
  name.function = colon != std::string::npos ? text.substr(0, colon) : number ? "" : text;
  return name;
}

}  // namespace perfcast::bounds

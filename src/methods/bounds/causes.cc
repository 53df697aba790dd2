#include "methods/bounds/causes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "methods/bounds/adviser.h"

namespace perfcast::bounds {
namespace {

std::string operations_text(const Recurrence& recurrence) {
  std::vector<std::string> names;
  for (const auto& [name, times] : recurrence.operations) {
    std::string operation = name.substr(0, name.find('.'));
    names.push_back((times > 1 ? number_text(times) + " " : "") + operation);
  }
  return join(names, ", ");
}

bool has_operation(const Recurrence& recurrence, const std::string& start) {
  return std::ranges::any_of(recurrence.operations, [&](const auto& entry) { return entry.first.starts_with(start); });
}

// "sum", "product", "maximum or minimum": what a chain of one associative operation makes.
const char* made_by(const Recurrence& recurrence) {
  if (has_operation(recurrence, "fcmp") || has_operation(recurrence, "icmp") || has_operation(recurrence, "select"))
    if (!has_operation(recurrence, "fadd") && !has_operation(recurrence, "add")) return "maximum or minimum";
  return has_operation(recurrence, "fmul") || has_operation(recurrence, "mul") ? "product" : "sum";
}

}  // namespace

Adviser::Adviser(const Profile& profile, const Machine& machine, Steps& steps, const LoopFacts& facts)
    : profile_(profile), machine_(machine), steps_(steps), group_(facts.group), raw_(facts.raw), loop_(facts.loop), beyond_(facts.beyond) {
  now_ = loop_.measured.value_or(loop_.window + beyond_.total);
}

std::vector<Advice> Adviser::all() {
  if (group_.source) application(), compiler();
  // Without optimisation every value takes its way through memory: what the schedule waits for is that.
  if (!group_.source || !unoptimised()) schedule(), window();
  beyond();
  std::ranges::sort(found_, std::greater{}, &Advice::cycles);
  return std::move(found_);
}

void Adviser::say(const std::string& gap, const std::string& cause, double cycles, int line, const std::string& text) {
  cycles = std::min(cycles, now_ - loop_.m);
  if (!worth_saying(cycles)) return;
  Location at = loop_.file.empty() ? Location{} : Location{loop_.file, line > 0 ? line : loop_.line, 0};
  double seconds = cycles * loop_.iterations / (machine_.core->clock_ghz.value * 1e9);
  found_.push_back({text, cause, gap, at, cycles, seconds});
}

// ------------------------------------------------------------------------- gap A: what the source itself demands

void Adviser::recurrence(double essential, double t_d) {
  const Recurrence* chain = nullptr;
  for (const Recurrence& candidate : group_.needs.recurrences)
    if (!candidate.allowed && (!chain || steps_.chain_cycles(candidate) > steps_.chain_cycles(*chain))) chain = &candidate;
  if (!chain) return;
  if (chain->reassociable)
    return say("a", "recurrence that reassociation would break", t_d - std::max({essential, raw_.t_d_reassociated.value_or(0), loop_.m}), chain->line,
               fmt::format("The {} carried from iteration to iteration ({}, {:.3g} cycles) must be done in order: allow another order "
                           "(-ffast-math, or -fassociative-math with -fno-signed-zeros) or keep several partial results.",
                           made_by(*chain), operations_text(*chain), t_d));
  double saved = t_d - std::max(essential, loop_.m);
  if (has_operation(*chain, "load"))
    return say("a", "recurrence", saved, chain->line,
               fmt::format("Each iteration loads the address or index that the next one needs ({:.3g} cycles even from the nearest cache): follow several chains at once, "
                           "or keep the elements in an array.", t_d));
  say("a", "recurrence", saved, chain->line,
      fmt::format("Each iteration waits {:.3g} cycles for the one before ({}): only another formulation of the recurrence helps.", t_d, operations_text(*chain)));
}

void Adviser::application() {
  auto essential = steps_.ideal().bound(steps_.essential_demand(group_));
  double t_d = raw_.t_d.value_or(0);
  if (t_d > essential.cycles) recurrence(essential.cycles, t_d);
  if (essential.cycles <= loop_.m * 1.02 || essential.cycles < t_d) return;
  const OperationClasses& needed = loop_.essential;
  double accesses = needed.loads + needed.stores;
  if (needed.divide > 0 && without("div") < essential.cycles * 0.9)
    say("a", "divisions", essential.cycles - without("div"), 0,
        fmt::format("{} divisions or square roots per iteration keep the divider busy: multiply by a reciprocal computed once, or lower the precision.",
                    number_text(needed.divide)));
  else if (accesses > 0 && without("memory") < essential.cycles * 0.9)
    say("a", "loads and stores per operation", essential.cycles - std::max(without("memory"), loop_.m), 0,
        needed.flops > 0
            ? fmt::format("{} loads and stores for {} flops: reuse values before they leave the registers (fuse loops, block, interchange).",
                          number_text(accesses), number_text(needed.flops))
            : fmt::format("{} loads and stores per iteration are all it does: pack the data tighter or fuse loops over the same arrays.", number_text(accesses)));
  else if (needed.flops > 0 && needed.add + needed.multiply > needed.fused)
    say("a", "operations that do not pair", essential.cycles - loop_.m, 0,
        fmt::format("{} additions and {} multiplications cannot be fused with each other: the peak counts two operations per instruction.",
                    number_text(needed.add), number_text(needed.multiply)));
}

// The essential bound without one kind of operation.
double Adviser::without(const std::string& what) {
  engine::IdealCode::Demand demand;
  for (const auto& [name, times] : group_.needs.operations) {
    std::string operation = name.substr(0, name.find('.'));
    bool divides = operation.find("div") != std::string::npos || operation == "sqrt" || operation.find("rem") != std::string::npos;
    if (!(what == "div" && divides)) demand.add(steps_.ideal().of(name), times);
  }
  if (what != "memory")
    for (const Reference& r : group_.needs.references) demand.add(steps_.ideal().of((r.store ? "store." : "load.") + r.type, r.contiguous()), r.elements);
  return steps_.ideal().bound(demand).cycles;
}

// ------------------------------------------------------------------------- gaps S and W: order, dependences, queues

void Adviser::schedule() {
  double s = loop_.gaps.s;
  auto held = steps_.held_up(group_);
  double all = 0;
  for (double cycles : held) all += cycles;
  if (all <= 0) return;
  auto share = [&](engine::Cause cause) { return held[static_cast<std::size_t>(cause)] / all; };
  auto carried = [&](auto wanted) { return std::ranges::find_if(group_.needs.recurrences, wanted); };
  const auto end = group_.needs.recurrences.end();
  if (share(engine::Cause::dependences) > 0.3) {
    if (auto sum = carried([](const Recurrence& r) { return r.reassociable && r.allowed; }); sum != end)
      return say("s", "few accumulators", s, sum->line, fmt::format("The {} runs through too few accumulators to hide the latency of its operation: unroll with more of "
                                                                     "them (-mllvm -force-vector-interleave=4, or by hand).", made_by(*sum)));
    if (loop_.compiled.calls > 0 && !group_.needs.recurrences.empty())
      return say("s", "calls not inlined", s, 0, "What is carried from iteration to iteration goes through memory around the calls, which keep no registers: let them be inlined.");
    auto fused = carried([](const Recurrence& r) { return !r.reassociable && has_operation(r, "fma"); });
    if (fused != end && loop_.compiled.fused < 0.05 && loop_.compiled.multiply > 0)
      return say("s", "uncombined multiply-adds", s, fused->line, "Each iteration waits for a multiplication and an addition of the one before, where one fused operation would do: "
                 "compile " + std::string(built_for_a_cpu() ? "" : "for a CPU that has it (-march=native) and ") + "with -ffp-contract=fast.");
    if (auto ordered = carried([](const Recurrence& r) { return r.reassociable; }); ordered != end)
      return say("s", "recurrence that reassociation would break", s, ordered->line,
                 fmt::format("The {} is carried from iteration to iteration: allow another order (-ffast-math) or keep several partial results.", made_by(*ordered)));
    if (auto any = carried([](const Recurrence&) { return true; }); any != end)
      return say("s", "recurrence", s, any->line, fmt::format("The code makes each iteration wait for a value of the one before ({}): only another formulation helps.", operations_text(*any)));
    say("s", "dependences in the schedule", s, 0, "Instructions wait for each other's results, or for what an iteration before has just stored: unroll, so that several iterations overlap, and "
        "keep arrays that are written apart from those that are read.");
  } else if (share(engine::Cause::front_end) > 0.3) {
    say("s", "front end", s, 0, "Fetching instructions is the limit (short loop or taken branches): unroll the loop.");
  } else {
    say("s", "schedule", s, 0, "Instructions compete for the same ports at the same time: interleave different kinds of work.");
  }
}

void Adviser::window() {
  if (!worth_saying(loop_.gaps.w)) return;
  // The rest of the gap is data, moments and places that are not the luckiest: nothing the source could change.
  say("w", "finite window", std::min(loop_.gaps.w, steps_.waiting_for_room(group_)), 0, "The core's queues fill up with instructions that wait: shorten chains within an iteration, or split the loop.");
}

std::vector<const CompilerRemark*> remarks_about(const Profile& profile, const LoopGroup& group, const std::string& pass) {
  std::vector<const CompilerRemark*> own, inside;
  int first = group.source ? group.source->first_line : group.at.line, last = group.source ? group.source->last_line : group.at.line;
  for (const CompilerRemark& remark : profile.remarks) {
    if (remark.pass != pass || remark.at.file != group.at.file) continue;
    if (remark.at.line == group.at.line) own.push_back(&remark);
    else if (remark.at.line >= first && remark.at.line <= last && !group.outer) inside.push_back(&remark);
  }
  own.insert(own.end(), inside.begin(), inside.end());
  return own;
}

std::vector<Advice> advice_for(const Profile& profile, const Machine& machine, Steps& steps, const LoopFacts& facts) {
  return Adviser(profile, machine, steps, facts).all();
}

}  // namespace perfcast::bounds

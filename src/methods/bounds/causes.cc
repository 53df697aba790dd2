#include "methods/bounds/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace perfcast::bounds {
namespace {

class Adviser {
 public:
  Adviser(const Profile& profile, const Machine& machine, Steps& steps, const LoopFacts& facts)
      : profile_(profile), machine_(machine), steps_(steps), group_(facts.group), raw_(facts.raw), loop_(facts.loop), beyond_(facts.beyond) {
    now_ = loop_.measured.value_or(loop_.window + beyond_.total);
  }

  std::vector<Advice> all() {
    if (group_.source) application(), compiler();
    schedule(), window(), beyond();
    std::ranges::sort(found_, std::greater{}, &Advice::cycles);
    return std::move(found_);
  }

 private:
  void say(const std::string& gap, const std::string& cause, double cycles, int line, const std::string& text) {
    cycles = std::min(cycles, now_ - loop_.m);
    constexpr double worth_saying = 0.02;
    if (!(cycles > worth_saying * now_)) return;
    Location at = loop_.file.empty() ? Location{} : Location{loop_.file, line > 0 ? line : loop_.line, 0};
    double seconds = cycles * loop_.iterations / (machine_.core->clock_ghz.value * 1e9);
    found_.push_back({text, cause, gap, at, cycles, seconds});
  }

  const Recurrence* slowest(bool only_stubborn) const {
    const Recurrence* worst = nullptr;
    double most = 0;
    for (const Recurrence& recurrence : group_.needs.recurrences) {
      if (only_stubborn ? recurrence.reassociable : recurrence.allowed) continue;
      double cycles = 0;
      for (const auto& [name, times] : recurrence.operations) cycles += times * steps_.ideal().latency(name);
      if (cycles / recurrence.distance > most) most = cycles / recurrence.distance, worst = &recurrence;
    }
    return worst;
  }
  static std::string operations_text(const Recurrence& recurrence) {
    std::vector<std::string> names;
    for (const auto& [name, times] : recurrence.operations) names.push_back((times > 1 ? number_text(times) + " " : "") + name.substr(0, name.find('.')));
    return join(names, ", ");
  }

  // Gap A: what the source itself demands.
  void application() {
    auto essential = steps_.ideal().bound(steps_.essential_demand(group_));
    double without_order = std::max({essential.cycles, raw_.t_d_reassociated.value_or(0), loop_.m});
    const Recurrence* chain = slowest(false);
    double t_d = raw_.t_d.value_or(0);
    if (chain && t_d > essential.cycles) {
      if (chain->reassociable)
        say("a", "recurrence that reassociation would break", t_d - without_order, chain->line,
            fmt::format("The sum carried from iteration to iteration ({}, {:.3g} cycles) must be done in order: allow another order "
                        "(-ffast-math, or -fassociative-math with -fno-signed-zeros) or keep several partial results.",
                        operations_text(*chain), t_d));
      else
        say("a", "recurrence", t_d - std::max(essential.cycles, loop_.m), chain->line,
            fmt::format("Each iteration waits {:.3g} cycles for the one before ({}): only another formulation of the recurrence helps.", t_d,
                        operations_text(*chain)));
    }
    if (essential.cycles <= loop_.m * 1.02 || essential.cycles < t_d) return;
    const OperationClasses& needed = loop_.essential;
    std::string ports = loop_.limited_by.contains("ma") ? loop_.limited_by.at("ma") : "";
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
  double without(const std::string& what) {
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

  double mac_with(const Steps::Keep& keep) {
    return std::max(steps_.ideal().bound(steps_.compiled_demand(group_, keep)).cycles, raw_.t_d.value_or(0));
  }

  // Gap C: what the compiler added.
  void compiler() {
    if (loop_.mac <= loop_.ma * 1.02) return;
    vectors();
    const OperationClasses &needed = loop_.essential, &made = loop_.compiled;
    double elements_loaded = 0, elements_stored = 0, bytes = element_bytes();
    double spilled = 0;
    each_instruction([&](const InstructionForm& form, const Instruction& instruction, double times) {
      if (form.load) elements_loaded += times * std::max(1.0, form.memory_bytes / bytes);
      if (form.store) elements_stored += times * std::max(1.0, form.memory_bytes / bytes);
      if (classify(form, instruction).spill) spilled += times;
    });
    using Form = const InstructionForm&;
    using Code = const Instruction&;
    if (spilled > 0)
      say("c", "register spills", loop_.mac - mac_with([](Form f, Code i) { return classify(f, i).spill ? 0 : 1; }), 0,
          fmt::format("{} loads and stores per iteration go to the stack because registers run out: split the loop or shorten lives of values.", number_text(spilled, 3)));
    double kept_loads = elements_loaded > 0 ? std::min(1.0, (needed.loads + spilled) / elements_loaded) : 1;
    if (kept_loads < 0.95) {
      auto licm = remarks_about(profile_, group_, "licm"), gvn = remarks_about(profile_, group_, "gvn");
      const CompilerRemark* why = !licm.empty() ? licm[0] : !gvn.empty() ? gvn[0] : nullptr;
      say("c", "excess loads", loop_.mac - mac_with([&](Form f, Code i) { return f.load && !f.store && !classify(f, i).spill ? kept_loads : 1; }), why ? why->at.line : 0,
          fmt::format("{} elements are loaded per iteration where {} are new: keep values in registers across iterations{}.", number_text(elements_loaded, 3),
                      number_text(needed.loads, 3), why ? " (compiler: " + why->text + "; restrict helps)" : ""));
    }
    double kept_stores = elements_stored > 0 ? std::min(1.0, needed.stores / elements_stored) : 1;
    if (kept_stores < 0.95 && elements_stored > spilled)
      say("c", "excess stores", loop_.mac - mac_with([&](Form f, Code i) { return f.store && !classify(f, i).spill ? kept_stores : 1; }), 0,
          fmt::format("{} elements are stored per iteration where {} would do: keep the result in a local variable.", number_text(elements_stored, 3), number_text(needed.stores, 3)));
    double lanes = std::max(1.0, group_.needs.flops > 0 && made.flops > 0 ? made.flops / std::max(1e-9, made.add + made.multiply + 2 * made.fused) : 1);
    if (needed.fused > (made.fused + 0.05) * lanes && made.multiply > 0)
      say("c", "uncombined multiply-adds", loop_.mac - mac_with([&](Form f, Code i) {
            return classify(f, i).kind == Kind::multiply ? std::max(0.0, 1 - (needed.fused / lanes - made.fused) / made.multiply) : 1;
          }), 0,
          fmt::format("{} of {} multiply-adds were not fused: compile for a CPU that has the instruction (-march=native) and with -ffp-contract=fast.",
                      number_text(needed.fused - made.fused * lanes, 3), number_text(needed.fused, 3)));
    if (made.copies > 0)
      say("c", "register copies", loop_.mac - mac_with([](Form f, Code i) { return classify(f, i).kind == Kind::copy ? 0 : 1; }), 0,
          fmt::format("{} register copies per iteration: unroll by hand so that values need not be moved.", number_text(made.copies, 3)));
    double scalar_ops = made.integer, needed_ops = needed.integer / std::max(1.0, lanes);
    if (scalar_ops > needed_ops + 0.01) {
      double kept = needed_ops / scalar_ops;
      say("c", "address and loop bookkeeping", loop_.mac - mac_with([&](Form f, Code i) {
            Kind kind = classify(f, i).kind;
            return kind == Kind::integer ? kept : kind == Kind::branch ? 0.25 : 1;
          }), 0,
          fmt::format("{} integer instructions and branches per iteration only compute addresses and count: unroll, or index all arrays by one variable.",
                      number_text(scalar_ops - needed_ops + made.branches, 3)));
    }
    if (made.calls > 0) {
      auto inlining = remarks_about(profile_, group_, "inline");
      say("c", "calls not inlined", loop_.mac - loop_.ma, inlining.empty() ? 0 : inlining[0]->at.line,
          fmt::format("{} calls per iteration are not inlined{}.", number_text(made.calls, 3), inlining.empty() ? "" : " (compiler: " + inlining[0]->text + ")"));
    }
  }
  void vectors() {
    int full = steps_.ideal().vector_bits(), used = loop_.vector_bits;
    if (full <= 64 || used >= full || group_.needs.operations.empty() + group_.needs.references.empty() == 2) return;
    double could = loop_.mac - std::max(loop_.ma, loop_.mac * std::max(64, used) / full);
    if (used > 64) {
      say("c", "narrow vectors", could, 0, fmt::format("Vectors of {} bits are used where the machine has {}: compile with -march=native{}.", used, full,
                                                        full == 512 ? " -mprefer-vector-width=512" : ""));
      return;
    }
    auto said = remarks_about(profile_, group_, "loop-vectorize");
    std::erase_if(said, [](const CompilerRemark* r) { return !r->missed; });
    auto reason = std::ranges::find_if(said, [](const CompilerRemark* r) { return r->text.size() > std::string("loop not vectorized").size(); });
    const CompilerRemark* why = reason != said.end() ? *reason : said.empty() ? nullptr : said[0];
    std::string flags = profile_.run.cflags.find("-O3") != std::string::npos || profile_.run.cflags.find("-O2") != std::string::npos ? "" : " at -O2 or higher";
    say("c", "missed vectorisation", could, why ? why->at.line : 0,
        why ? fmt::format("The loop is not vectorised (compiler: {}).", why->text) : fmt::format("The loop is not vectorised; compile it{} and look for what prevents it.", flags));
  }

  // Gap S: order and dependences.
  void schedule() {
    double s = loop_.gaps.s;
    auto held = steps_.held_up(group_);
    double all = 0;
    for (double cycles : held) all += cycles;
    if (all <= 0) return;
    auto share = [&](engine::Cause cause) { return held[static_cast<std::size_t>(cause)] / all; };
    bool sum = std::ranges::any_of(group_.needs.recurrences, [](const Recurrence& r) { return r.reassociable && r.allowed; });
    if (share(engine::Cause::dependences) > 0.3 && sum)
      say("s", "few accumulators", s, 0, "The sum runs through too few accumulators to hide the latency of an addition: unroll with more of them (-mllvm -force-vector-interleave=4, or by hand).");
    else if (share(engine::Cause::dependences) > 0.3)
      say("s", "dependences in the schedule", s, 0, "Instructions wait for each other's results within the iteration: unroll, so that several iterations overlap.");
    else if (share(engine::Cause::front_end) > 0.3)
      say("s", "front end", s, 0, "Fetching instructions is the limit (short loop or taken branches): unroll the loop.");
    else
      say("s", "schedule", s, 0, "Instructions compete for the same ports at the same time: interleave different kinds of work.");
  }
  void window() {
    say("w", "finite window", loop_.gaps.w, 0, "The core's queues fill up with instructions that wait: shorten chains within an iteration, or split the loop.");
  }

  // Gap P: by its largest parts.
  void beyond() {
    for (const NamedAmount& part : beyond_.parts) {
      if (part.name == "branches") {
        int line = mispredicted_line();
        say("p", "mispredicted branch", part.amount, line, "A branch that depends on data is often mispredicted: compute both sides and select, or sort the data.");
      } else if (part.name == "TLB") {
        say("p", "page walks", part.amount, 0, "Translations of addresses miss: use large pages, or walk memory in smaller steps.");
      } else if (part.name == "OS") {
        say("p", "page faults", part.amount, 0, "Pages are touched for the first time here: allocate once and reuse memory.");
      } else {
        memory(part);
      }
    }
  }
  void memory(const NamedAmount& part) {
    double line_bytes = machine_.memory ? machine_.memory->line_bytes : 64;
    for (const Reference& reference : group_.needs.references)
      if (reference.affine() && std::abs(*reference.stride_bytes[0]) > line_bytes / 2 && !reference.contiguous())
        return say("p", "strided access", part.amount, reference.line,
                   fmt::format("{} is walked in steps of {} bytes, a new line from {} for every element: interchange loops or store it the other way round.",
                               reference.array.empty() ? "An array" : reference.array, number_text(std::abs(*reference.stride_bytes[0])), part.name));
    for (const Reference& reference : group_.needs.references)
      if (!reference.affine() && reference.elements > 0)
        return say("p", "scattered access", part.amount, reference.line,
                   fmt::format("{} is accessed at addresses only known at run time, and lines come from {}: sort or group the accesses, or make the structure smaller.",
                               reference.array.empty() ? "Memory" : reference.array, part.name));
    say("p", "data from " + part.name, part.amount, 0,
        fmt::format("Data comes from {}: work on pieces that fit the cache before it (blocking), or fuse with the loop that made it.", part.name));
  }

  template <class Visit>
  void each_instruction(Visit visit) const {
    const Function& function = profile_.machine->functions[static_cast<std::size_t>(group_.function)];
    for (int b : group_.blocks) {
      const Block& block = function.blocks[static_cast<std::size_t>(b)];
      for (const Instruction& instruction : block.code)
        visit(profile_.forms[static_cast<std::size_t>(instruction.form)], instruction, block.count.value / group_.iterations);
    }
  }
  double element_bytes() const {
    double bytes = 8;
    for (const Reference& reference : group_.needs.references) bytes = std::min(bytes, static_cast<double>(std::max(1, reference.element_bytes)));
    return bytes;
  }
  int mispredicted_line() const {
    int line = 0;
    double most = 0;
    for (auto [f, b] : group_.ir_blocks) {
      const Block& block = profile_.ir->functions[static_cast<std::size_t>(f)].blocks[static_cast<std::size_t>(b)];
      if (block.mispredicted.value_or(0) > most) most = *block.mispredicted, line = block.at.line;
    }
    return line;
  }

  const Profile& profile_;
  const Machine& machine_;
  Steps& steps_;
  const LoopGroup& group_;
  const Ladder& raw_;
  const LoopBounds& loop_;
  const Beyond& beyond_;
  double now_ = 0;
  std::vector<Advice> found_;
};

}  // namespace

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

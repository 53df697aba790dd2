// Rename and what comes before it, from loops of fillers and what is put between them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "methods/characterize/instructions/fitting.h"

namespace perfcast::instructions {
namespace {

class FrontEndFitter {
 public:
  FrontEndFitter(Fitting& fitting, Frame frame) : fitting_(fitting), frame_(frame), table_(fitting.table), result_(fitting.result) {}

  void fit() {
    // The widest rename seen in loops of fillers: instructions per cycle, the fused loop branch counted as one.
    double width = 0;
    std::string best;
    const auto loops = filler_loops();
    for (auto [slots, cycles] : loops)
      if (slots / cycles > width) width = slots / cycles, best = fmt::format("loop/nop/{}", slots - 1);
    const double before = result_.core.front_end.rename_width.value;
    if (width > 0 && (frame_ == Frame::usual || std::abs(std::round(width) - before) < 0.5))
      result_.core.front_end.rename_width = from(best, std::round(width));
    groups(loops);
    moves();
    fusions();
    coming_apart();
    stack_pointer();
    boundary();
    if (auto loop = special("loop/nop/3"); loop && result_.core.front_end.taken_branches_per_cycle)
      result_.core.front_end.taken_branches_per_cycle = from("loop/nop/3", std::max(1.0, std::round(1 / *loop)));
  }

 private:
  std::optional<double> special(const std::string& name) const { return fitting_.timings.cycles(name); }
  Measurement from(const std::string& name, double value) const { return fitting_.from(name, value); }

  struct FillerLoop { int slots; double cycles; };  // the branch counted
  std::vector<FillerLoop> filler_loops() const {
    std::vector<FillerLoop> loops;
    if (table_.filler.empty()) return loops;
    for (auto& c : table_.cases)
      if (c.kind == "loop" && c.name == "nop")
        for (int n : c.parameters)
          if (auto cycles = special(fmt::format("loop/nop/{}", n))) loops.push_back({n + 1, *cycles});
    return loops;
  }

  // Loops of fillers take the time of their slots, or of the groups they come in: a taken branch ends one. The size of a group
  // is changed only where another explains the loops far better.
  void groups(const std::vector<FillerLoop>& loops) {
    auto& front_end = result_.core.front_end;
    if (!front_end.uops_per_cycle || loops.size() < 8) return;
    auto misfit = [&](double group) {
      double squares = 0;
      for (auto [slots, cycles] : loops)
        squares += std::pow(std::log(std::max({1.0, slots / front_end.rename_width.value, std::ceil(slots / group)}) / cycles), 2);
      return squares;
    };
    double best = front_end.uops_per_cycle->value;
    for (int group = static_cast<int>(front_end.rename_width.value); group <= 16; group++)
      if (misfit(group) <= misfit(best)) best = group;
    if (misfit(best) < 0.5 * misfit(front_end.uops_per_cycle->value)) {
      result_.changes.push_back(fmt::format("the front end delivers groups of {} instead of {}", best, front_end.uops_per_cycle->value));
      front_end.uops_per_cycle = measured(best, 0, 16, fmt::format("{} loops of fillers", loops.size()));
    }
  }

  // Between two moves stands an addition of one cycle: what it takes beyond is moves that were not eliminated. In a chain
  // of nothing but moves, which tells where that case is missing, those that are eliminated take no time but their slots.
  void moves() {
    auto& rename = result_.core.rename;
    const double slot = 1 / result_.core.front_end.rename_width.value;
    const auto mixed = special("rename/move.r64/16"), chain = special("chain/mov.rr64");
    constexpr double least = 0.05;  // of the moves
    if (rename.eliminated_moves.empty()) return;
    if (mixed && (*mixed - 1) / 2 > least) rename.eliminated_share = from("rename/move.r64/16", std::clamp(1 - (*mixed - 1) / 2, 0.0, 1.0));
    else if (mixed) rename.eliminated_share.reset();
    else if (chain && *chain > 1.3 * slot) rename.eliminated_share = from("chain/mov.rr64", std::clamp(1 - *chain, 0.0, 1.0));
    for (const EliminatedMove& move : table_.moves)
      if (const auto cycles = special(move.shown_by); cycles && *cycles < 1.5) rename.eliminated_moves.emplace_back().opcode = move.opcodes;
  }

  // Pairs that this core makes one slot beyond those of its family.
  void fusions() {
    const double slot = 1 / result_.core.front_end.rename_width.value;
    for (const Fusion& fusion : table_.fusions) {
      const auto cycles = special(fusion.shown_by);
      if (!cycles || *cycles > (Fusion::fillers + 1.5) * slot) continue;
      FusionRule rule;
      rule.first.opcode = fusion.first, rule.second.opcode = fusion.second;
      rule.first.indexed = rule.second.load = rule.second.store = false;
      rule.note = fmt::format("{} {:.3g}", fusion.shown_by, *cycles);
      result_.core.rename.fused.push_back(std::move(rule));
    }
  }

  // What comes apart at rename takes two slots, which on some cores must lie in the first part of a group of slots: with
  // seven fillers behind it that shows.
  void coming_apart() {
    const int width = static_cast<int>(result_.core.front_end.rename_width.value);
    constexpr int fillers = 7, copies = 60;
    auto told = [&](int within) {
      int slot = 0;
      for (int k = 0; k < copies; k++) {
        if (slot % width >= within) slot += width - slot % width;
        slot += fillers + 2;
      }
      return static_cast<double>(slot) / width / copies;
    };
    constexpr std::array shown_by{"slot/cmp.mem.idx/12", "slot/vaddsd.mem.idx/12"};
    if (std::ranges::any_of(shown_by, [&](const char* name) { return special(name).has_value(); })) result_.core.rename.extra_within.reset();
    for (const char* name : shown_by)
      if (const auto cycles = special(name); cycles && *cycles > 1.15 * told(width)) {
        int best = width;
        for (int within = width; within > 0; within--)
          if (std::abs(told(within) - *cycles) < std::abs(told(best) - *cycles)) best = within;
        if (best < width) result_.core.rename.extra_within = from(name, best);
      }
  }

  // What naming the stack pointer takes beyond its slots after a push.
  void stack_pointer() {
    const auto moved = special("rename/stack.moved/12"), still = special("rename/stack.still/12");
    if (!moved || !still) return;
    auto& sync = result_.core.rename.stack_sync;
    const double slots = std::round((*moved - *still) * result_.core.front_end.rename_width.value);
    sync.reset();
    if (slots >= 1) sync = from("rename/stack.moved/12", slots);
  }

  // A jump across the middle of 64 bytes, whether these are decoded each time, and how many in a cycle.
  void boundary() {
    const auto across = special("rename/boundary/24"), within = special("rename/no.boundary/24");
    if (!across || !within) return;
    auto& front_end = result_.core.front_end;
    constexpr double clearly_more = 1.2, bytes = 64;
    front_end.boundary_bytes.reset(), front_end.decode_bytes.reset();
    if (*across < clearly_more * *within) return;
    front_end.decode_bytes = from("rename/boundary/24", std::round(bytes / *across));
    front_end.boundary_bytes = measured(bytes / 2, 0, 16, front_end.decode_bytes->note);
  }

  Fitting& fitting_;
  const Frame frame_;
  const FormTable& table_;
  FittedCore& result_;
};

}  // namespace

void fit_front_end(Fitting& fitting, Frame frame) { FrontEndFitter(fitting, frame).fit(); }

}  // namespace perfcast::instructions

// The listing of K-MACSTAT (section 6.2, appendix A) for the loops of compiled code: nesting, innermost loops whole,
// residues of outer loops, forward branches inside innermost loops with what they skip. The layout is that of figure
// 25. Loops are natural loops of the flow graph, so any shape is accepted; irreducible ones are said to be so.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "methods/bounds/classes.h"

namespace perfcast::bounds {
namespace {

// Counts of a stretch of code, each instruction once.
struct Stretch {
  OperationClasses classes;
  double instructions = 0, compute = 0, memory_side = 0, float_loads = 0, float_stores = 0;
};

void add(Stretch& to, const Profile& profile, const Block& block) {
  for (const Instruction& instruction : block.code) {
    const InstructionForm& form = profile.forms[static_cast<std::size_t>(instruction.form)];
    Classified made = classify(form, instruction);
    count(made, 1, to.classes);
    to.instructions++;
    if (made.kind == Kind::nop) continue;
    // The two halves of a KSR1 instruction pair: arithmetic on one side; addresses, memory and branches on the other.
    bool other_side = made.kind == Kind::load || made.kind == Kind::store || made.kind == Kind::branch || made.kind == Kind::call || form.opcode == "ADDRESS";
    (other_side ? to.memory_side : to.compute)++;
    if (form.load && made.real) to.float_loads++;
    if (form.store && made.real) to.float_stores++;
  }
}

std::string text_of(const Stretch& s, const std::string& mark, double pairs) {
  const OperationClasses& c = s.classes;
  double multiply = c.multiply + c.divide, flops = c.add + multiply + 2 * c.fused + c.other_float;
  std::string text;
  text += fmt::format("{}arithmetic instructions except nop = {:g}\n", mark, s.compute);
  text += fmt::format("{}memory, address and branch instructions except nop = {:g}\n", mark, s.memory_side);
  text += fmt::format("{}compiled code length = {:g} instructions\n", mark, s.instructions / pairs);
  text += fmt::format("{}Fa = {:g} Fm = {:g} Fma = {:g} Fmisc = {:g} Lfl = {:g} Sfl = {:g}\n", mark, c.add, multiply, c.fused, c.other_float, s.float_loads, s.float_stores);
  text += fmt::format("{}Load = {:g} Store = {:g}\n", mark, c.loads, c.stores);
  text += fmt::format("{}Floating-point operations = {:g}{}\n", mark, flops, c.flops > flops ? fmt::format(" ({:g} with vector lanes)", c.flops + c.other_float) : "");
  text += fmt::format("{}Memory accesses = {:g}\n", mark, c.loads + c.stores);
  text += fmt::format("{}Fma+Sfl = {:g}\n", mark, c.fused + s.float_stores);
  return text;
}

class Lister {
 public:
  Lister(const Profile& profile, const Function& function) : profile_(profile), function_(function) {}

  std::string text() {
    std::string out;
    const auto& loops = function_.loops;
    for (std::size_t l = 0; l < loops.size(); l++)
      if (loops[l].parent) out += fmt::format("{} is an inner loop of {}\n", label(l), label(static_cast<std::size_t>(*loops[l].parent)));
    out += "Listed by loop completed order inside the machine code\n";
    int region = 0;
    // Inner loops are complete before those around them.
    for (std::size_t k = loops.size(); k-- > 0;) out += loop_text(k, region++);
    return out + fmt::format("Number of loops = {}\n", loops.size());
  }

 private:
  std::string label(std::size_t loop) const { return function_.blocks[static_cast<std::size_t>(function_.loops[loop].header)].name; }
  bool innermost(std::size_t loop) const {
    return std::ranges::none_of(function_.loops, [&](const Loop& other) { return other.parent == static_cast<int>(loop); });
  }
  double pairs() const { return profile_.run.isa == "ksr1" ? 2 : 1; }

  std::string loop_text(std::size_t loop, int region) const {
    std::string out = fmt::format("_____\nLoop labelled {}-- Branch Region = {} --", label(loop), region);
    const Loop& record = function_.loops[loop];
    if (record.at.known()) out += " " + record.at.text();
    out += fmt::format("\n--> {}{}\n", innermost(loop) ? "An inner-most loop" : "A residue of an outer loop", record.irreducible ? ", irreducible" : "");
    Stretch all;
    std::vector<int> members;
    for (std::size_t b = 0; b < function_.blocks.size(); b++)
      if (function_.blocks[b].loop == static_cast<int>(loop)) add(all, profile_, function_.blocks[b]), members.push_back(static_cast<int>(b));
    out += text_of(all, "", pairs());
    if (!innermost(loop)) return out;
    int area = 0;
    for (int b : members)
      for (const Edge& edge : function_.blocks[static_cast<std::size_t>(b)].next) {
        auto skipped = skipped_by(b, edge.to, members);
        if (!skipped.empty()) out += area_text(++area, region, edge.to, skipped, b);
      }
    return out;
  }
  // Blocks of the loop that lie between a branch and its target further on.
  std::vector<int> skipped_by(int from, int to, const std::vector<int>& members) const {
    std::vector<int> skipped;
    if (std::ranges::find(members, to) == members.end() || to <= from) return skipped;
    for (int b : members)
      if (b > from && b < to) skipped.push_back(b);
    return skipped;
  }
  std::string area_text(int number, int region, int target, const std::vector<int>& skipped, int from) const {
    std::string rule(74, '*'), out;
    Stretch stretch;
    for (int b : skipped) add(stretch, profile_, function_.blocks[static_cast<std::size_t>(b)]);
    out += fmt::format("Forward branch area {}\nForward Branch exists in backward branch region -- {} --\n{}\n", number, region, rule);
    const Block& branch = function_.blocks[static_cast<std::size_t>(from)];
    double taken = 0;
    for (const Edge& edge : branch.next)
      if (edge.to == target) taken = edge.count.value;
    out += fmt::format("*Target Label = {}, taken {:g} of {:g} times\n", function_.blocks[static_cast<std::size_t>(target)].name, taken, branch.count.value);
    return out + text_of(stretch, "* ", pairs()) + rule + "\n";
  }

  const Profile& profile_;
  const Function& function_;
};

}  // namespace

std::string listing(const Profile& profile, const BoundsOptions& options) {
  std::string out;
  if (!profile.machine) return out;
  for (const Function& function : profile.machine->functions) {
    bool executed = std::ranges::any_of(function.loops, [](const Loop& loop) { return loop.iterations.value > 0; });
    if (function.library || !executed) continue;
    const std::string& name = function.readable.empty() ? function.name : function.readable;
    bool wanted = options.loops.empty() || std::ranges::any_of(options.loops, [&](const LoopName& loop) {
      return loop.function.empty() || loop.function == function.name || loop.function == name;
    });
    if (wanted) out += (out.empty() ? "" : "\n") + name + "\n" + Lister(profile, function).text();
  }
  return out;
}

}  // namespace perfcast::bounds

// Gap C: what the compiler added to the source's needs, or did not make of them. What a cause costs is the bound of the
// code as it is minus the bound of the code without it.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "methods/bounds/adviser.h"

namespace perfcast::bounds {
namespace {

using Form = const InstructionForm&;
using Code = const Instruction&;

bool says(const CompilerRemark* remark, std::initializer_list<const char*> any) {
  return remark && std::ranges::any_of(any, [&](const char* part) { return remark->text.find(part) != std::string::npos; });
}

// What to do about a reason the vectoriser gave.
std::string remedy(const CompilerRemark* why) {
  if (says(why, {"unsafe dependent memory", "cannot identify array bounds", "array bounds", "memory conflicts"}))
    return ": the arrays may overlap; say that they do not (restrict, or #pragma clang loop vectorize(assume_safety))";
  if (says(why, {"could not determine number of loop iterations"})) return ": copy the loop's bound into a local variable, and leave the loop in one place only";
  if (says(why, {"call instruction cannot be vectorized"})) return ": the call is in the way";
  if (says(why, {"reorder floating-point"})) return ": the order of the sum is in the way";
  return "";
}

// Routines that glibc's libmvec has for vectors: those of C's math.h, and of singles with an f behind.
bool has_vector_form(std::string routine) {
  static const std::set<std::string> names = {"acos", "acosh", "asin", "asinh", "atan",  "atan2", "atanh", "cbrt", "cos",  "cosh", "erf", "erfc", "exp",
                                              "exp10", "exp2", "expm1", "hypot", "log", "log10", "log1p", "log2",  "pow", "sin",  "sinh", "tan", "tanh"};
  if (names.contains(routine)) return true;
  if (!routine.ends_with('f')) return false;
  routine.pop_back();
  return names.contains(routine);
}

}  // namespace

double Adviser::mac_with(const Steps::Keep& keep) {
  return std::max(steps_.ideal().bound(steps_.compiled_demand(group_, keep)).cycles, raw_.t_d.value_or(0));
}

// Elements per floating-point instruction.
double Adviser::lanes() const {
  const OperationClasses& made = loop_.compiled;
  return std::max(1.0, group_.needs.flops > 0 && made.flops > 0 ? made.flops / std::max(1e-9, made.add + made.multiply + made.divide + 2 * made.fused) : 1);
}

bool Adviser::unoptimised() const {
  std::string last = "-O0";
  for (const std::string& word : split_words(profile_.run.cflags))
    if (word.starts_with("-O")) last = word;
  return last == "-O0" && !profile_.run.sources.empty() && profile_.run.build_folder.empty();
}

// Whether the code was made for a CPU that somebody chose, or for one that always fuses.
bool Adviser::built_for_a_cpu() const {
  return profile_.run.isa == "aarch64" || std::ranges::any_of(split_words(profile_.run.cflags), [](const std::string& word) {
    return word.starts_with("-march=") || word.starts_with("-mcpu=") || word == "-mfma";
  });
}

void Adviser::compiler() {
  if (unoptimised())
    return say("c", "code not optimised", loop_.window - *loop_.ma, 0, "The code is not optimised, so that every variable lives in memory: compile with -O2 or -O3.");
  if (loop_.mac <= *loop_.ma * 1.02) return;
  if (!calls()) vectors();
  loads_and_stores();
  arithmetic();
}

// Calls of routines that could have been part of the loop. Returns whether there are any.
bool Adviser::calls() {
  double own = 0, library = 0;
  std::string name;
  const Function& function = profile_.machine->functions[static_cast<std::size_t>(group_.function)];
  for (int b : group_.blocks) {
    const Block& block = function.blocks[static_cast<std::size_t>(b)];
    for (const Call& call : block.calls) {
      auto callee = std::ranges::find(profile_.machine->functions, call.callee, &Function::name);
      bool known = call.callee == "*" || (callee != profile_.machine->functions.end() && !callee->library);
      (known ? own : library) += call.per_execution * block.count.value / group_.iterations;
      if (name.empty() || known) name = call.callee == "*" ? "a function through a pointer" : callee != profile_.machine->functions.end() && !callee->readable.empty() ? callee->readable : call.callee;
    }
  }
  if (own + library < 0.01) return false;
  double cost = std::max(loop_.mac - *loop_.ma, machine_.core->branches.call_return ? machine_.core->branches.call_return->value * own : 0);
  auto inlining = remarks_about(profile_, group_, "inline");
  std::erase_if(inlining, [](const CompilerRemark* remark) { return !remark->missed; });
  if (own > 0)
    say("c", "calls not inlined", cost, inlining.empty() ? 0 : inlining[0]->at.line,
        fmt::format("{} calls per iteration ({}) are not inlined, and the loop cannot be vectorised around them{}.", number_text(own, 3), name,
                    inlining.empty() ? "" : " (compiler: " + inlining[0]->text + ")"));
  else
    say("c", "library calls", cost, 0,
        fmt::format("{} calls per iteration of {} keep the loop from being vectorised{}", number_text(library, 3), name,
                    has_vector_form(name) ? ": a vector library (-fveclib=libmvec with -ffast-math), a table or another formula would not." : "."));
  return true;
}

void Adviser::vectors() {
  int full = steps_.ideal().vector_bits(), used = loop_.vector_bits;
  if (full <= 64 || used >= full || group_.needs.operations.empty() + group_.needs.references.empty() == 2) return;
  double could = loop_.mac - std::max(*loop_.ma, loop_.mac * std::max(64, used) / full);
  auto said = remarks_about(profile_, group_, "loop-vectorize");
  bool done = std::ranges::any_of(said, [](const CompilerRemark* r) { return !r->missed; });
  if (used > 64) {
    const std::string wide = full == 512 ? "-mprefer-vector-width=512" : "", flags = built_for_a_cpu() && !wide.empty() ? wide : "-march=native" + (wide.empty() ? "" : " " + wide);
    return say("c", "narrow vectors", could, 0, fmt::format("Vectors of {} bits are used where the machine has {}: compile with {}.", used, full, flags));
  }
  if (done && loop_.per_machine_iteration > 1.5) return;
  // Elements that lie apart: their layout is in the way, not the compiler.
  double apart = 0, together = 0;
  for (const Reference& r : group_.needs.references) (r.contiguous() || (r.affine() && *r.stride_bytes[0] == 0) ? together : apart) += r.elements;
  if (apart > together) return;
  // What only the order of iterations makes cannot be done side by side.
  if (std::ranges::any_of(group_.needs.recurrences, [](const Recurrence& r) { return !r.reassociable; })) return;
  std::erase_if(said, [](const CompilerRemark* r) { return !r->missed; });
  auto reason = std::ranges::find_if(said, [](const CompilerRemark* r) { return r->text.size() > std::string("loop not vectorized").size(); });
  const CompilerRemark* why = reason != said.end() ? *reason : said.empty() ? nullptr : said[0];
  bool order = std::ranges::any_of(found_, [](const Advice& a) { return a.cause == "recurrence that reassociation would break"; });
  if (order && says(why, {"reorder floating-point"})) return;  // said already
  say("c", "missed vectorisation", could, why ? why->at.line : 0,
      why ? fmt::format("The loop is not vectorised (compiler: {}){}.", why->text, remedy(why)) : "The loop is not vectorised; look for what prevents it.");
}

void Adviser::loads_and_stores() {
  const OperationClasses& needed = loop_.essential;
  double loaded = 0, stored = 0, spilled = 0, spilled_stores = 0, bytes = 8;
  for (const Reference& reference : group_.needs.references) bytes = std::min(bytes, static_cast<double>(std::max(1, reference.element_bytes)));
  each_instruction([&](Form form, Code instruction, double times) {
    if (classify(form, instruction).spill) return void(spilled += times), void(spilled_stores += form.store ? times : 0);
    constexpr int largest_number = 8;  // bytes; what is longer holds several
    const double elements = form.memory_bytes > largest_number ? form.memory_bytes / bytes : 1;
    if (form.load) loaded += times * elements;
    if (form.store) stored += times * elements;
  });
  if (spilled > 0)
    say("c", "register spills", raw_.mac - mac_with([](Form f, Code i) { return classify(f, i).spill ? 0 : 1; }), 0,
        fmt::format("{} loads and stores per iteration go to the stack because registers run out: split the loop or shorten lives of values.", number_text(spilled, 3)));
  auto licm = remarks_about(profile_, group_, "licm"), gvn = remarks_about(profile_, group_, "gvn");
  const CompilerRemark* why = !licm.empty() ? licm[0] : !gvn.empty() ? gvn[0] : nullptr;
  std::string because = why ? " (compiler: " + why->text + "; restrict helps)" : "";
  double loads_inside = 0, stores_inside = 0;  // for loops inside: loaded here and kept while they run, stored when they have
  for (const Reference& r : group_.needs.references)
    if (group_.outer && r.elements == 0 && r.affine() && *r.stride_bytes[0] != 0) (r.store ? stores_inside : loads_inside) += r.written;
  double kept_loads = loaded > 0 ? std::min(1.0, (needed.loads + loads_inside) / loaded) : 1;
  if (kept_loads < 0.95)
    say("c", "excess loads", raw_.mac - mac_with([&](Form f, Code i) { return f.load && !f.store && !classify(f, i).spill ? kept_loads : 1; }), why ? why->at.line : 0,
        fmt::format("{} elements are loaded per iteration where {} are new: keep values in registers across iterations{}.", number_text(loaded, 3),
                    number_text(needed.loads, 3), because));
  double kept_stores = stored > 0 ? std::min(1.0, (needed.stores + stores_inside) / stored) : 1;
  if (kept_stores < 0.95)
    say("c", "excess stores", raw_.mac - mac_with([&](Form f, Code i) { return f.store && !classify(f, i).spill ? kept_stores : 1; }), why ? why->at.line : 0,
        fmt::format("{} elements are stored per iteration where {} would do: keep the result in a local variable{}.", number_text(stored, 3),
                    number_text(needed.stores, 3), because));
}

void Adviser::arithmetic() {
  const OperationClasses &needed = loop_.essential, &made = loop_.compiled;
  double wide = lanes();
  if (needed.fused > (made.fused + 0.05) * wide && made.multiply > 0)
    say("c", "uncombined multiply-adds", raw_.mac - mac_with([&](Form f, Code i) {
          return classify(f, i).kind == Kind::multiply ? std::max(0.0, 1 - (needed.fused / wide - made.fused) / made.multiply) : 1;
        }), 0,
        fmt::format("{} of {} multiply-adds were not fused: compile {}with -ffp-contract=fast.", number_text(needed.fused - made.fused * wide, 3),
                    number_text(needed.fused, 3), built_for_a_cpu() ? "" : "for a CPU that has the instruction (-march=native) and "));
  if (made.copies > 0)
    say("c", "register copies", raw_.mac - mac_with([](Form f, Code i) { return classify(f, i).kind == Kind::copy ? 0 : 1; }), 0,
        fmt::format("{} register copies per iteration: unroll by hand so that values need not be moved.", number_text(made.copies, 3)));
  double needed_integer = needed.integer / wide;
  if (made.integer <= needed_integer + 0.01) return;
  double kept = needed_integer / made.integer;
  say("c", "address and loop bookkeeping", raw_.mac - mac_with([&](Form f, Code i) {
        Kind kind = classify(f, i).kind;
        return kind == Kind::integer ? kept : kind == Kind::branch ? 0.25 : 1;
      }), 0,
      fmt::format("{} integer instructions and branches per iteration only compute addresses and count: unroll, or index all arrays by one variable.",
                  number_text(made.integer - needed_integer + made.branches, 3)));
}

}  // namespace perfcast::bounds

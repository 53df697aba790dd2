// Gap P by its largest parts: memory, translation, branches, the system.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "engine/memory/conflicts.h"
#include "engine/regions.h"
#include "methods/bounds/adviser.h"

namespace perfcast::bounds {

void Adviser::beyond() {
  for (const NamedAmount& part : beyond_.parts) {
    if (part.name == "branches")
      say("p", "mispredicted branch", part.amount, mispredicted_line(), "A branch that depends on data is often mispredicted: compute both sides and select, or sort the data.");
    else if (part.name == "TLB")
      say("p", "page walks", part.amount, 0, "Translations of addresses miss: use large pages, or walk memory in smaller steps.");
    else if (part.name == "OS")
      say("p", "page faults", part.amount, 0, "Pages are touched for the first time here: allocate once and reuse memory.");
    else if (part.name == "conflicts")
      conflicts(part);
    else
      memory(part);
  }
}

void Adviser::conflicts(const NamedAmount& part) {
  const Access* worst = nullptr;
  double share = 1, step = 0;
  for (const Access* access : accesses_of(profile_, group_)) {
    double walked = step_of(profile_, group_, *access), reached = engine::share_of_cache(walked, *machine_.memory);
    if (reached < 1 && (!worst || access->count > worst->count)) worst = access, share = reached, step = walked;
  }
  if (!worst) return;
  say("p", "conflicting access", part.amount, worst->line,
      fmt::format("Steps of {} bytes put all lines into one of {} places of the caches, where they throw each other out: pad the rows by a line ({} bytes).",
                  number_text(step, 6), number_text(1 / share), machine_.memory->line_bytes));
}

// By what the access is that brings most lines from the level.
void Adviser::memory(const NamedAmount& part) {
  auto level = std::ranges::find(machine_.memory->levels, part.name, &MemoryLevel::name) - machine_.memory->levels.begin();
  engine::ProgramReuse program;
  program.footprint_bytes = engine::footprint_bytes(profile_, machine_);
  const Access* worst = nullptr;
  double most = 0;
  for (const Access* access : accesses_of(profile_, group_)) {
    engine::Served served = engine::served_by(*access, *machine_.memory, program);
    auto l = static_cast<std::size_t>(level);
    if (double lines = l < served.near.size() ? access->count * (served.near[l] + served.alone[l]) : 0; lines > most) most = lines, worst = access;
  }
  auto array = [&] {
    for (const Reference& reference : group_.needs.references)
      if (worst && reference.line == worst->line && !reference.array.empty() && !reference.array.starts_with(".")) return reference.array;
    return std::string("An array");
  };
  if (worst && (worst->kind == AddressKind::chase || worst->kind == AddressKind::dependent))
    return say("p", "dependent loads", part.amount, worst->line,
               fmt::format("Each load waits for the address that the one before brings from {}: keep the elements in an array, or lay them out in the order of the walk.", part.name));
  double step = worst ? step_of(profile_, group_, *worst) : 0;
  // Counters alone make the address, but not by constants: a row's length, most likely.
  bool by_variable = worst && worst->kind == AddressKind::regular && step == 0 &&
                     std::ranges::any_of(group_.needs.references, [&](const Reference& r) { return r.line == worst->line && !r.affine(); });
  if (step > machine_.memory->line_bytes / 2.0 || by_variable)
    return say("p", "strided access", part.amount, worst->line,
               fmt::format("{} is walked in steps of {} bytes, a new line from {} for every element: interchange loops or store it the other way round.", array(),
                           step > 0 ? number_text(step, 6) : "many", part.name));
  if (worst && worst->kind == AddressKind::indexed)
    return say("p", "scattered access", part.amount, worst->line,
               fmt::format("{} is accessed at addresses that follow no pattern, and lines come from {}: sort or group the accesses, or make the structure smaller.", array(), part.name));
  say("p", "data from " + part.name, part.amount, 0,
      fmt::format("Data comes from {}: work on pieces that fit the cache before it (blocking), or fuse with the loop that made it.", part.name));
}

int Adviser::mispredicted_line() const {
  int line = 0;
  double most = 0;
  for (auto [f, b] : group_.ir_blocks) {
    const Block& block = profile_.ir->functions[static_cast<std::size_t>(f)].blocks[static_cast<std::size_t>(b)];
    if (block.mispredicted.value_or(0) > most) most = *block.mispredicted, line = block.at.line;
  }
  return line;
}

}  // namespace perfcast::bounds

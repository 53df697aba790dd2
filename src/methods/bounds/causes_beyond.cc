// Gap P by its largest parts: memory, translation, branches, the system.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "engine/memory/conflicts.h"
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
  for (const Access* access : accesses_of(profile_, group_))
    if (engine::share_of_cache(*access, *machine_.memory) < 1 && (!worst || access->count > worst->count)) worst = access;
  if (!worst) return;
  double places = 1 / engine::share_of_cache(*worst, *machine_.memory);
  say("p", "conflicting access", part.amount, worst->line,
      fmt::format("Steps of {} bytes put all lines into one of {} places of the caches, where they throw each other out: pad the rows by a line ({} bytes).",
                  number_text(std::abs(*worst->stride_bytes), 6), number_text(places), machine_.memory->line_bytes));
}

void Adviser::memory(const NamedAmount& part) {
  double line_bytes = machine_.memory ? machine_.memory->line_bytes : 64, waiting = 0, all = 0;
  const Access* chased = nullptr;
  for (const Access* access : accesses_of(profile_, group_)) {
    all += access->count;
    if (access->kind != AddressKind::chase && access->kind != AddressKind::dependent) continue;
    waiting += access->count;
    if (!chased || access->kind == AddressKind::chase) chased = access;
  }
  if (chased && waiting > 0.3 * all)
    return say("p", "dependent loads", part.amount, chased->line,
               fmt::format("Each load waits for the address that the one before brings from {}: keep the elements in an array, or lay them out in the order of the walk.", part.name));
  for (const Reference& reference : group_.needs.references)
    if (reference.affine() && std::abs(*reference.stride_bytes[0]) > line_bytes / 2 && !reference.contiguous())
      return say("p", "strided access", part.amount, reference.line,
                 fmt::format("{} is walked in steps of {} bytes, a new line from {} for every element: interchange loops or store it the other way round.",
                             reference.array.empty() ? "An array" : reference.array, number_text(std::abs(*reference.stride_bytes[0]), 6), part.name));
  for (const Reference& reference : group_.needs.references)
    if (!reference.affine() && reference.elements > 0)
      return say("p", "scattered access", part.amount, reference.line,
                 fmt::format("{} is accessed at addresses only known at run time, and lines come from {}: sort or group the accesses, or make the structure smaller.",
                             reference.array.empty() ? "Memory" : reference.array, part.name));
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

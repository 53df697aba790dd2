// Gap P by its largest parts: memory, translation, branches, the system.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "engine/memory/conflicts.h"
#include "engine/memory/hits.h"
#include "engine/regions.h"
#include "methods/bounds/adviser.h"

namespace perfcast::bounds {

// Levels of memory and translation are told apart by what is to be done about them: lines from several levels, and the page
// walks with them, may have one cause.
void Adviser::beyond() {
  std::vector<MemoryCause> memory;
  for (const NamedAmount& part : beyond_.parts) {
    if (part.name == "branches") {
      say("p", "mispredicted branch", part.amount, mispredicted_line(), "A branch that depends on data is often mispredicted: compute both sides and select, or sort the data.");
    } else if (part.name == "OS") {
      say("p", "page faults", part.amount, 0, "Pages are touched for the first time here: allocate once and reuse memory.");
    } else if (part.name == "conflicts") {
      conflicts(part);
    } else {
      MemoryCause found = memory_cause(part);
      auto same = std::ranges::find_if(memory, [&](const MemoryCause& m) { return m.cause == found.cause && m.worst && found.worst && m.worst->line == found.worst->line; });
      if (same == memory.end()) memory.push_back(found);
      else same->amount += found.amount, same->levels.insert(same->levels.end(), found.levels.begin(), found.levels.end()), same->walks = same->walks || found.walks;
    }
  }
  for (const MemoryCause& cause : memory) say_memory(cause);
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

// A walk that passes over most of what its lines bring. What is used of them may be the members of a structure, or the row of a loop
// inside.
static bool leaves_lines_unused(const Reference& reference, double line_bytes) {
  if (!reference.affine() || std::abs(*reference.stride_bytes[0]) <= line_bytes / 2) return false;
  return std::max(1.0, reference.elements) * reference.element_bytes < *bytes_brought(reference, line_bytes) / 2;
}

void Adviser::find_wasteful_step(MemoryCause& found) const {
  const Access& worst = *found.worst;
  const double line_bytes = machine_.memory->line_bytes;
  std::vector<const Reference*> here;  // those it may be
  for (const Reference& reference : group_.needs.references)
    if (reference.line == worst.line && reference.store == worst.store) here.push_back(&reference);
  for (const Reference* reference : here)
    if (leaves_lines_unused(*reference, line_bytes)) found.step = std::max(found.step, std::abs(*reference->stride_bytes[0])), found.array = reference->array;
  // Counters alone may make the address, but not by constants: a row's length, most likely.
  auto by_variable = std::ranges::find_if(here, [](const Reference* reference) { return !reference->affine(); });
  if (found.step > 0 || worst.kind != AddressKind::regular || (!here.empty() && by_variable == here.end())) return;
  if (const double watched = watched_step(profile_, group_, worst); watched > line_bytes / 2) {
    found.step = watched;
    if (by_variable != here.end()) found.array = (*by_variable)->array;
  }
}

// By what the access is that brings most lines from the level, or has most page walks.
MemoryCause Adviser::memory_cause(const NamedAmount& part) const {
  MemoryCause found;
  found.cause = "data from " + part.name, found.amount = part.amount;
  const auto level = static_cast<std::size_t>(std::ranges::find(machine_.memory->levels, part.name, &MemoryLevel::name) - machine_.memory->levels.begin());
  found.walks = level >= machine_.memory->levels.size();
  if (!found.walks) found.levels.push_back(part.name);
  engine::ProgramReuse program;
  program.footprint_bytes = engine::footprint_bytes(profile_, machine_);
  double most = 0;
  for (const Access* access : accesses_of(profile_, group_)) {
    engine::Served served = engine::served_by(*access, *machine_.memory, program);
    double share = found.walks ? engine::page_walks(*access, machine_.memory->translation).share : level < served.near.size() ? served.near[level] + served.alone[level] : 0;
    if (access->count * share > most) most = access->count * share, found.worst = access;
  }
  const Access* worst = found.worst;
  if (worst) find_wasteful_step(found);
  if (found.step > 0) found.cause = "strided access";
  else if (found.walks) found.cause = "page walks";
  else if (worst && (worst->kind == AddressKind::chase || worst->kind == AddressKind::dependent)) found.cause = "dependent loads";
  else if (worst && worst->kind == AddressKind::indexed) found.cause = "scattered access";
  return found;
}

void Adviser::say_memory(const MemoryCause& found) {
  auto array = [&] {
    auto named = [](const std::string& name) { return !name.empty() && !name.starts_with("."); };
    if (named(found.array)) return found.array;
    for (const Reference& reference : group_.needs.references)
      if (found.worst && reference.line == found.worst->line && named(reference.array)) return reference.array;
    return std::string("An array");
  };
  const std::string from = join(found.levels, " and ");
  const int line = found.worst && !found.cause.starts_with("data") ? found.worst->line : 0;
  std::string text;
  if (found.cause == "page walks")
    text = "Translations of addresses miss: use large pages, or walk memory in smaller steps.";
  else if (found.cause == "dependent loads")
    text = fmt::format("Each load waits for the address that the one before brings from {}: keep the elements in an array, or lay them out in the order of the walk.", from);
  else if (found.cause == "strided access")
    text = fmt::format("{} is walked in steps of {} bytes, {}{}{}: interchange loops or store it the other way round.", array(), number_text(found.step, 6),
                       from.empty() ? "" : "a new line from " + from + " for every element", !from.empty() && found.walks ? ", " : "", found.walks ? "with page walks" : "");
  else if (found.cause == "scattered access")
    text = fmt::format("{} is accessed at addresses that follow no pattern, and lines come from {}: sort or group the accesses, or make the structure smaller.", array(), from);
  else
    text = fmt::format("Data comes from {}: work on pieces that fit the cache before it (blocking), or fuse with the loop that made it.", from);
  say("p", found.cause, found.amount, line, text);
}

int Adviser::mispredicted_line() const {
  int line = 0;
  double most = 0;
  for (auto [f, b] : group_.ir_blocks) {
    const Block& block = profile_.ir->functions[static_cast<std::size_t>(f)].blocks[static_cast<std::size_t>(b)];
    if (const double times = block.mispredicted.value_or(Mispredictions()).large; times > most) most = times, line = block.at.line;
  }
  return line;
}

}  // namespace perfcast::bounds

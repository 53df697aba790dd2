#include "engine/memory/load_waits.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "engine/memory/ir_origins.h"
#include "engine/memory/level_costs.h"
#include "engine/memory/memory_time.h"

namespace perfcast::engine {
namespace {

// Adds `share` of executions that wait `ns`.
void add(Wait& wait, double share, double ns) {
  if (share > 1e-6 && ns > 0) wait.chances.emplace_back(share, ns);
}

// The same, for a part of the executions.
Wait part_of(Wait wait, double part) {
  for (auto& [share, ns] : wait.chances) share *= part;
  return wait;
}

void merge(Wait& into, const Wait& other) {
  double room = 1;
  for (const auto& [share, ns] : into.chances) room -= share;
  for (const auto& [share, ns] : other.chances) add(into, std::min(share, std::max(0.0, room)), ns), room -= share;
}

}  // namespace

double Wait::mean_ns() const {
  double sum = 0;
  for (const auto& [share, ns] : chances) sum += share * ns;
  return sum;
}

Wait wait_of(const Access& access, const MemoryModel& memory, const ProgramReuse& program, int copies) {
  Wait wait;
  const double waiting = 1 - steady_share(access, memory);
  if (access.store || memory.levels.size() < 2 || waiting <= 0) return wait;
  Served served = served_by(access, memory, program, copies);
  const Translation& t = memory.translation;
  // Walks belong to the lines that come from farthest; first-buffer misses are spread over the rest.
  auto [walks, walk_ns, ignored] = page_walks(access, t);
  walks *= waiting;
  double first_misses = t.first_entries ? std::max(walks, page_miss_share(access, t.first_entries->value)) - walks : 0;
  double first_ns = value_or(t.first_miss_ns, 0);
  double first_latency = value_or(memory.levels[0].latency_ns, 0);
  for (std::size_t i = memory.levels.size(); i-- > 0;) {
    double left = waiting * served.alone[i], ns = std::max(0.0, value_or(memory.levels[i].latency_ns, first_latency) - first_latency);
    double walked = std::min(left, walks), missed = std::min(left - walked, first_misses);
    add(wait, walked, ns + walk_ns), add(wait, missed, ns + first_ns), add(wait, left - walked - missed, ns);
    walks -= walked, first_misses -= missed;
  }
  return wait;
}

namespace {

// The waits of an IR block's loads, by the machine instruction that does them.
std::vector<std::pair<int, Wait>> loads_of(const Block& machine, const std::vector<InstructionForm>& forms, const Block& ir, const MemoryModel& memory,
                                           const ProgramReuse& program) {
  const auto [places, accesses, pairs] = matched_loads(machine, forms, ir);
  std::vector<Wait> ir_waits;
  ir_waits.reserve(accesses.size());
  const std::vector<int> copies = copies_among(ir.accesses);
  for (const Access* access : accesses) ir_waits.push_back(wait_of(*access, memory, program, copies[static_cast<std::size_t>(access - ir.accesses.data())]));
  std::vector<std::pair<int, Wait>> loads;
  if (places.empty()) return loads;
  std::vector<bool> taken(places.size(), false), found(ir_waits.size(), false);
  auto put = [&](std::size_t load, const Wait& wait) { taken[load] = true, loads.emplace_back(places[load], wait); };
  for (auto [load, access] : pairs) {
    found[static_cast<std::size_t>(access)] = true;
    put(static_cast<std::size_t>(load), ir_waits[static_cast<std::size_t>(access)]);
  }
  // What the code generator split, joined or moved: to a load not yet accounted for, else on top of any.
  for (std::size_t access = 0, load = 0; access < ir_waits.size(); access++) {
    if (found[access] || ir_waits[access].chances.empty()) continue;
    auto free = std::find(taken.begin(), taken.end(), false);
    put(free != taken.end() ? static_cast<std::size_t>(free - taken.begin()) : load++ % places.size(), ir_waits[access]);
  }
  return loads;
}

}  // namespace

LoadWaits::LoadWaits(const Profile& profile, const MemoryModel& memory, const ProgramReuse& program) {
  if (!profile.machine) return;
  for (std::size_t f = 0; f < profile.machine->functions.size(); f++) {
    const auto& blocks = profile.machine->functions[f].blocks;
    for (std::size_t b = 0; b < blocks.size(); b++) {
      const auto& watched = blocks[b].accesses;  // as machine code: `index` is the instruction
      const std::vector<int> copies = copies_among(watched);
      for (std::size_t a = 0; a < watched.size(); a++)
        if (!watched[a].store) place(static_cast<int>(f), static_cast<int>(b), watched[a].index, watched[a].count, wait_of(watched[a], memory, program, copies[a]));
    }
  }
  visit_origins(profile, [&](int function, int block, const Block& machine, const IrOrigins::Origin& origin) {
    for (const auto& [load, wait] : loads_of(machine, profile.forms, *origin.ir, memory, program)) {
      place(function, block, load, machine.count.value, part_of(wait, origin.part));
      for (int before : origin.arriving_from) arriving_[{function, block, load, before}] = wait;
    }
  });
}

void LoadWaits::place(int function, int block, int instruction, double executions, const Wait& wait) {
  if (wait.chances.empty()) return;
  merge(waits_[{function, block, instruction}], wait);
  serial_[{function, block}] += executions * wait.mean_ns();
}

double LoadWaits::draw(int function, int block, int instruction, int before) {
  const Wait* wait = nullptr;
  if (auto arriving = arriving_.find({function, block, instruction, before}); arriving != arriving_.end()) wait = &arriving->second;
  else if (auto any = waits_.find({function, block, instruction}); any != waits_.end()) wait = &any->second;
  if (!wait || wait->chances.empty()) return 0;
  state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
  double chance = static_cast<double>(state_ >> 11) / 9007199254740992.0;
  for (const auto& [share, ns] : wait->chances) {
    chance -= share;
    if (chance < 0) return ns;
  }
  return 0;
}

double LoadWaits::serial_ns(int function, int block) const {
  auto it = serial_.find({function, block});
  return it == serial_.end() ? 0 : it->second;
}

}  // namespace perfcast::engine

#include "frontends/machine_code/address_kinds.h"

#include <algorithm>
#include <map>
#include <set>

namespace perfcast::machine_code {
namespace {

struct Place {
  int block = 0, instruction = 0;
  auto operator<=>(const Place&) const = default;
};
using Places = std::set<Place>;

// A fixed place relative to a register: that register's units, and how far.
using Slot = std::pair<std::vector<int>, std::int64_t>;

// The body of one loop, those inside it included.
class LoopBody {
 public:
  LoopBody(const Function& function, const std::vector<InstructionForm>& forms, int loop) : function_(function), forms_(forms) {
    inside_.resize(function.blocks.size());
    before_.resize(function.blocks.size());
    for (std::size_t b = 0; b < function.blocks.size(); ++b)
      for (auto l = function.blocks[b].loop; l && !inside_[b]; l = function.loops[static_cast<std::size_t>(*l)].parent) inside_[b] = *l == loop;
    for (std::size_t b = 0; b < function.blocks.size(); ++b) {
      if (!inside_[b]) continue;
      for (const Edge& edge : function.blocks[b].next)
        if (edge.to >= 0 && inside_[static_cast<std::size_t>(edge.to)]) before_[static_cast<std::size_t>(edge.to)].push_back(static_cast<int>(b));
      const auto& code = function.blocks[b].code;
      for (std::size_t k = 0; k < code.size(); ++k)
        if (form_of(code[k]).store)
          if (auto slot = slot_of(code[k])) stores_[*slot].push_back({static_cast<int>(b), static_cast<int>(k)});
    }
  }

  // Loads of the loop that the address at this place is computed from, not looking through loads.
  Places behind_address(Place at) {
    Places loads;
    std::set<std::pair<Place, int>> seen;
    for (const RegisterUse& use : instruction(at).uses)
      if (use.address) behind_register(at, use.unit, seen, loads);
    return loads;
  }

 private:
  const InstructionForm& form_of(const Instruction& i) const { return forms_[static_cast<std::size_t>(i.form)]; }
  const Instruction& instruction(Place at) const {
    return function_.blocks[static_cast<std::size_t>(at.block)].code[static_cast<std::size_t>(at.instruction)];
  }
  std::optional<Slot> slot_of(const Instruction& i) const {
    if (form_of(i).indexed || form_of(i).write_back || !i.displacement) return {};
    std::vector<int> units;
    for (const RegisterUse& use : i.uses)
      if (use.address) units.push_back(use.unit);
    return Slot{std::move(units), *i.displacement};
  }

  // Definitions of a register that reach a place, from inside the loop.
  const Places& definitions(Place at, int unit) {
    auto [known, is_new] = definitions_.try_emplace({at, unit});
    Places& found = known->second;
    if (!is_new) return found;
    if (last_definition(at.block, at.instruction, unit, found)) return found;
    std::vector<int> open = before_[static_cast<std::size_t>(at.block)];
    std::set<int> seen(open.begin(), open.end());
    while (!open.empty()) {
      const int block = open.back();
      open.pop_back();
      if (last_definition(block, static_cast<int>(function_.blocks[static_cast<std::size_t>(block)].code.size()), unit, found)) continue;
      for (int next : before_[static_cast<std::size_t>(block)])
        if (seen.insert(next).second) open.push_back(next);
    }
    return found;
  }
  bool last_definition(int block, int before, int unit, Places& found) const {
    const auto& code = function_.blocks[static_cast<std::size_t>(block)].code;
    for (int k = before; k-- > 0;)
      if (std::ranges::any_of(code[static_cast<std::size_t>(k)].defs, [&](const RegisterUse& def) { return def.unit == unit; }))
        return found.insert({block, k}), true;
    return false;
  }

  void behind_register(Place at, int unit, std::set<std::pair<Place, int>>& seen, Places& loads) {
    for (Place from : Places(definitions(at, unit)))
      if (seen.insert({from, unit}).second) behind_definition(from, unit, seen, loads);
  }
  void behind_definition(Place at, int unit, std::set<std::pair<Place, int>>& seen, Places& loads) {
    const Instruction& i = instruction(at);
    const InstructionForm& form = form_of(i);
    if (i.same_sources) return;  // zero, whatever it was
    const bool moved_address = form.write_back && std::ranges::any_of(i.uses, [&](const RegisterUse& use) { return use.address && use.unit == unit; });
    const bool brings = form.load && !moved_address;
    if (brings) {
      auto stored = stores_.end();
      if (auto slot = slot_of(i)) stored = stores_.find(*slot);
      if (stored == stores_.end()) loads.insert(at);
      else
        for (Place store : stored->second)
          for (const RegisterUse& use : instruction(store).uses)
            if (!use.address) behind_register(store, use.unit, seen, loads);
    }
    for (const RegisterUse& use : i.uses)
      if (brings ? !use.address : !moved_address || use.address) behind_register(at, use.unit, seen, loads);
  }

  const Function& function_;
  const std::vector<InstructionForm>& forms_;
  std::vector<bool> inside_;
  std::vector<std::vector<int>> before_;  // blocks from which control comes, in the loop
  std::map<Slot, std::vector<Place>> stores_;
  std::map<std::pair<Place, int>, Places> definitions_;
};

// What depends on what, each load within its own innermost loop.
class Dependences {
 public:
  Dependences(const Function& function, const std::vector<InstructionForm>& forms) : function_(function), forms_(forms) {}

  void classify(Place at, Access& access) {
    const Places& direct = behind(at);
    const Places all = reachable(direct);
    const bool on_chase = std::ranges::any_of(all, [&](Place load) { return chases(load); });
    access.kind = !access.store && all.contains(at) ? AddressKind::chase
                  : on_chase                        ? AddressKind::dependent
                  : !all.empty()                    ? AddressKind::indexed
                                                    : AddressKind::regular;
    access.chain = deepest(direct);
  }

 private:
  // More than this is no loop one would read: the kinds there stay unknown, that is regular.
  static constexpr std::size_t most_blocks = 2000;

  const Places& behind(Place at) {
    auto [known, is_new] = behind_.try_emplace(at);
    const auto loop = function_.blocks[static_cast<std::size_t>(at.block)].loop;
    if (!is_new || !loop || function_.blocks.size() > most_blocks) return known->second;
    auto body = bodies_.find(*loop);
    if (body == bodies_.end()) body = bodies_.emplace(*loop, LoopBody(function_, forms_, *loop)).first;
    return behind_[at] = body->second.behind_address(at);
  }
  Places reachable(const Places& from) {
    Places found;
    std::vector<Place> open(from.begin(), from.end());
    while (!open.empty()) {
      const Place load = open.back();
      open.pop_back();
      if (!found.insert(load).second) continue;
      const Places& next = behind(load);
      open.insert(open.end(), next.begin(), next.end());
    }
    return found;
  }
  bool chases(Place load) {
    auto [known, is_new] = chases_.try_emplace(load, false);
    if (is_new) {
      const bool chase = reachable(behind(load)).contains(load);
      return chases_[load] = chase;
    }
    return known->second;
  }
  // Loads one after the other that the address waits for; a chase counts once.
  int deepest(const Places& loads) {
    int most = 0;
    for (Place load : loads) most = std::max(most, depth(load));
    return most;
  }
  int depth(Place load) {
    constexpr int most_depth = 8;
    auto [known, is_new] = depths_.try_emplace(load, 1);
    if (!is_new || chases(load)) return known->second;
    const int depth = std::min(most_depth, 1 + deepest(behind(load)));
    return depths_[load] = depth;
  }

  const Function& function_;
  const std::vector<InstructionForm>& forms_;
  std::map<int, LoopBody> bodies_;
  std::map<Place, Places> behind_;
  std::map<Place, bool> chases_;
  std::map<Place, int> depths_;
};

}  // namespace

void find_address_kinds(Function& function, const std::vector<InstructionForm>& forms) {
  Dependences dependences(function, forms);
  for (std::size_t b = 0; b < function.blocks.size(); ++b)
    for (Access& access : function.blocks[b].accesses) dependences.classify({static_cast<int>(b), access.index}, access);
}

}  // namespace perfcast::machine_code

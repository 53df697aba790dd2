#include "frontends/machine_code/traced_graph.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "frontends/machine_code/address_kinds.h"
#include "frontends/machine_code/loops.h"
#include "frontends/machine_code/traced_modules.h"

namespace perfcast::machine_code {
namespace {

// One instruction, with all that happened to it.
struct Site {
  Decoded decoded;
  double count = 0;
  Mispredictions mispredicted;
  double repetitions = 0;                 // of a repeated string instruction
  std::map<std::uint64_t, double> flow;   // to where control went next in the same function or by a jump
  std::map<std::uint64_t, double> calls;  // to where it called
  std::vector<const TracedAccess*> accesses = {};
};
using Sites = std::map<std::uint64_t, Site>;
constexpr std::uint64_t untraced = 0;  // where the program's own code would be, called back by a library
constexpr std::uint64_t page = 4096, longest_instruction = 15;  // bytes, of x86

// Control after the last instruction of a traced block.
void add_ending(Site& site, const InstructionForm& form, std::uint64_t address, std::uint64_t to, double count) {
  const std::uint64_t after = address + site.decoded.instruction.size;
  const bool branch = form.branch || form.call || form.ret;
  if (!branch && to == address) {  // rep movsb: qemu comes back for every repetition
    site.repetitions += count, site.count -= count;
  } else if (form.call) {
    site.calls[to == after ? untraced : to] += count;  // to come straight back is to call what is not traced
  } else if (!branch || (site.decoded.target && to != *site.decoded.target)) {
    site.flow[after] += count;  // falls through, or a signal handler ran in between
  } else {
    site.flow[to] += count;
  }
}

Sites sites_of(const Trace& trace, Decoder& decoder, FormTable& forms, std::vector<Gap>& gaps) {
  Sites sites;
  int unknown = 0;
  double unknown_executions = 0;
  for (const auto& block : trace.blocks) {
    std::uint64_t address = block.address;
    std::uint64_t last = 0;
    for (std::size_t at = 0; at < block.bytes.size();) {
      auto found = sites.find(address);
      if (found == sites.end()) {
        auto decoded = decoder.decode_one(std::span(block.bytes).subspan(at), address, forms);
        // An x86 instruction that crosses a page ends qemu's block before it but leaves the bytes read so far there;
        // it is whole in the next block.
        if (!decoded && last && address % page + longest_instruction > page) break;
        if (!decoded) {
          unknown++, unknown_executions += block.count;
          break;
        }
        found = sites.emplace(address, Site{std::move(*decoded), 0, 0, 0, {}, {}}).first;
      }
      if (last) sites[last].flow[address] += block.count;
      found->second.count += block.count;
      last = address;
      at += found->second.decoded.instruction.size, address += found->second.decoded.instruction.size;
    }
    if (!last) continue;
    Site& site = sites[last];
    site.mispredicted += block.mispredicted;
    for (auto [to, count] : block.next) add_ending(site, forms[site.decoded.instruction.form], last, to, count);
  }
  for (const TracedAccess& seen : trace.accesses)
    if (auto site = sites.find(seen.address); site != sites.end()) site->second.accesses.push_back(&seen);
  if (unknown)
    gaps.push_back({std::to_string(unknown) + (unknown == 1 ? " instruction is" : " instructions are") + " not known to LLVM 19", {}, unknown_executions});
  return sites;
}

// What came back from calls: the executions of the instruction after a call that nothing else explains.
void add_returns(Sites& sites, const FormTable& forms) {
  std::map<std::uint64_t, double> entered;
  for (const auto& [address, site] : sites)
    for (auto [to, count] : site.flow) entered[to] += count;
  for (auto& [address, site] : sites) {
    if (!forms[site.decoded.instruction.form].call) continue;
    const std::uint64_t after = address + site.decoded.instruction.size;
    auto next = sites.find(after);
    if (next == sites.end()) continue;
    const double returned = std::clamp(next->second.count - entered[after], 0.0, site.count);
    if (returned > 0) site.flow[after] += returned;
  }
}

class Builder {
 public:
  Builder(const Sites& sites, const TracedModules& modules, const FormTable& forms) : sites_(sites), modules_(modules), forms_(forms) {
    for (const auto& [address, site] : sites) {
      const Place place = modules.function_of(address);
      functions_[place].push_back(address);
      place_of_[address] = &functions_.find(place)->first;
    }
  }

  const std::map<Place, std::vector<std::uint64_t>>& functions() const { return functions_; }

  Function build(const Place& place, const std::vector<std::uint64_t>& addresses) const {
    Function f;
    f.name = place.name, f.readable = readable_name(place.name), f.at = modules_.declared_at(place);
    f.library_name = modules_.library(place.module);
    const std::uint64_t entry = entry_of(place, addresses);
    const std::vector<std::vector<std::uint64_t>> pieces = cut(addresses, entry);
    std::map<std::uint64_t, int> block_at;
    for (const auto& piece : pieces) block_at[piece.front()] = static_cast<int>(block_at.size());
    for (const auto& piece : pieces) f.blocks.push_back(block_of(place, piece));
    double inside = 0;
    for (std::size_t b = 0; b < pieces.size(); ++b)
      for (auto [to, count] : sites_.at(pieces[b].back()).flow) {
        if (auto next = block_at.find(to); next != block_at.end()) {
          f.blocks[b].next.push_back({next->second, {count, "", Certainty::counted}});
          if (to == entry) inside += count;
        } else {
          add_call(f.blocks[b], to, count);  // a jump out of the function
        }
      }
    f.calls.value = std::max(0.0, sites_.at(entry).count - inside);
    find_loops(f);
    find_address_kinds(f, forms_.forms());
    return f;
  }

  std::string callee(std::uint64_t to) const {
    auto known = place_of_.find(to);
    return known != place_of_.end() ? known->second->name : modules_.function_of(to).name;
  }

 private:
  static std::uint64_t entry_of(const Place& place, const std::vector<std::uint64_t>& addresses) {
    const bool ran = std::binary_search(addresses.begin(), addresses.end(), place.start);
    return ran ? place.start : addresses.front();
  }

  // Cuts at the function's entry, where control comes from elsewhere, and where counts change.
  std::vector<std::vector<std::uint64_t>> cut(const std::vector<std::uint64_t>& addresses, std::uint64_t entry) const {
    std::set<std::uint64_t> leaders{entry};
    for (std::uint64_t address : addresses) {
      const std::uint64_t after = address + sites_.at(address).decoded.instruction.size;
      for (auto [to, count] : sites_.at(address).flow)
        if (to != after) leaders.insert(to);
    }
    // Straight on, every time, and from nowhere else.
    auto follows = [&](std::uint64_t before, std::uint64_t address) {
      const Site &a = sites_.at(before), &b = sites_.at(address);
      const auto step = a.flow.find(address);
      return !a.decoded.ends_block && a.calls.empty() && step != a.flow.end() && step->second == a.count && a.count == b.count &&
             before + a.decoded.instruction.size == address;
    };
    std::vector<std::vector<std::uint64_t>> pieces;
    for (std::uint64_t address : addresses) {
      const bool joined = !pieces.empty() && !leaders.contains(address) && follows(pieces.back().back(), address);
      if (!joined) pieces.emplace_back();
      pieces.back().push_back(address);
    }
    auto first = std::find_if(pieces.begin(), pieces.end(), [&](auto& piece) { return piece.front() == entry; });
    std::rotate(pieces.begin(), first, first + 1);
    return pieces;
  }

  Block block_of(const Place& place, const std::vector<std::uint64_t>& piece) const {
    Block b;
    b.name = "at." + std::to_string(piece.front() - place.start);
    b.count.value = sites_.at(piece.front()).count;
    for (std::uint64_t address : piece) {
      const Site& site = sites_.at(address);
      Instruction i = site.decoded.instruction;
      const Location line = modules_.line_at(place.module, address);
      if (line.known()) {
        if (!b.at.known()) b.at = line;
        i.line = line.line;
        if (line.file != b.at.file) i.file = line.file;
      }
      for (auto [to, count] : site.calls) add_call(b, leads_back(place, to) ? untraced : to, count);
      if (site.mispredicted != Mispredictions()) b.mispredicted = site.mispredicted;
      if (site.repetitions > 0 && b.count.value > 0) b.usage["string repetitions"] += site.repetitions / b.count.value;
      for (const TracedAccess* seen : site.accesses) b.accesses.push_back(access_of(*seen, site, i, static_cast<int>(b.code.size())));
      b.code.push_back(std::move(i));
    }
    return b;
  }

  Access access_of(const TracedAccess& seen, const Site& site, const Instruction& instruction, int index) const {
    Access access = seen.access;
    access.index = index, access.line = instruction.line;
    access.bytes = forms_[instruction.form].memory_bytes;
    access.count = (site.count + site.repetitions) * seen.lines_per_execution;
    return access;
  }

  // A library does not use the program's stubs: its own code was called, which called on.
  bool leads_back(const Place& from, std::uint64_t to) const {
    if (to == untraced || modules_.own(from.module)) return false;
    const Place place = modules_.function_of(to);
    return modules_.own(place.module) && place.name.ends_with("@plt");
  }

  void add_call(Block& b, std::uint64_t to, double count) const {
    if (b.count.value <= 0) return;
    const std::string name = to == untraced ? "*" : callee(to);
    for (auto& call : b.calls)
      if (call.callee == name) return void(call.per_execution += count / b.count.value);
    b.calls.push_back({name, count / b.count.value});
  }

  const Sites& sites_;
  const TracedModules& modules_;
  const FormTable& forms_;
  std::map<Place, std::vector<std::uint64_t>> functions_;
  std::map<std::uint64_t, const Place*> place_of_;
};

}  // namespace

TracedGraph graph_of_trace(const Trace& trace, Decoder& decoder, FormTable& forms, const TracedGraphOptions& options) {
  TracedGraph result;
  Sites sites = sites_of(trace, decoder, forms, result.gaps);
  add_returns(sites, forms);
  std::set<std::uint64_t> targets;
  for (const auto& [address, site] : sites)
    for (auto [to, count] : site.calls)
      if (to != untraced) targets.insert(to);
  const TracedModules modules(trace, options.executable, std::move(targets));
  const Builder builder(sites, modules, forms);
  for (const auto& [place, addresses] : builder.functions()) {
    const bool stub = place.name.ends_with("@plt");
    Function f = builder.build(place, addresses);
    if (modules.own(place.module) && stub) result.library_calls[place.name.substr(0, place.name.size() - 4)] += f.calls.value;
    if (options.library_only && f.library_name.empty()) f.library_name = "[linked in]";
    f.library = !f.library_name.empty();
    result.graph.functions.push_back(std::move(f));
  }
  if (trace.overflowed) result.gaps.push_back({"more code than the trace could hold; what came last is missing", {}, 0});
  return result;
}

}  // namespace perfcast::machine_code

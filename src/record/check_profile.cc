// What a profile must hold beyond the shape of its JSON, so that no other part has to ask again.
#include "record/check.h"

namespace perfcast {
namespace {

// Instructions name registers by small numbers; an array of so many is kept for each simulated core.
constexpr int most_register_units = 100'000;
constexpr int widest_access_bytes = 1 << 20;
// Patterns of a machine are matched against names, by recursion.
constexpr std::size_t longest_name = 1000;

std::string at(const std::string& place, const char* list, std::size_t index) {
  return place + "/" + list + "/" + std::to_string(index);
}
bool below(int index, std::size_t size) { return index >= 0 && static_cast<std::size_t>(index) < size; }
void check_count(const Count& count, const std::string& place) { need(count.value >= 0, place, "a count is not negative"); }

// `parent(i)` is the loop around loop i, or none; n loops.
template <class Parent>
void check_nesting(std::size_t n, Parent parent, const std::string& place, const char* list) {
  for (std::size_t i = 0; i < n; i++) {
    auto around = parent(i);
    need(!around || below(*around, n), at(place, list, i) + "/parent", "there is no such loop");
  }
  // A walk to the outermost loop passes each loop once; what was found to end is not walked again.
  std::vector<char> ends(n, 0);
  for (std::size_t i = 0; i < n; i++) {
    std::size_t j = i, steps = 0;
    while (!ends[j] && parent(j)) {
      need(++steps <= n, at(place, list, i) + "/parent", "the loop lies in itself");
      j = static_cast<std::size_t>(*parent(j));
    }
    for (j = i; !ends[j]; j = static_cast<std::size_t>(*parent(j))) {
      ends[j] = 1;
      if (!parent(j)) break;
    }
  }
}

void check_instruction(const Instruction& instruction, std::size_t forms, const std::string& place) {
  need(below(instruction.form, forms), place + "/form", "there is no such form");
  for (const auto* list : {&instruction.defs, &instruction.uses})
    for (const RegisterUse& use : *list)
      need(use.unit >= 0 && use.unit < most_register_units && use.operand >= 0 && use.operand < most_register_units, place, "there is no such register");
  need(instruction.text.size() <= longest_name, place + "/text", "too long for an instruction");
  need(instruction.size >= 0 && instruction.size < widest_access_bytes, place + "/size", "not a size of an instruction");
}

void check_access(const Access& access, const std::string& place) {
  need(access.count >= 0 && access.bytes >= 0, place, "counts and sizes are not negative");
  need(access.index >= 0 && access.chain >= 0, place, "not a place among the accesses");
  for (double share : {access.cold, access.cold_near, access.unknown, access.stride_share})
    need(share >= 0 && share <= 2, place, "a share lies between 0 and 1");  // sampled ones may pass 1 by a little
  for (const auto* bins : {&access.lines, &access.pages, &access.dirtied, &access.meetings})
    for (const DistanceBin& bin : *bins)
      need(bin.distance >= 0 && bin.share >= 0 && bin.share <= 2 && bin.near >= 0, place, "distances and shares are not negative");
}

void check_block(const Block& block, const Function& function, std::size_t forms, const std::string& place) {
  check_count(block.count, place + "/count");
  need(!block.loop || below(*block.loop, function.loops.size()), place + "/loop", "there is no such loop");
  for (std::size_t i = 0; i < block.next.size(); i++) {
    need(below(block.next[i].to, function.blocks.size()), at(place, "next", i) + "/to", "there is no such block");
    check_count(block.next[i].count, at(place, "next", i) + "/count");
  }
  for (const auto& [operation, times] : block.usage) need(times >= 0, place + "/usage/" + operation, "a usage is not negative");
  for (const Call& call : block.calls) need(call.per_execution >= 0, place + "/calls", "calls are not negative");
  for (std::size_t i = 0; i < block.code.size(); i++) check_instruction(block.code[i], forms, at(place, "code", i));
  for (std::size_t i = 0; i < block.accesses.size(); i++) check_access(block.accesses[i], at(place, "accesses", i));
  need(!block.mispredicted || std::min(block.mispredicted->large, block.mispredicted->small) >= 0, place, "mispredictions are not negative");
}

void check_graph(const Graph& graph, std::size_t forms, const char* level) {
  for (std::size_t f = 0; f < graph.functions.size(); f++) {
    const Function& function = graph.functions[f];
    const std::string place = at(std::string("/") + level, "functions", f);
    check_count(function.calls, place + "/calls");
    for (std::size_t b = 0; b < function.blocks.size(); b++) check_block(function.blocks[b], function, forms, at(place, "blocks", b));
    for (std::size_t l = 0; l < function.loops.size(); l++) {
      need(below(function.loops[l].header, function.blocks.size()), at(place, "loops", l) + "/header", "there is no such block");
      check_count(function.loops[l].entries, at(place, "loops", l) + "/entries");
      check_count(function.loops[l].iterations, at(place, "loops", l) + "/iterations");
    }
    check_nesting(function.loops.size(), [&](std::size_t l) { return function.loops[l].parent; }, place, "loops");
  }
}

void check_form(const InstructionForm& form, const std::string& place) {
  constexpr int most = 10'000;  // far beyond any core
  auto small = [&](int value, const char* key) { need(value >= 0 && value <= most, place + "/" + key, "not a number an instruction has"); };
  need(form.opcode.size() <= longest_name, place + "/opcode", "too long for a name");
  small(form.micro_ops, "micro_ops"), small(form.vector_bits, "vector_bits");
  need(form.memory_bytes >= 0 && form.memory_bytes <= widest_access_bytes, place + "/memory_bytes", "not a number of bytes");
  for (int cycles : form.latency) small(cycles, "latency");
  for (int cycles : form.read_advance) need(cycles >= -most && cycles <= most, place + "/read_advance", "not a number of cycles");
  for (const PortUse& use : form.resources) small(use.cycles, "resources");
}

// How memory behaved at other sizes is computed with like the rest.
void check_scaling(const Scaling& scaling) {
  for (std::size_t m = 0; m < scaling.memory.size(); m++) {
    const std::string place = at("/scaling", "memory", m);
    for (std::size_t i = 0; i < scaling.memory[m].accesses.size(); i++) check_access(scaling.memory[m].accesses[i].access, at(place, "accesses", i));
  }
}

}  // namespace

void check_record(const Profile& profile) {
  for (std::size_t i = 0; i < profile.forms.size(); i++) check_form(profile.forms[i], at("", "forms", i));
  if (profile.source) check_graph(*profile.source, profile.forms.size(), "source");
  if (profile.ir) check_graph(*profile.ir, profile.forms.size(), "ir");
  if (profile.machine) check_graph(*profile.machine, profile.forms.size(), "machine");
  check_nesting(profile.source_loops.size(), [&](std::size_t l) { return profile.source_loops[l].parent; }, "", "source_loops");
  for (std::size_t l = 0; l < profile.source_loops.size(); l++) {
    const SourceLoop& loop = profile.source_loops[l];
    need(loop.entries >= 0 && loop.iterations >= 0, at("", "source_loops", l), "counts are not negative");
    for (const Recurrence& r : loop.recurrences) need(r.distance > 0, at("", "source_loops", l), "a recurrence reaches over at least one iteration");
    for (const Reference& r : loop.references) need(r.element_bytes > 0, at("", "source_loops", l), "an element has bytes");
  }
  if (profile.scaling) check_scaling(*profile.scaling);
  for (const auto& [routine, times] : profile.library_calls) need(times >= 0, "/library_calls/" + routine, "calls are not negative");
}

}  // namespace perfcast

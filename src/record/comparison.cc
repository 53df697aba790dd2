#include "record/comparison.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "record/operations.h"

namespace perfcast {
namespace {

bool is_measurement(const Json& json) { return json.is_object() && json.contains("value") && json["value"].is_number(); }

// The word by which an element of a list is known, if it has one. A rule is known by what it matches.
std::string name_of(const Json& element) {
  if (element.is_object() && element.contains("match")) {
    std::string name;
    for (const auto& [key, value] : element["match"].items())
      name += (name.empty() ? "" : " ") + (key == "opcode" && value.is_string() ? value.get<std::string>() : key + " " + (value.is_string() ? value.get<std::string>() : value.dump()));
    return name;
  }
  for (const char* key : {"name", "opcode", "opcodes"})
    if (element.is_object() && element.contains(key) && element[key].is_string()) return element[key];
  return "";
}

void collect(const Json& json, const std::string& section, const std::string& name, std::vector<NamedQuantity>& found) {
  if (is_measurement(json)) {
    Measurement measured;
    try {
      from_json_value(json, measured, "");
    } catch (const JsonMismatch&) {
      return;  // messages and threads are read by their own rooms, and may be of another version
    }
    found.push_back({section, name, std::move(measured)});
    return;
  }
  auto below = [&](const std::string& key) { return name.empty() ? key : name + " " + key; };
  if (json.is_object())
    for (const auto& [key, value] : json.items()) collect(value, section, below(key), found);
  if (json.is_array())
    for (const auto& element : json)
      if (std::string key = name_of(element); !key.empty()) collect(element, section, below(key), found);
}

const char* group_words(OperationGroup group) {
  switch (group) {
    case OperationGroup::arithmetic: return "arithmetic";
    case OperationGroup::logical: return "logical";
    case OperationGroup::control: return "control";
    case OperationGroup::array: return "array reference";
    case OperationGroup::intrinsic: return "intrinsic functions";
    case OperationGroup::conversion: return "conversion";
    case OperationGroup::memory: return "pointers and members";
    case OperationGroup::call: return "procedure call";
    case OperationGroup::library: return "library";
  }
  return "";
}

// The paper's regions: arithmetic apart by type, everything else by kind.
std::string region_of(const std::string& operation) {
  const auto* kind = find_operation(operation);
  if (!kind) return "other";
  if (kind->group != OperationGroup::arithmetic || operation.size() < 3) return group_words(kind->group);
  std::string type = operation.substr(1, 2);
  if (type == "RS") return "single real arithmetic";
  if (type == "RD") return "double real arithmetic";
  return "integer arithmetic";
}

// Geometric means in the order in which the groups first appear; the mean over all operations of a language last.
std::vector<ComparedGroup> groups_of(const std::vector<ComparedQuantity>& quantities, const std::set<std::string>& languages) {
  std::vector<ComparedGroup> groups, whole;
  auto enter = [](std::vector<ComparedGroup>& list, const std::string& name, const ComparedQuantity& q) {
    auto it = std::find_if(list.begin(), list.end(),
                           [&](const auto& g) { return g.section == q.section && g.name == name; });
    if (it == list.end()) it = list.insert(list.end(), {q.section, name, {}, {}});
    for (const auto& [machine, ratio] : q.relative) it->relative[machine] += std::log(ratio), it->operations[machine]++;
  };
  for (const auto& q : quantities)
    if (languages.contains(q.section)) enter(groups, region_of(q.name), q), enter(whole, "all operations", q);
  groups.insert(groups.end(), whole.begin(), whole.end());
  for (auto& group : groups)
    for (auto& [machine, log] : group.relative) log = std::exp(log / group.operations[machine]);
  std::erase_if(groups, [](const auto& group) { return group.relative.empty(); });
  return groups;
}

// Distances and repetitions: of all pairs, or of many machines between the reference and each of the others.
void compare_pairs(std::span<const Machine> machines, Comparison& comparison) {
  auto compare = [&](const Machine& a, const std::vector<NamedQuantity>& of_a, const Machine& b, const std::vector<NamedQuantity>& of_b) {
    auto distances = distances_between(of_a, of_b);
    for (auto& distance : distances) {
      distance.a = a.name, distance.b = b.name;
      comparison.distances.push_back(std::move(distance));
    }
    if (same_machine(a, b)) comparison.repetitions.push_back(repetition_of(a, b));
  };
  if (machines.size() > most_machines_in_pairs) {
    const Machine& reference = *std::ranges::find(machines, comparison.reference, &Machine::name);
    const auto of_reference = quantities_of(reference);
    for (const Machine& machine : machines)
      if (&machine != &reference) compare(reference, of_reference, machine, quantities_of(machine));
    return;
  }
  std::vector<std::vector<NamedQuantity>> known;
  for (const Machine& machine : machines) known.push_back(quantities_of(machine));
  for (std::size_t i = 0; i < machines.size(); i++)
    for (std::size_t j = i + 1; j < machines.size(); j++) compare(machines[i], known[i], machines[j], known[j]);
}

}  // namespace

std::string resource_of(const std::string& part) { return find_operation(part) ? region_of(part) : part; }

std::vector<NamedQuantity> quantities_of(const Machine& machine, Compilers compilers) {
  std::vector<NamedQuantity> found;
  std::set<std::string> sections;
  for (const auto& costs : machine.source) {
    std::string section = costs.language;
    if (compilers == Compilers::apart) section += " " + costs.compiler + " " + costs.flags;
    if (!sections.insert(section).second) continue;
    for (const auto& kind : source_operations())
      if (auto it = costs.costs.find(kind.name); it != costs.costs.end()) found.push_back({section, kind.name, it->second});
    for (const auto& [name, cost] : costs.costs)
      if (!find_operation(name)) found.push_back({section, name, cost});
  }
  Json json = to_json_value(machine);
  // Rules of instructions are many: a section of their own, beside the rest of the core.
  if (auto core = json.find("core"); core != json.end() && core->contains("instructions")) {
    Json rules = std::move((*core)["instructions"]);
    core->erase("instructions");
    json["instructions"] = std::move(rules);
  }
  for (const auto& [key, value] : json.items())
    if (key != "source" && key != "made_by" && key != "gaps") collect(value, is_measurement(value) ? "machine" : key,
                                                                      is_measurement(value) ? key : "", found);
  return found;
}

void tell_apart(std::vector<Machine>& machines) {
  std::map<std::string, int> seen;
  for (auto& machine : machines)
    if (int number = ++seen[machine.name]; number > 1) machine.name += "#" + std::to_string(number);
}

Comparison compare_machines(std::span<const Machine> machines, const std::string& reference) {
  Comparison comparison;
  comparison.reference = reference;
  std::map<std::pair<std::string, std::string>, std::size_t> index;
  std::set<std::string> languages;
  for (const auto& machine : machines) {
    comparison.machines.push_back(machine.name);
    for (const auto& costs : machine.source) languages.insert(costs.language);
    for (const auto& quantity : quantities_of(machine)) {
      auto [it, is_new] = index.try_emplace({quantity.section, quantity.name}, comparison.quantities.size());
      if (is_new) comparison.quantities.push_back({quantity.section, quantity.name, {}, {}});
      comparison.quantities[it->second].value[machine.name] = quantity.measured.value;
    }
  }
  std::erase_if(comparison.quantities, [](const auto& q) { return q.value.size() < 2; });
  for (auto& quantity : comparison.quantities) {
    auto base = quantity.value.find(reference);
    if (base == quantity.value.end() || base->second <= 0) continue;
    for (const auto& [machine, value] : quantity.value)
      if (value > 0) quantity.relative[machine] = value / base->second;
  }
  comparison.groups = groups_of(comparison.quantities, languages);
  compare_pairs(machines, comparison);
  return comparison;
}

}  // namespace perfcast

#include "record/machine.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <ctime>

#include "base/paths.h"
#include "record/profile.h"

namespace perfcast {

namespace {

// "clang" of "clang-19", "clang++-19" and "clang 19.1.7".
std::string compiler_family(const std::string& compiler) {
  std::string name = compiler.substr(compiler.rfind('/') == compiler.npos ? 0 : compiler.rfind('/') + 1);
  std::size_t end = 0;
  while (end < name.size() && std::isalpha(static_cast<unsigned char>(name[end]))) end++;
  std::string family = name.substr(0, end);
  return family == "g" ? "gcc" : family;  // g++
}

}  // namespace

int optimisation_level(const std::string& flags) {
  auto at = flags.rfind("-O");
  if (at == flags.npos) return 0;
  char c = at + 2 < flags.size() ? flags[at + 2] : '1';
  if (std::isdigit(static_cast<unsigned char>(c))) return c - '0';
  return c == 'f' ? 3 : c == 's' || c == 'z' ? 2 : 1;
}

const OperationCosts* Machine::costs_for(const std::string& language, const std::string& compiler,
                                         const std::string& flags) const {
  const OperationCosts* best = nullptr;
  int best_distance = 0;
  for (const auto& candidate : source) {
    if (candidate.language != language || candidate.costs.empty()) continue;
    int distance = 8 * std::abs(optimisation_level(candidate.flags) - optimisation_level(flags)) +
                   4 * (compiler_family(candidate.compiler) != compiler_family(compiler)) +
                   2 * (candidate.flags != flags) + (candidate.compiler != compiler);
    if (!best || distance < best_distance) best = &candidate, best_distance = distance;
  }
  return best;
}

MadeBy made_here() {
  MadeBy made;
  made.perfcast = program_version();
  utsname names{};
  if (::uname(&names) == 0) {
    made.host = names.nodename;
    made.system = std::string(names.sysname) + " " + names.release + " " + names.machine;
  }
  std::time_t now = std::time(nullptr);
  char text[32];
  if (std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now))) made.date = text;
  return made;
}

Json shape_to_json(const Count& count) {
  if (count.expression.empty() && count.certainty == Certainty::counted) return to_json_value(count.value);
  Json json = {{"value", to_json_value(count.value)}};
  if (!count.expression.empty()) json["is"] = count.expression;
  json["certainty"] = word_of(count.certainty);
  return json;
}

void shape_from_json(const Json& json, Count& count, const std::string& place) {
  count = {};
  if (json.is_number()) return from_json_value(json, count.value, place);
  JsonReader reader(json, place);
  reader("value", count.value), reader("is", count.expression), reader("certainty", count.certainty);
}

Json shape_to_json(const RegisterUse& use) {
  Json json = {use.unit, use.operand};
  if (use.address) json.push_back(1);
  return json;
}

void shape_from_json(const Json& json, RegisterUse& use, const std::string& place) {
  std::vector<int> numbers;
  from_json_value(json, numbers, place);
  if (numbers.size() < 2) throw JsonMismatch{place, "expected [unit, operand] or [unit, operand, 1]"};
  use = {numbers[0], numbers[1], numbers.size() > 2 && numbers[2] != 0};
}

Json shape_to_json(const DistanceBin& bin) {
  Json json = {to_json_value(bin.distance), to_json_value(bin.share)};
  if (bin.near != 0) json.push_back(to_json_value(bin.near));
  return json;
}

void shape_from_json(const Json& json, DistanceBin& bin, const std::string& place) {
  std::vector<double> numbers;
  from_json_value(json, numbers, place);
  if (numbers.size() < 2) throw JsonMismatch{place, "expected [distance, share] or [distance, share, near]"};
  bin = {numbers[0], numbers[1], numbers.size() > 2 ? numbers[2] : 0};
}

std::map<std::string, double> dynamic_usage(const Graph& graph) {
  std::map<std::string, double> total;
  for (const auto& function : graph.functions)
    for (const auto& block : function.blocks)
      for (const auto& [operation, times] : block.usage)
        if (block.count.value > 0) total[operation] += block.count.value * times;
  return total;
}

std::map<std::string, double> static_usage(const Graph& graph) {
  std::map<std::string, double> total;
  for (const auto& function : graph.functions)
    for (const auto& block : function.blocks)
      for (const auto& [operation, times] : block.usage) total[operation] += times;
  return total;
}

Machine refreshed(Machine known, Machine again) {
  auto take = [](auto& old, auto& now) { if (now) old = std::move(now); };
  if (!again.source.empty()) known.source = std::move(again.source);
  take(known.mflops, again.mflops), take(known.core, again.core), take(known.memory, again.memory);
  if (again.system) {
    SystemCosts& now = *again.system;
    SystemCosts& old = known.system ? *known.system : known.system.emplace();
    take(old.page_fault_ns, now.page_fault_ns), take(old.process_start_ns, now.process_start_ns);
    take(old.clock_resolution_ns, now.clock_resolution_ns), take(old.clock_overhead_ns, now.clock_overhead_ns);
    take(old.system_call_ns, now.system_call_ns), take(old.read_byte_ns, now.read_byte_ns), take(old.write_byte_ns, now.write_byte_ns);
    take(old.core_sharing, now.core_sharing), take(old.canary_cycles, now.canary_cycles);
    for (auto& [name, cost] : now.routines) old.routines[name] = std::move(cost);
  }
  if (!again.threads.is_null()) known.threads = std::move(again.threads);
  if (!again.messages.is_null()) known.messages = std::move(again.messages);
  known.gaps.insert(known.gaps.end(), again.gaps.begin(), again.gaps.end());
  known.description = std::move(again.description), known.made_by = std::move(again.made_by);
  return known;
}

}  // namespace perfcast

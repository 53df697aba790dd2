#include "record/machine.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <ctime>

#include "base/paths.h"
#include "record/profile.h"

namespace perfcast {

const OperationCosts* Machine::costs_for(const std::string& language, const std::string& compiler,
                                         const std::string& flags) const {
  const OperationCosts* best = nullptr;
  int best_score = -1;
  for (const auto& candidate : source) {
    if (candidate.language != language) continue;
    int score = 2 * (candidate.compiler == compiler) + (candidate.flags == flags);
    if (score > best_score) best = &candidate, best_score = score;
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

}  // namespace perfcast

#include "record/record_file.h"

#include "base/paths.h"
#include "record/check.h"
#include "record/demand.h"
#include "record/dilation.h"
#include "record/choice.h"
#include "record/gate.h"
#include "record/bounds.h"
#include "record/equation.h"
#include "record/machine.h"
#include "record/network.h"
#include "record/prediction.h"
#include "record/profile.h"
#include "record/use_tree.h"
#include "record/validation.h"

namespace perfcast {

// Preferred to the templates in the records' headers where a record is read; reading is instantiated here alone.
void describe(JsonReader& fields, Profile& profile) {
  describe<JsonReader>(fields, profile);
  check_record(profile);
}
void describe(JsonReader& fields, Machine& machine) {
  describe<JsonReader>(fields, machine);
  check_record(machine);
}
void describe(JsonReader& fields, Equation& equation) {
  describe<JsonReader>(fields, equation);
  check_record(equation);
}
void describe(JsonReader& fields, UseTree& tree) {
  describe<JsonReader>(fields, tree);
  check_record(tree);
}

PERFCAST_RECORD_FILE(, DemandProfile)
PERFCAST_RECORD_FILE(, Dilation)
PERFCAST_RECORD_FILE(, Choice)
PERFCAST_RECORD_FILE(, Gate)
PERFCAST_RECORD_FILE(, Bounds)
PERFCAST_RECORD_FILE(, CostFile)
PERFCAST_RECORD_FILE(, Equation)
PERFCAST_RECORD_FILE(, Machine)
PERFCAST_RECORD_FILE(, Network)
PERFCAST_RECORD_FILE(, ParallelPlan)
PERFCAST_RECORD_FILE(, Profile)
PERFCAST_RECORD_FILE(, Prediction)
PERFCAST_RECORD_FILE(, UseTree)
PERFCAST_RECORD_FILE(, Validation)

std::string format_of(const Json& json) {
  if (!json.is_object()) return "";
  auto it = json.find("format");
  return it != json.end() && it->is_string() ? it->get<std::string>() : "";
}

Status check_format(const Json& json, const std::string& format, int version, const std::string& name) {
  std::string found = format_of(json);
  if (found.empty()) return unfit("this is not a perfcast file (no \"format\")", name);
  if (found != format) return unfit("this is a " + found + " file; a " + format + " file is wanted here", name);
  auto it = json.find("version");
  if (it == json.end() || !it->is_number_integer()) return unfit("the file has no version number", name);
  auto number = it->get<std::int64_t>();
  if (number > version)
    return unfit("the file has version " + std::to_string(number) + " of " + format + "; perfcast " +
                     program_version() + " reads up to version " + std::to_string(version),
                 name, "use a newer perfcast");
  if (number < 1) return unfit("there is no version " + std::to_string(number) + " of " + format, name);
  return {};
}

}  // namespace perfcast

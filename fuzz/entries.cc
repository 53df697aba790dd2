#include "fuzz/entries.h"

#include "fuzz/entry_functions.h"

namespace perfcast::fuzz {
namespace {

constexpr Entry all[] = {
    {"bounds", ".bounds.json expected.json", read_bounds},
    {"cost", ".cost.json", read_cost},
    {"demand", ".demand.json", read_demand},
    {"design", ".design", read_design},
    {"dilated", ".rank.json", read_dilated},
    {"dilation", ".dilation.json", read_dilation},
    {"equation", ".equation.json", read_equation},
    {"experiments", ".experiments", read_experiments},
    {"expression", ".cost.json", read_expression},
    {"forms", "x86_64.txt aarch64.txt", read_forms},
    {"machine", ".machine.json", read_machine},
    {"messages", ".trace", read_messages},
    {"network", ".network.json", read_network},
    {"plan", "plan.json", read_plan},
    {"prediction", "expected.json", read_prediction},
    {"profile", ".profile.json", read_profile},
    {"runs", "runs.json", read_runs},
    {"scaled_profile", ".profile.json", read_scaled_profile},
    {"shown", "expected.json", read_shown},
    {"skeleton", ".skeleton.json", read_tree_skeleton},
    {"sorting", ".sorting.json", read_sorting},
    {"static", ".static.json", read_static},
    {"suite", "suite.json", read_suite},
    {"team", ".threads", read_thread_record},
    {"template", ".template", read_template},
    {"tree", "expected.json", read_tree},
    {"validation", "expected.json", read_validation},
};

}  // namespace

std::span<const Entry> entries() { return all; }

const Entry* entry_named(const std::string& name) {
  for (const Entry& entry : all)
    if (name == entry.name) return &entry;
  return nullptr;
}

}  // namespace perfcast::fuzz

// The entries one by one; entries.cc lists them.
#pragma once

#include <string>

namespace perfcast::fuzz {

// entries_records.cc: records and what reports make of them.
void read_bounds(const std::string& text);
void read_demand(const std::string& text);
void read_dilation(const std::string& text);
void read_equation(const std::string& text);
void read_machine(const std::string& text);
void read_prediction(const std::string& text);
void read_profile(const std::string& text);
void read_runs(const std::string& text);
// Records that are only shown: choices, comparisons, gates, regressions, studies.
void read_shown(const std::string& text);
void read_tree(const std::string& text);
void read_validation(const std::string& text);
// The same reader as read_profile, followed by what is slow: bounds, use-trees and equations.
void read_scaled_profile(const std::string& text);

// entries_recorded.cc: what libraries loaded into programs leave behind, tables of measurements.
void read_dilated(const std::string& text);
void read_experiments(const std::string& text);
void read_forms(const std::string& text);
void read_messages(const std::string& text);
void read_thread_record(const std::string& text);

// entries_texts.cc: what people write by hand.
void read_cost(const std::string& text);
void read_design(const std::string& text);
void read_expression(const std::string& text);
void read_network(const std::string& text);
void read_plan(const std::string& text);
void read_sorting(const std::string& text);
void read_static(const std::string& text);
void read_suite(const std::string& text);
void read_template(const std::string& text);
void read_tree_skeleton(const std::string& text);

}  // namespace perfcast::fuzz

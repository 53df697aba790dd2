// Records: read, written and read again, then shown and computed with as the commands do.
#include <cmath>

#include "base/assert.h"
#include "engine/compiled_cost.h"
#include "fuzz/entry_functions.h"
#include "fuzz/record_in.h"
#include "methods/bounds/bounds.h"
#include "methods/choose/choose.h"
#include "methods/gate/gate.h"
#include "methods/graph/graph.h"
#include "methods/models/models.h"
#include "methods/parallel/parallel.h"
#include "methods/predict/predict.h"
#include "methods/scale/features.h"
#include "methods/scale/regression.h"
#include "methods/scale/scale.h"
#include "methods/tree/tree.h"
#include "record/comparison.h"
#include "record/library.h"
#include "report/bounds_text.h"
#include "report/call_tree.h"
#include "report/characterization_text.h"
#include "report/choice_text.h"
#include "report/dilation_text.h"
#include "report/equation_text.h"
#include "report/gate_text.h"
#include "report/comparison_text.h"
#include "report/machine_text.h"
#include "report/markdown.h"
#include "report/parallel_text.h"
#include "report/prediction_text.h"
#include "report/profile_digest.h"
#include "report/profile_text.h"
#include "report/scale_text.h"
#include "report/statistics.h"
#include "report/study_text.h"
#include "report/tree_text.h"
#include "report/validation_text.h"

namespace perfcast::fuzz {
namespace {

const Machine& toy() {
  static const Machine machine = find_machine("toy").value();
  return machine;
}

std::vector<Profile> some_profiles() {
  std::vector<Profile> all;
  const std::string golden = std::string(PERFCAST_SOURCE_DIR) + "/tests/golden/";
  for (const char* name : {"bounds/toy-daxpy/toy-daxpy.profile.json", "predict/toy-all-json/tiny.profile.json", "predict/ranks/ring.profile.json"})
    all.push_back(read_record<Profile>(golden + name).value());
  return all;
}

void predict_everywhere(const Profile& profile, const Machine& machine) {
  predict::PredictOptions options;
  options.models = {Model::dbc, Model::poc, Model::hllc, Model::intcc};
  // What icc does, with fewer instructions.
  if (auto cost = engine::compiled_cost(profile, machine, {.instructions = 4000, .walk = 400, .warm_up = 100, .mispredictions = true, .extra_load_cycles = {}}))
    ensure(std::isfinite(cost->seconds()), "a time is not finite");
  auto prediction = predict::predict(profile, std::span(&machine, 1), options);
  if (!prediction) return;
  record_text(*prediction);
  report::prediction_text(*prediction);
  report::prediction_markdown(*prediction);
  for (const auto& one : prediction->predictions) {
    report::collapsed_stacks(report::call_tree(profile, one));
    if (auto gate = gate::compare(one, one)) report::gate_text(*gate);
    for (int ranks : {0, 3})
      if (auto many = parallel::on_ranks(one, profile, machine, {.ranks = ranks, .threads = 0, .set = {}, .path = {}, .network = {}, .platform = {}, .pattern = {}})) (void)many;
    if (auto many = parallel::on_threads(one, profile, machine, {.ranks = 0, .threads = 4, .set = {}, .path = {}, .network = {}, .platform = {}, .pattern = {}})) (void)many;
  }
  std::vector<std::string> machines = {machine.name};
  auto choice = choose::choose(std::span(&*prediction, 1), machines);
  record_text(choice);
  report::choice_text(choice);
}

}  // namespace

void read_profile(const std::string& text) {
  auto profile = record_in<Profile>(text);
  if (!profile) return;
  report::profile_text(*profile);
  report::parallel_text(*profile);
  record_text(report::digest_profile(*profile));
  report::source_statistics_text(*profile);
  models::overview({.have = {.any_program = true, .profile = &*profile, .machine = &toy()}, .seen = {}});
  predict_everywhere(*profile, toy());
  gate::counted_part(*profile);
  for (const char* level : {"source", "ir", "machine"})
    if (auto design = graph::design_of(*profile, level, "main")) graph::draw_dot(*design), graph::timing_formula(*design);
}

void read_scaled_profile(const std::string& text) {
  auto profile = record_in<Profile>(text);
  if (!profile) return;
  bounds::BoundsOptions few;
  few.instructions = 6'000;
  if (auto answer = bounds::bounds(*profile, toy(), few)) record_text(*answer), report::bounds_text(*answer);
  bounds::listing(*profile);
  tree::TreeOptions no_ranking;
  no_ranking.rank = false, no_ranking.instructions = 4000;
  if (auto answer = tree::make_tree(*profile, toy(), no_ranking)) record_text(*answer), report::tree_text(*answer);
  scale::ScaleOptions options;
  options.at = {{{"N", 1000}}}, options.instructions = 4000;
  options.sensitivity = {"all"};
  if (auto answer = scale::scale(*profile, toy(), options)) record_text(*answer), report::equation_text(*answer);
}

void read_machine(const std::string& text) {
  auto machine = record_in<Machine>(text);
  if (!machine) return;
  report::machine_text(*machine);
  report::characterization_text(*machine, 0.9, true), report::characterization_text(*machine, 0.9, false);
  report::parallel_costs_text(*machine);
  std::vector<Machine> both = {toy(), *machine};
  both[1].name += "'";  // two machines of one name are refused before
  auto comparison = compare_machines(both, both[0].name);
  record_text(comparison);
  report::comparison_text(comparison);
  static const std::vector<Profile> profiles = some_profiles();
  for (const Profile& profile : profiles) predict_everywhere(profile, *machine);
}

void read_prediction(const std::string& text) {
  auto prediction = record_in<Prediction>(text);
  if (!prediction) return;
  report::prediction_text(*prediction);
  report::prediction_markdown(*prediction);
  std::vector<std::string> machines;
  for (const auto& one : prediction->predictions) machines.push_back(one.machine);
  record_text(choose::choose(std::span(&*prediction, 1), machines, {{{"toy", 2.0}}, 10.0}));
}

void read_validation(const std::string& text) {
  auto validation = record_in<Validation>(text);
  if (!validation) return;
  report::validation_text(*validation);
  report::validation_markdown(*validation);
  models::overview({.have = {}, .seen = *validation});
}

void read_bounds(const std::string& text) {
  if (auto bounds = record_in<Bounds>(text)) report::bounds_text(*bounds);
}

void read_equation(const std::string& text) {
  if (auto equation = record_in<Equation>(text)) report::equation_text(*equation), report::equations_text({*equation, *equation});
}

void read_runs(const std::string& text) {
  auto runs = record_in<TimedRuns>(text);
  if (!runs) return;
  auto regression = scale::fit_costs(runs->runs);
  if (!regression) return;
  record_text(*regression), report::regression_text(*regression);
  static const Profile profile = read_record<Profile>(std::string(PERFCAST_SOURCE_DIR) + "/tests/golden/scale/equation/triangle.profile.json").value();
  scale::ScaleOptions options;
  options.at = {{{"N", 1000}}}, options.instructions = 4000;
  if (auto equation = scale::scale_by_regression(profile, *regression, options)) record_text(*equation), report::equation_text(*equation);
}

void read_shown(const std::string& text) {
  if (auto choice = record_in<Choice>(text)) report::choice_text(*choice);
  if (auto comparison = record_in<Comparison>(text)) report::comparison_text(*comparison);
  if (auto gate = record_in<Gate>(text)) report::gate_text(*gate);
  if (auto regression = record_in<Regression>(text)) report::regression_text(*regression);
  if (auto study = record_in<Study>(text)) report::study_text(*study);
}

void read_tree(const std::string& text) {
  auto tree = record_in<UseTree>(text);
  if (!tree) return;
  report::tree_text(*tree);
  tree::compare(*tree, *tree);
}

void read_dilation(const std::string& text) {
  auto dilation = record_in<Dilation>(text);
  if (!dilation) return;
  report::dilation_text(*dilation);
  if (auto tree = tree::make_tree(*dilation)) record_text(*tree), report::tree_text(*tree);
}

void read_demand(const std::string& text) {
  auto demand = record_in<DemandProfile>(text);
  if (!demand) return;
  if (auto tree = tree::make_tree(*demand)) record_text(*tree), report::tree_text(*tree);
}

}  // namespace perfcast::fuzz

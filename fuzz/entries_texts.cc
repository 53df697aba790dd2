// What people write by hand: expressions, cost files, networks, plans, suites, designs, templates, use-tree skeletons.
#include "base/assert.h"
#include "base/files.h"
#include "base/json.h"
#include "engine/network/network.h"
#include "expr/algebra.h"
#include "expr/parse.h"
#include "expr/print.h"
#include "expr/program.h"
#include "fuzz/entry_functions.h"
#include "fuzz/record_in.h"
#include "methods/graph/graph.h"
#include "methods/parallel/templates.h"
#include "methods/scale/model.h"
#include "methods/scale/scale.h"
#include "methods/scale/static_model.h"
#include "methods/tree/skeleton.h"
#include "methods/tree/tree.h"
#include "methods/validate/suite.h"
#include "record/equation.h"
#include "record/library.h"
#include "record/messages.h"
#include "record/network.h"
#include "report/equation_text.h"
#include "report/scale_text.h"
#include "report/tree_text.h"

namespace perfcast::fuzz {
void read_expression(const std::string& text) {
  auto parsed = expr::parse(text, "fuzz", {.characters = 4096, .depth = 100, .nodes = 2000});
  if (!parsed) return;
  const std::string printed = expr::text(*parsed);
  ensure(expr::parse(printed).has_value(), "an expression we wrote cannot be read");
  expr::latex(*parsed);
  std::map<std::string, double> values;
  std::vector<std::string> names;
  for (const auto& name : expr::symbols_of(*parsed)) values[name] = 3, names.push_back(name);
  (void)expr::evaluate(*parsed, values);
  expr::Expr simple = expr::simplify(*parsed);
  expr::text(simple);
  if (!names.empty()) expr::text(expr::derivative(*parsed, names.front()));
  if (auto program = expr::Program::compile(*parsed, names)) (*program)(std::vector<double>(names.size(), 3.0));
  expr::c_source(*parsed, "f", names);
}

void read_cost(const std::string& text) {
  auto cost = record_in<CostFile>(text);
  if (!cost) return;
  auto optimum = scale::optimum(expr::parse_trusted("1e-9*N^3/P + 1e-6*P"), *cost, {{"N", 100}, {"P", 4}});
  if (optimum) to_json_value(*optimum);
}

void read_network(const std::string& text) {
  auto network = record_in<Network>(text);
  if (!network || !engine::check_network(*network, "fuzz")) return;
  for (const auto& [name, cost] : network->patterns)
    (void)engine::pattern_seconds(*network, name, 16, 1000, {{"startup", 1e-6}, {"per_byte", 1e-9}});
}

void read_plan(const std::string& text) {
  scale::ScaleOptions options;
  options.plan = record_in<ParallelPlan>(text);
  if (!options.plan) return;
  static const Machine machine = find_machine("toy").value();
  static const Profile profile = read_record<Profile>(std::string(PERFCAST_SOURCE_DIR) + "/tests/golden/scale/plan/triangle.profile.json").value();
  options.at = {{{"N", 1000}, {"P", 8}}}, options.instructions = 4000;
  if (auto equation = scale::scale(profile, machine, options)) record_text(*equation), report::equation_text(*equation);
}

void read_static(const std::string& text) {
  auto problem = record_in<StaticProblem>(text);
  if (!problem) return;
  if (auto solved = scale::solve_static(std::move(*problem), {})) record_text(*solved), report::static_text(*solved);
}

void read_sorting(const std::string& text) {
  auto study = record_in<SortingStudy>(text);
  if (!study) return;
  if (auto solved = scale::solve_sorting(std::move(*study))) record_text(*solved), report::sorting_text(*solved);
}

void read_suite(const std::string& text) { (void)validate::parse_suite(text, "fuzz"); }

void read_tree_skeleton(const std::string& text) {
  record_in<tree::Skeleton>(text);
  auto json = parse_json(text, "fuzz");
  if (!json) return;
  auto skeleton = tree::skeleton_in(*json, "fuzz");
  if (!skeleton) return;
  std::string star;
  auto visit = [&](auto&& self, const tree::SkeletonNode& node) -> void {
    for (const auto& pattern : node.takes) tree::fits(pattern, "scalar/integer:ports", &star);
    for (const auto& child : node.children) self(self, child);
  };
  visit(visit, skeleton->root);
  const TemporaryFolder folder = TemporaryFolder::make("fuzz").value();  // not kept: children of the plain fuzzer end without ado
  static const Machine machine = find_machine("toy").value();
  static const Profile profile = read_record<Profile>(std::string(PERFCAST_SOURCE_DIR) + "/tests/golden/bounds/toy-daxpy/toy-daxpy.profile.json").value();
  tree::TreeOptions options;
  options.skeleton = folder.file("skeleton.json"), options.rank = false, options.instructions = 4000;
  ensure(write_file(options.skeleton, text).has_value(), "no place for a skeleton");
  if (auto tree = tree::make_tree(profile, machine, options)) record_text(*tree), report::tree_text(*tree);
}

void read_design(const std::string& text) {
  auto design = graph::parse_design(text, "fuzz");
  if (!design) return;
  graph::check(*design);
  graph::timing_formula(*design);
  graph::draw_text(*design);
  graph::draw_dot(*design);
  (void)graph::counted_steps(*design);
  if (auto profile = graph::profile_of(*design)) {
    auto back = record_from_json<Profile>(*parse_json(record_text(*profile), "design"), "design");
    ensure(back.has_value(), "the profile of a design cannot be read");
  }
}

void read_template(const std::string& text) {
  auto pattern = parallel::parse_template(text, "fuzz");
  if (!pattern) return;
  parallel::template_formula(*pattern);
  MessagePath path;
  path.name = "fuzz", path.regimes = {{"eager", 0, 1000, 0.1}, {"rendezvous", 65536, 3000, 0.1}};
  parallel::TemplateUse use{{{"P", 4}, {"N", 100}}, 1};
  (void)parallel::template_time(*pattern, use, path);
  (void)parallel::template_skeleton(*pattern, use);
}

}  // namespace perfcast::fuzz

// perfcast graph: the execution graph of a design or an analysed program, drawn, checked, as a formula.
#include <fmt/format.h>

#include <memory>

#include "base/text.h"
#include "cli/command.h"
#include "cli/common.h"
#include "cli/models.h"
#include "cli/program.h"
#include "methods/graph/graph.h"

namespace perfcast::cli {
namespace {

struct GraphArguments {
  std::string program, level = "source", function, draw = "text";
  std::vector<std::string> settings;
  OutputOptions output;
};

Result<graph::Design> load(const GraphArguments& arguments) {
  if (is_design_file(arguments.program)) return graph::read_design(design_path(arguments.program));
  TRY(Profile profile, find_profile(arguments.program));
  return graph::design_of(profile, arguments.level, arguments.function);
}

Status run(GraphArguments& arguments) {
  TRY(auto set, settings_of(arguments.settings));
  TRY(graph::Design design, load(arguments));
  if (arguments.draw == "dot") return write_file(arguments.output.file, graph::draw_dot(design));
  std::vector<std::string> doubts;  // of what was written by hand; the operations of code are its own
  if (is_design_file(arguments.program)) doubts = graph::check(design, set);
  TRY(auto steps, graph::counted_steps(design, set));
  if (arguments.output.json()) {
    Json json = {{"format", "perfcast.graph"}, {"version", 1}, {"name", design.name}, {"formula", graph::timing_formula(design)}};
    json["steps"] = Json::array();
    for (const auto& s : steps) {
      Json usage = Json::object();
      for (const auto& [resource, amount] : s.step->usage) usage[resource] = amount;
      json["steps"].push_back({{"name", s.step->name}, {"count", to_json_value(s.count)}, {"is", s.expression}, {"usage", usage}});
    }
    json["doubts"] = doubts;
    return write_file(arguments.output.file, json.dump(1) + "\n");
  }
  Table table({"step", "times", "is"});
  for (const auto& s : steps) table.add({s.step->name, number_text(s.count, 6), s.expression});
  std::string text = graph::draw_text(design) + "\n" + graph::timing_formula(design) + "\n\n" + table.text();
  for (const auto& doubt : doubts) text += "doubt: " + doubt + "\n";
  return arguments.output.file == "-" ? write_text(text) : write_file(arguments.output.file, text);
}

}  // namespace

void add_graph(CLI::App& app, Action& action) {
  auto a = std::make_shared<GraphArguments>();
  app.add_option("program", a->program, "A design (a .design file, or the name of a bundled one), or a profile")->required();
  app.add_option("--level", a->level, "Of a profile")->check(CLI::IsMember({"source", "ir", "machine"}))->capture_default_str();
  app.add_option("--function", a->function, "Of a profile; default: the one that does most");
  app.add_option("--draw", a->draw, "How to draw it")->check(CLI::IsMember({"text", "dot"}))->capture_default_str();
  app.add_option("--set", a->settings, "A parameter other than in the design, NAME=VALUE; repeatable")->allow_extra_args(false);
  add_output_options(app, a->output);
  action = [a] { return run(*a); };
}

}  // namespace perfcast::cli

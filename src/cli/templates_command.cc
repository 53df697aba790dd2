// perfcast templates: parallel templates listed, shown, and evaluated.
#include <memory>

#include "base/text.h"
#include "cli/command.h"
#include "cli/common.h"
#include "cli/models.h"
#include "engine/messages/replay.h"
#include "expr/print.h"
#include "methods/parallel/parallel.h"

namespace perfcast::cli {
namespace {

struct TemplatesArguments {
  std::string name, machine, path;
  std::vector<std::string> settings;
  double work = 0;
  bool play = false;
  OutputOptions output;
};

Status list(const TemplatesArguments& arguments) {
  Table table({"template", "what it does"});
  Json json = {{"format", "perfcast.templates"}, {"version", 1}, {"templates", Json::array()}};
  for (const auto& t : parallel::list_templates()) {
    table.add({t.name, t.summary});
    json["templates"].push_back({{"name", t.name}, {"summary", t.summary}, {"file", t.path}});
  }
  return emit_json(json, table.text(), arguments.output);
}

Status show(const TemplatesArguments& arguments) {
  TRY(parallel::Template t, parallel::find_template(arguments.name));
  std::string text = t.name + ": " + t.summary + "\n\n" + parallel::template_formula(t) + "\n(W: seconds of the whole work on one rank)\n\n";
  Table parameters({"parameter", "default", "meaning"});
  for (const auto& p : t.parameters) parameters.add({p.name, p.value ? number_text(*p.value) : "-", p.remark});
  text += parameters.text();
  Json json = {{"format", "perfcast.template"}, {"version", 1}, {"name", t.name}, {"summary", t.summary}, {"formula", parallel::template_formula(t)}};
  if (!arguments.settings.empty()) {
    TRY(auto set, settings_of(arguments.settings));
    if (auto unknown = parallel::unknown_setting(t, set)) return wrong_usage("the template " + t.name + " has no parameter " + *unknown, "perfcast templates " + arguments.name);
    TRY(std::vector<Machine> machines, load_machines(arguments.machine.empty() ? std::vector<std::string>{} : std::vector{arguments.machine}));
    TRY(MessagePath path, parallel::path_of(machines[0], arguments.path));
    parallel::TemplateUse use{set, arguments.work};
    TRY(parallel::TemplateTime time, parallel::template_time(t, use, path));
    Table table({"on " + machines[0].name, "seconds"});
    table.add({"computation", time_text(time.computation)});
    table.add({"communication", time_text(time.communication)});
    table.add({"waiting", time_text(time.waiting)});
    table.rule();
    table.add({"all", time_text(time.seconds)});
    json["seconds"] = time.seconds, json["computation"] = time.computation, json["communication"] = time.communication, json["waiting"] = time.waiting;
    if (arguments.play) {
      TRY(Skeleton skeleton, parallel::template_skeleton(t, use));
      TRY(engine::ReplayResult played, engine::replay(skeleton, path));
      table.add({"all, its program played", time_text(played.seconds)});
      json["played"] = played.seconds, json["messages"] = played.messages;
    }
    text += "\n" + table.text();
  }
  return emit_json(json, text, arguments.output);
}

}  // namespace

void add_templates(CLI::App& app, Action& action) {
  auto a = std::make_shared<TemplatesArguments>();
  app.add_option("template", a->name, "A template: its name or file; without one they are listed");
  app.add_option("--set", a->settings, "A parameter, NAME=VALUE; repeatable: P=8 N=1000")->allow_extra_args(false);
  app.add_option("--work", a->work, "Seconds of the whole work on one rank")->check(zero_or_above())->capture_default_str();
  app.add_option("--machine", a->machine, "Whose messages; default: the default machine");
  app.add_option("--path", a->path, "How messages travel; default: the machine's first");
  app.add_flag("--play", a->play, "Also play the template's program, rank by rank");
  add_output_options(app, a->output);
  action = [a] { return a->name.empty() ? list(*a) : show(*a); };
}

}  // namespace perfcast::cli

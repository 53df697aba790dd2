// A subcommand is one short file with one function: it declares its options on `app` and says what to do in `action`.
// Adding a command is adding a file and a line in the table of main.cc. Only this folder touches argv, standard
// output and the exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "base/result.h"

namespace perfcast::cli {

using Action = std::function<Status()>;

void add_analyze(CLI::App& app, Action& action);
void add_bounds(CLI::App& app, Action& action);
void add_characterize(CLI::App& app, Action& action);
void add_choose(CLI::App& app, Action& action);
void add_dilate(CLI::App& app, Action& action);
void add_completion(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_gate(CLI::App& app, Action& action);
void add_graph(CLI::App& app, Action& action);
void add_help(CLI::App& app, Action& action);
void add_machines(CLI::App& app, Action& action);
void add_models(CLI::App& app, Action& action);
void add_predict(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_scale(CLI::App& app, Action& action);
void add_show(CLI::App& app, Action& action);
void add_tree(CLI::App& app, Action& action);
void add_study(CLI::App& app, Action& action);
void add_templates(CLI::App& app, Action& action);
void add_validate(CLI::App& app, Action& action);

}  // namespace perfcast::cli

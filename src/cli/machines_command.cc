#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/common.h"

namespace perfcast::cli {
namespace {

Status list() {
  Table table({"machine", "kind", "description"});
  for (const auto& named : list_machines()) {
    auto machine = find_machine(named.path);
    table.add({named.name, named.bundled ? "bundled" : "saved",
               machine ? machine->description : "unreadable: " + machine.error().what});
  }
  return write_file("-", table.text());
}

}  // namespace

void add_machines(CLI::App& app, Action& action) {
  app.add_subcommand("list", "The machines that can be named")->callback([&action] { action = list; });
  action = list;
}

}  // namespace perfcast::cli

// perfcast help: the pages of docs/ in the terminal, and the man page; perfcast completion: for shells.
#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/paths.h"
#include "base/fold.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/command_pages.h"
#include "cli/common.h"

namespace perfcast::cli {
namespace {

namespace fs = std::filesystem;

// Installed beside the bundled data; in the source tree beside data/.
fs::path docs_folder() {
  std::error_code ignored;
  fs::path installed = bundled_data() / "docs";
  return fs::is_directory(installed, ignored) ? installed : bundled_data().parent_path() / "docs";
}

std::vector<std::string> topics() {
  std::vector<std::string> list;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(docs_folder(), error))
    if (entry.path().extension() == ".md") list.push_back(entry.path().stem().string());
  std::ranges::sort(list);
  return list;
}

// The title of a page.
std::string title_of(const std::string& topic) {
  auto text = read_file((docs_folder() / (topic + ".md")).string());
  if (!text) return "";
  const std::string line = text->substr(0, text->find('\n'));
  return line.starts_with("# ") ? line.substr(2) : line;
}

// Markdown as a terminal shows it: fences and link targets go, lines of a paragraph are joined and broken anew.
std::string as_text(const std::string& markdown) {
  std::string result, paragraph;
  bool fenced = false;
  auto end_paragraph = [&] {
    if (!paragraph.empty()) result += folded(paragraph, text_columns, paragraph.starts_with("- ") ? 2 : 0) + "\n";
    paragraph.clear();
  };
  for (std::string line : split(markdown, '\n')) {
    if (line.starts_with("```")) {
      end_paragraph(), fenced = !fenced;
      continue;
    }
    if (line.starts_with("<!--")) continue;
    for (auto open = line.find("]("); open != line.npos; open = line.find("](", open)) {
      auto close = line.find(')', open), begin = line.rfind('[', open);
      if (close == line.npos || begin == line.npos) break;
      line.erase(open, close - open + 1), line.erase(begin, 1);
    }
    const bool item = line.starts_with("- "), inside_item = paragraph.starts_with("- ") && line.starts_with("  ");
    const bool prose = !fenced && !line.empty() && !item && (inside_item || (line[0] != ' ' && line[0] != '#' && line[0] != '|'));
    if (!prose) end_paragraph();
    if (item && !fenced) paragraph = line;
    else if (prose) paragraph += (paragraph.empty() ? "" : " ") + line.substr(inside_item ? 2 : 0);
    else result += folded(line) + "\n";
  }
  end_paragraph();
  return result;
}

const CLI::App* find_command(const CLI::App& whole, const std::string& name) {
  for (const CLI::App* command : whole.get_subcommands([](const CLI::App*) { return true; }))
    if (command->get_name() == name) return command;
  return nullptr;
}

// Commands in the order of the command line, then the other pages.
Status list_topics(const CLI::App& whole) {
  Table table({"topic", "what it tells"});
  for (const CLI::App* command : whole.get_subcommands([](const CLI::App*) { return true; }))
    table.add({command->get_name(), command->get_description()});
  table.rule();
  for (const auto& topic : topics())
    if (!find_command(whole, topic)) table.add({topic, title_of(topic)});
  return write_text("perfcast COMMAND --help lists the options of a command; perfcast help TOPIC explains:\n\n" + table.text());
}

Status help(CLI::App& whole, const std::string& topic, bool man) {
  if (man) return write_file("-", man_page(whole));
  if (topic.empty()) return list_topics(whole);
  auto page = read_file((docs_folder() / (fs::path(topic).filename().string() + ".md")).string());
  const CLI::App* command = find_command(whole, topic);
  if (!page && !command) return wrong_usage("there is no topic \"" + topic + "\"", "perfcast help lists them");
  return write_file("-", page ? as_text(*page) : command->help());
}

Status completion(CLI::App& whole, const std::string& shell) {
  if (shell == "bash") return write_file("-", bash_completion(whole));
  if (shell == "zsh") return write_file("-", zsh_completion(whole));
  std::string names;
  for (const auto& machine : list_machines()) names += machine.name + "\n";
  return write_file("-", names);
}

}  // namespace

void add_help(CLI::App& app, Action& action) {
  auto topic = std::make_shared<std::string>();
  auto man = std::make_shared<bool>(false);
  app.add_option("topic", *topic, "A command, or another topic; without one they are listed");
  app.add_flag("--man", *man, "The man page of all commands, as roff");
  action = [&app, topic, man] { return help(*app.get_parent(), *topic, *man); };
}

void add_completion(CLI::App& app, Action& action) {
  auto shell = std::make_shared<std::string>();
  app.add_option("shell", *shell, "bash or zsh: its completion script; machines: the names that can be completed")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "machines"}));
  action = [&app, shell] { return completion(*app.get_parent(), *shell); };
}

}  // namespace perfcast::cli

#include "cli/command_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/paths.h"
#include "base/text.h"

namespace perfcast::cli {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}
std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option*) { return true; });
}
bool is_flag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

// "--format", "-o", as they are typed.
std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> list;
  for (const auto& name : option.get_snames()) list.push_back("-" + name);
  for (const auto& name : option.get_lnames()) list.push_back("--" + name);
  return list;
}

// The words an option takes, where they are few: CLI11 shows them in braces.
std::vector<std::string> words_of(const CLI::Option& option) {
  if (option.check_lname("model")) return {"dbc", "poc", "hllc", "intcc", "icc", "ct", "all"};
  std::string type = option.get_type_name();
  auto from = type.find('{'), to = type.rfind('}');
  if (from == type.npos || to == type.npos) return {};
  return split(type.substr(from + 1, to - from - 1), ',');
}

enum class Takes { nothing, word, machine, file };
Takes taken_by(const CLI::Option& option) {
  if (is_flag(option)) return Takes::nothing;
  std::string names = option.get_name(true, true);
  if (names.find("machine") != names.npos) return Takes::machine;
  return words_of(option).empty() ? Takes::file : Takes::word;
}

std::string roff(const std::string& text) {
  std::string result;
  for (char c : text) result += c == '-' ? std::string("\\-") : c == '\\' ? std::string("\\e") : std::string(1, c);
  return !result.empty() && (result[0] == '.' || result[0] == '\'') ? "\\&" + result : result;
}

void add_options(const CLI::App& app, std::string& text) {
  for (const CLI::Option* option : options_of(app)) {
    std::string name = spellings(*option).empty() ? option->get_name() : join(spellings(*option), ", ");
    if (name.empty()) continue;
    std::string value = is_flag(*option) || spellings(*option).empty() ? "" : words_of(*option).empty() ? " VALUE" : " " + join(words_of(*option), "|");
    text += ".TP\n.B " + roff(name + value) + "\n" + roff(option->get_description());
    if (!option->get_default_str().empty()) text += roff(" (default " + option->get_default_str() + ")");
    text += "\n";
  }
}

// The description without the program's own name, as man pages have it.
std::string what_it_does(const CLI::App& app) {
  const std::string text = app.get_description(), name = "perfcast ";
  return text.starts_with(name) ? text.substr(name.size()) : text;
}

std::string zsh_quoted(const std::string& text) {
  std::string result;
  for (char c : text) {
    if (c == '\'') result += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\') result += std::string("\\") + c;
    else result += c;
  }
  return result;
}

}  // namespace

std::string man_page(const CLI::App& app) {
  std::string text = fmt::format(".TH PERFCAST 1 \"\" \"perfcast {}\" \"User Commands\"\n.SH NAME\nperfcast \\- {}\n", program_version(), roff(what_it_does(app)));
  text += ".SH SYNOPSIS\n.B perfcast\n.I COMMAND\n[options] [\\-\\- ARGS...]\n.SH DESCRIPTION\nOne characterization per machine and one analysis per "
          "program answer every pair. Results go to standard output, remarks to standard error; every record is a versioned JSON file.\n.SH COMMANDS\n";
  for (const CLI::App* command : commands_of(app)) {
    text += ".SS perfcast " + roff(command->get_name()) + "\n" + roff(command->get_description()) + ".\n";
    add_options(*command, text);
    for (const CLI::App* inner : commands_of(*command)) {
      text += ".P\n.B perfcast " + roff(command->get_name() + " " + inner->get_name()) + "\n\\- " + roff(inner->get_description()) + "\n";
      add_options(*inner, text);
    }
  }
  text += ".SH EXIT STATUS\n0 done; 1 the answer is no (a check or gate failed); 2 wrong usage; 3 input or environment unfit; 70 a mistake of perfcast.\n";
  text += ".SH ENVIRONMENT\n.TP\n.B PERFCAST_HOME\nFolder of saved machines (default ~/.local/share/perfcast)\n.TP\n.B PERFCAST_DATA\nFolder of bundled machines and profiles\n";
  return text;
}

std::string bash_completion(const CLI::App& app) {
  std::string names, cases, values;
  for (const CLI::App* command : commands_of(app)) {
    names += (names.empty() ? "" : " ") + command->get_name();
    std::vector<std::string> words;
    std::vector<const CLI::App*> levels = commands_of(*command);
    for (const CLI::App* inner : levels) words.push_back(inner->get_name());
    levels.push_back(command);
    for (const CLI::App* level : levels)
      for (const CLI::Option* option : options_of(*level)) {
        for (const auto& word : spellings(*option))
          if (std::ranges::find(words, word) == words.end()) words.push_back(word);
        if (taken_by(*option) == Takes::word && !option->get_lnames().empty())
          values += fmt::format("    {}:{}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n", command->get_name(), "--" + option->get_lnames().at(0), join(words_of(*option), " "));
      }
    cases += fmt::format("    {}) words=\"{}\" ;;\n", command->get_name(), join(words, " "));
  }
  return fmt::format(R"script(# Completion of perfcast for bash; written by `perfcast completion bash`.
_perfcast() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" command="${{COMP_WORDS[1]}}" words=""
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W "{names} --help --version" -- "$word")); return
  fi
  case "$command:$before" in
    *:--machine|report:*|machines:show|machines:compare)
      COMPREPLY=($(compgen -W "$(perfcast completion machines 2> /dev/null)" -- "$word") $(compgen -f -- "$word")); return ;;
{values}  esac
  case "$command" in
{cases}  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word") $(compgen -W "$words" -- "$word" | grep -v '^-')) ;;
  esac
}}
complete -o filenames -F _perfcast perfcast
)script",
                     fmt::arg("names", names), fmt::arg("values", values), fmt::arg("cases", cases));
}

std::string zsh_completion(const CLI::App& app) {
  std::string names, cases;
  for (const CLI::App* command : commands_of(app)) {
    names += fmt::format("    '{}:{}'\n", command->get_name(), zsh_quoted(command->get_description()));
    std::string options;
    for (const CLI::Option* option : options_of(*command))
      for (const auto& word : spellings(*option)) {
        options += fmt::format(" \\\n        '*{}[{}]", word, zsh_quoted(option->get_description()));
        switch (taken_by(*option)) {
          case Takes::nothing: break;
          case Takes::word: options += ":value:(" + join(words_of(*option), " ") + ")"; break;
          case Takes::machine: options += ":machine:_perfcast_machines"; break;
          case Takes::file: options += ":value:_files"; break;
        }
        options += "'";
      }
    std::vector<std::string> inner;
    for (const CLI::App* level : commands_of(*command)) inner.push_back(level->get_name());
    std::string rest = inner.empty() ? "'*:file:_files'" : "'1:what:(" + join(inner, " ") + ")' '*:machine:_perfcast_machines'";
    cases += fmt::format("      {}) _arguments{} \\\n        {} ;;\n", command->get_name(), options, rest);
  }
  return fmt::format(R"script(#compdef perfcast
# Completion of perfcast for zsh; written by `perfcast completion zsh`.
_perfcast_machines() {{
  local -a machines
  machines=(${{(f)"$(perfcast completion machines 2> /dev/null)"}})
  _alternative 'machines:machine:compadd -a machines' 'files:file:_files'
}}
_perfcast() {{
  local -a commands
  commands=(
{names}  )
  _arguments -C '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe command commands ;;
    argument)
      case $words[1] in
{cases}      esac ;;
  esac
}}
_perfcast "$@"
)script",
                     fmt::arg("names", names), fmt::arg("cases", cases));
}

}  // namespace perfcast::cli

// perfcast: the command line. Everything below is a list: which commands there are, and how troubles become exit codes.
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <new>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/ending.h"
#include "base/files.h"
#include "base/paths.h"
#include "base/threads.h"
#include "cli/command.h"
#include "cli/common.h"

namespace perfcast::cli {
namespace {

struct Command {
  const char* name;
  const char* summary;
  void (*add)(CLI::App&, Action&);
};

constexpr Command commands[] = {
    {"characterize", "Measure what operations, memory and the system cost on this machine", add_characterize},
    {"analyze", "What does this program do, and how often?", add_analyze},
    {"predict", "How long will it take there?", add_predict},
    {"tree", "Where does the demand go; what does an upgrade buy?", add_tree},
    {"dilate", "Would a faster network help, measured on the network you have?", add_dilate},
    {"bounds", "How fast could its loops be, and what is in the way?", add_bounds},
    {"scale", "How does the time grow with size and processors? As an equation", add_scale},
    {"validate", "How wrong are the predictions, on this machine, today?", add_validate},
    {"report", "Show it all: one offline page from any mix of files", add_report},
    {"choose", "Which machine is fastest, cheapest, or the most for the money, for these programs?", add_choose},
    {"gate", "Has this change made the program slower, by what it executes?", add_gate},
    {"study", "How much of a prediction's error is the resource model's own?", add_study},
    {"models", "Which resource model fits what I have?", add_models},
    {"graph", "The execution graph of a design or a program: drawn, checked, as a timing formula", add_graph},
    {"templates", "Parallel templates: what ranks compute, send and wait for", add_templates},
    {"export", "For other tools: tables as CSV, summaries as Markdown, a predicted flame graph", add_export},
    {"show", "Show what a file says: statistics of a profile, a machine, a prediction", add_show},
    {"machines", "List, show and compare machines", add_machines},
    {"help", "Explain a command or another topic", add_help},
    {"completion", "Completion for bash and zsh", add_completion},
};

// Exit codes: 0 done, 1 the answer is no, 2 wrong usage, 3 input or environment unfit, 70 our bug.
constexpr int exit_usage = 2, exit_bug = 70;
int exit_code(Trouble trouble) {
  switch (trouble) {
    case Trouble::no: return 1;
    case Trouble::usage: return exit_usage;
    case Trouble::unfit: return 3;
  }
  return exit_bug;
}

// SIGINT, SIGTERM and SIGHUP are taken by a thread that ends what runs, removes what is temporary, and then lets the signal
// do what it always does; a command may ask that the first SIGINT sets a flag instead. A signal that was ignored when we
// were started stays ignored.
void watch_signals() {
  sigset_t watched;
  sigemptyset(&watched);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) sigaddset(&watched, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &watched, nullptr);
  auto wait_for_one = [watched] {
    int signal = 0;
    while (::sigwait(&watched, &signal) != 0 || (signal == SIGINT && take_first_interrupt())) {}
    end_running_programs();
    remove_temporary_folders();
    std::signal(signal, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, signal);
    ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
    ::kill(::getpid(), signal);
    for (;;) ::pause();
  };
  if (auto watcher = thread_if_any(wait_for_one); watcher.joinable()) watcher.detach();
  else ::pthread_sigmask(SIG_UNBLOCK, &watched, nullptr);  // a signal ends us at once
}

// Letters to change, leave out or add to make one word of the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); i++) {
    std::size_t before = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); j++)
      before = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, before + (a[i - 1] != b[j - 1])}));
  }
  return row.back();
}

const Command* command_named(std::string_view name) {
  auto found = std::ranges::find(commands, name, [](const Command& command) { return std::string_view(command.name); });
  return found == std::end(commands) ? nullptr : found;
}

// What to say of a command line that could not be read.
std::string usage_message(const std::string& word, const std::string& what) {
  if (const Command* known = command_named(word)) return what + "\n  try: perfcast " + known->name + " --help";
  if (word.empty() || word.starts_with('-')) return what + "\n  try: perfcast --help";
  auto nearest = std::ranges::min(commands, {}, [&](const Command& command) { return distance(word, command.name); });
  const bool near = distance(word, nearest.name) <= std::max<std::size_t>(2, word.size() / 3);
  return "there is no command \"" + word + "\"\n  try: perfcast " + (near ? std::string(nearest.name) : "--help lists them");
}

int run(int argc, char** argv) {
  CLI::App app("perfcast tells how fast a program will run on a machine, why not faster, and what would change it");
  app.set_version_flag("--version", program_version());
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  Action action;
  std::vector<std::pair<CLI::App*, Action>> actions(std::size(commands));
  for (std::size_t i = 0; i < std::size(commands); i++) {
    actions[i].first = app.add_subcommand(commands[i].name, commands[i].summary);
    commands[i].add(*actions[i].first, actions[i].second);
  }
  if (auto end = std::find(argv, argv + argc, std::string_view("--")); end != argv + argc) {
    program_arguments().assign(end + 1, argv + argc);
    argc = static_cast<int>(end - argv);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    std::fprintf(stderr, "perfcast: %s\n", usage_message(argc > 1 ? argv[1] : "", error.what()).c_str());
    return exit_usage;
  }
  for (auto& [command, chosen] : actions)
    if (command->parsed()) action = chosen;
  Status done = action();
  if (done) return 0;
  std::fprintf(stderr, "perfcast: %s\n", done.error().message().c_str());
  return exit_code(done.error().kind);
}

}  // namespace
}  // namespace perfcast::cli

int main(int argc, char** argv) {
  perfcast::cli::watch_signals();
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return perfcast::cli::run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "perfcast: there is not enough memory for this\n  try: a smaller input, or a machine or a limit (ulimit -v) with more\n");
    return perfcast::cli::exit_code(perfcast::Trouble::unfit);
  } catch (const std::exception& error) {
    if (std::error_code gone; std::filesystem::current_path(gone).empty() && gone) {
      std::fprintf(stderr, "perfcast: the current folder is not there any more\n  try: the same from another folder\n");
      return perfcast::cli::exit_code(perfcast::Trouble::unfit);
    }
    std::fprintf(stderr, "perfcast: this is our mistake: %s\n  please report it with the command you gave\n", error.what());
    return 70;
  }
}

// perfcast tree: of a program on a machine, of levels of parallelism (perfcast.demand), of a dilation (perfcast.dilation).
#include "base/paths.h"
#include "cli/command.h"
#include "cli/common.h"
#include "cli/program.h"
#include "methods/tree/tree.h"
#include "report/tree_text.h"

namespace perfcast::cli {
namespace {

struct TreeArguments {
  ProgramWords program;
  std::vector<std::string> machines, compare;
  std::string clock;
  bool no_ranking = false;
  tree::TreeOptions options;
  OutputOptions output;
};

// A saved tree is drawn and compared as it is: what it was made of is not in it.
Status check_saved(const TreeArguments& arguments) {
  if (arguments.program.words.size() != 1 || !arguments.program.words[0].ends_with(".json")) return {};
  TRY(Json json, read_json_file(arguments.program.words[0]));
  const tree::TreeOptions& options = arguments.options;
  const bool asks = !options.upgrades.empty() || !options.skeleton.empty() || options.clock || !arguments.machines.empty() || options.alone ||
                    options.rank_factor != tree::TreeOptions().rank_factor;
  if (format_of(json) != UseTree::format || !asks) return {};
  return wrong_usage("a saved tree cannot be made again: --upgrade, --skeleton, --clock, --machine, --alone and --rank-factor need what it was made of",
                     "perfcast tree with the profile, demand or dilation");
}

// What is given may be a file of several kinds, the name of a bundled demand profile, or a program.
Result<std::vector<UseTree>> trees_of(const ProgramWords& program, const std::vector<std::string>& machine_names,
                                      const tree::TreeOptions& options) {
  if (program.words.size() == 1) {
    std::string path = program.words[0], bundled = (bundled_data() / "trees" / (path + ".demand.json")).string();
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored) && std::filesystem::exists(bundled, ignored)) path = bundled;
    if (path.ends_with(".json")) {
      TRY(Json json, read_json_file(path));
      std::string format = format_of(json);
      if (format == UseTree::format) {
        TRY(UseTree tree, record_from_json<UseTree>(json, path));
        return std::vector{std::move(tree)};
      }
      if (format == DemandProfile::format) {
        TRY(DemandProfile demand, record_from_json<DemandProfile>(json, path));
        TRY(UseTree tree, tree::make_tree(demand, options));
        return std::vector{std::move(tree)};
      }
      if (format == Dilation::format) {
        TRY(Dilation dilation, record_from_json<Dilation>(json, path));
        TRY(UseTree tree, tree::make_tree(dilation, options));
        return std::vector{std::move(tree)};
      }
    }
  }
  TRY(std::vector<Machine> machines, machines_for(program, machine_names));
  TRY(Profile profile, profile_of(program));
  std::vector<UseTree> trees;
  for (const auto& machine : machines) {
    tree::TreeOptions chosen = options;
    if (!trees.empty()) chosen.upgrades.clear(), chosen.rank = false;
    TRY(UseTree tree, tree::make_tree(profile, machine, chosen));
    trees.push_back(std::move(tree));
  }
  return trees;
}

Status run(TreeArguments& arguments) {
  arguments.program.arguments = program_arguments();
  arguments.program.source_level = arguments.options.skeleton == "source";
  arguments.options.rank = !arguments.no_ranking;
  if (!arguments.clock.empty()) arguments.options.clock = from_word<TreeClock>(arguments.clock);
  CHECK_OK(check_saved(arguments));
  TRY(std::vector<UseTree> trees, trees_of(arguments.program, arguments.machines, arguments.options));
  UseTree tree = std::move(trees.front());
  for (std::size_t i = 1; i < trees.size(); i++) tree.comparisons.push_back(tree::compare(tree, trees[i]));
  tree::TreeOptions plain = arguments.options;
  plain.upgrades.clear(), plain.rank = false;
  for (const auto& name : arguments.compare) {
    ProgramWords other;
    other.words = {name}, other.cflags = arguments.program.cflags, other.source_level = false;
    std::vector<std::string> first_machine(arguments.machines.begin(), arguments.machines.begin() + !arguments.machines.empty());
    TRY(std::vector<UseTree> others, trees_of(other, first_machine, plain));
    // Two versions of one program are told apart by their files.
    if (others.front().program == tree.program && others.front().machine == tree.machine) others.front().program = name;
    tree.comparisons.push_back(tree::compare(tree, others.front()));
  }
  return emit(tree, report::tree_text(tree), arguments.output);
}

}  // namespace

void add_tree(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<TreeArguments>();
  add_program_options(app, arguments->program);
  add_machine_option(app, arguments->machines);
  app.add_option("--upgrade", arguments->options.upgrades,
                 "NODE=FACTOR: DRAM=2, clock=1.5, vector.width=2, L2.size=2, processors=4@3; repeatable")
      ->allow_extra_args(false);
  app.add_option("--skeleton", arguments->options.skeleton,
                 "core, source, vector-pipeline, parallel, message-passing, hypercube, or a file");
  app.add_option("--clock", arguments->clock, "Interpretation: global (demand and rate) or local (time)")
      ->check(CLI::IsMember({"global", "local"}));
  app.add_option("--compare", arguments->compare, "Another profile or tree whose signature to compare; repeatable")
      ->allow_extra_args(false);
  app.add_flag("--alone", arguments->options.alone, "On a core nobody else uses, even if the machine file tells of neighbours");
  app.add_flag("--no-ranking", arguments->no_ranking, "Only the upgrades asked for");
  app.add_option("--rank-factor", arguments->options.rank_factor, "By which each single upgrade is ranked")
      ->check(above_zero())
      ->capture_default_str();
  add_output_options(app, arguments->output);
  action = [arguments] { return run(*arguments); };
}

}  // namespace perfcast::cli

#include "cli/program_list.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/text.h"
#include "cli/common.h"
#include "cli/models.h"
#include "cli/program.h"
#include "cli/progress.h"
#include "methods/validate/suite.h"

namespace perfcast::cli {
namespace {

struct Source {
  std::string name;      // of the program
  std::string folder;    // where names start from
  ProgramWords words;
  bool analysed = false;  // for one instruction set at least
};

std::vector<Source> sources_of(const ProgramList& programs) {
  std::vector<Source> sources;
  for (const std::string& word : programs.words)
    if (is_source_file(word)) {
      ProgramWords words{{word}, programs.cflags, program_arguments(), "", programs.limits};
      sources.push_back({std::filesystem::path(word).stem().string(), "", words});
    }
  return sources;
}

Status add_suite(const ProgramList& programs, std::vector<Source>& sources) {
  TRY(validate::Suite suite, validate::read_suite(programs.suite));
  for (const auto& program : suite.programs) {
    std::string flags = programs.cflags.empty() ? program.cflags : program.cflags + " " + programs.cflags;
    sources.push_back({program.name, suite.folder, {program.sources, flags, program.args, program.input, programs.limits}});
  }
  return {};
}

// The instruction sets to analyse for: this host's first, then the others that a machine's core asks for.
std::vector<std::string> targets_of(const std::vector<Machine>& machines) {
  std::vector<std::string> targets;
  for (const Machine& machine : machines)
    if (machine.core && !machine.isa.empty() && std::ranges::find(targets, machine.isa) == targets.end()) targets.push_back(machine.isa);
  std::string here = host_instruction_set();
  bool any_without = std::ranges::any_of(machines, [](const Machine& m) { return !m.core; });
  if (targets.empty() || (any_without && std::ranges::find(targets, here) == targets.end())) targets.push_back(here);
  if (auto at = std::ranges::find(targets, here); at != targets.end()) std::rotate(targets.begin(), at, at + 1);
  return targets;
}

void analyze_sources(std::vector<Source>& sources, const std::vector<Model>& models, const std::vector<Machine>& machines,
                     std::vector<Profile>& profiles) {
  const auto targets = targets_of(machines);
  ProgressBar bar;
  double done = 0, all = static_cast<double>(sources.size() * targets.size());
  for (Source& source : sources)
    for (const std::string& target : targets) {
      bar.show(source.name + " for " + target, done++ / all);
      InFolder in_folder(source.folder);
      ProgramWords words = source.words;
      if (target != host_instruction_set()) {
        words.target = target + "-linux-gnu";
        words.cflags = portable_flags(words.cflags);
        if (words.cflags != source.words.cflags) remark(source.name + " for " + target + ": compiled with \"" + words.cflags + "\"");
      }
      choose_levels(words, models, machines);
      auto profile = profile_of(words);
      if (!profile) {
        bar.clear();
        remark(source.name + " is not analysed for " + target + ": " + profile.error().message());
        continue;
      }
      source.analysed = true, profile->program = source.name;
      profiles.push_back(std::move(*profile));
    }
}

// One program, for one or several instruction sets; none where it could not be analysed.
struct Entry {
  std::string name;
  std::vector<const Profile*> profiles;
};
bool belongs(const Entry& entry, const std::string& name, const Profile& profile) {
  return entry.name == name && std::ranges::none_of(entry.profiles, [&](const Profile* other) {
           return other->run.isa == profile.run.isa || other->run.arguments != profile.run.arguments || other->run.input != profile.run.input;
         });
}
// Profiles of one name are one program if they are of different instruction sets and ran with the same input.
std::vector<Entry> entries_of(const std::vector<Profile>& profiles, const std::vector<Source>& sources) {
  std::vector<Entry> entries;
  std::map<std::string, int> of_name;
  for (const Profile& profile : profiles) {
    auto known = std::ranges::find_if(entries, [&](const Entry& entry) { return belongs(entry, profile.program, profile); });
    if (known == entries.end()) known = entries.insert(entries.end(), {profile.program, {}});
    known->profiles.push_back(&profile);
  }
  for (const Source& source : sources)
    if (!source.analysed) entries.push_back({source.name, {}});
  for (Entry& entry : entries)
    if (int number = ++of_name[entry.name]; number > 1) entry.name += " (" + std::to_string(number) + ")";
  return entries;
}

// Of the profiles of one program the one that was made for this machine; the first where none was.
const Profile& profile_for(const std::vector<const Profile*>& profiles, const Machine& machine) {
  for (const Profile* profile : profiles)
    if (!machine.isa.empty() && profile->run.isa == machine.isa) return *profile;
  return *profiles.front();
}

}  // namespace

std::string portable_flags(const std::string& cflags) {
  std::vector<std::string> kept;
  for (const auto& flag : split_words(cflags))
    if (!flag.starts_with("-march=") && !flag.starts_with("-mcpu=") && !flag.starts_with("-mtune=")) kept.push_back(flag);
  return join(kept, " ");
}

void add_program_list_options(CLI::App& app, ProgramList& programs) {
  app.add_option("--suite", programs.suite, "A folder with suite.json: its programs are analysed first, for every instruction set among the machines");
  app.add_option("--model", programs.model, "One resource model for all; default: the best that can answer");
  app.add_option("--cflags", programs.cflags, "Flags of compiler and linker for sources, as one word; added to those of a suite");
  add_limit_options(app, programs.limits);
}

Result<std::vector<Prediction>> predict_programs(const ProgramList& programs, const std::vector<Machine>& machines) {
  predict::PredictOptions how;
  if (!programs.model.empty()) {
    TRY(how.models, models_named({programs.model}));
  }
  std::vector<Profile> profiles;
  for (const std::string& word : programs.words) {
    if (is_source_file(word)) continue;
    TRY(Profile profile, find_profile(word));
    profiles.push_back(std::move(profile));
  }
  std::vector<Source> sources = sources_of(programs);
  if (!programs.suite.empty()) CHECK_OK(add_suite(programs, sources));
  analyze_sources(sources, how.models, machines, profiles);

  std::vector<Prediction> predictions;
  for (const Entry& entry : entries_of(profiles, sources)) {
    Prediction all;
    all.program = entry.name;
    for (const Machine& machine : machines) {  // one at a time: a machine that cannot answer spoils no other
      if (entry.profiles.empty()) continue;
      auto one = predict::predict(profile_for(entry.profiles, machine), {&machine, 1}, how);
      if (!one) remark(entry.name + " on " + machine.name + ": " + one.error().message());
      else all.predictions.insert(all.predictions.end(), one->predictions.begin(), one->predictions.end());
    }
    predictions.push_back(std::move(all));
  }
  return predictions;
}

}  // namespace perfcast::cli

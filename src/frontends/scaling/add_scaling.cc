#include "frontends/scaling/add_scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "expr/parse.h"
#include "expr/print.h"
#include "frontends/machine_code/machine_graph.h"
#include "frontends/memory_profile/memory_profile.h"
#include "frontends/scaling/certificate.h"
#include "frontends/scaling/library_growth.h"
#include "frontends/scaling/memory_growth.h"
#include "frontends/scaling/symbolic_counts.h"
#include "record/sized_arguments.h"

namespace perfcast::scaling {
namespace {

using llvm_ir::CountedRun;
using llvm_ir::UnitCounts;

struct Sample {
  Setting setting;
  std::vector<UnitCounts> units;
  double page_faults = 0, seconds = 0;
  std::optional<Graph> source;
};

std::string setting_text(const Setting& setting) {
  std::string all;
  for (const auto& [name, value] : setting) all += fmt::format("{}{}={}", all.empty() ? "" : ", ", name, value);
  return all;
}

// The counts of a run put into a graph of the same program.
void fill(Graph& graph, const std::vector<UnitCounts>& units) {
  std::size_t f = 0;
  for (const auto& unit : units)
    for (const auto& counts : unit.functions) {
      if (counts.duplicate || f >= graph.functions.size()) continue;
      Function& function = graph.functions[f++];
      function.calls.value = counts.entries;
      for (std::size_t b = 0; b < function.blocks.size() && b < counts.blocks.size(); b++) {
        function.blocks[b].count.value = counts.blocks[b].count;
        for (std::size_t e = 0; e < function.blocks[b].next.size(); e++) function.blocks[b].next[e].count.value = counts.blocks[b].next[e].count;
      }
      auto inside = [&](int block, int loop) {
        for (auto at = function.blocks[static_cast<std::size_t>(block)].loop; at; at = function.loops[static_cast<std::size_t>(*at)].parent)
          if (*at == loop) return true;
        return false;
      };
      for (std::size_t l = 0; l < function.loops.size(); l++) {
        Loop& loop = function.loops[l];
        double back = 0;
        for (std::size_t b = 0; b < function.blocks.size(); b++)
          for (const Edge& edge : function.blocks[b].next)
            if (edge.to == loop.header && inside(static_cast<int>(b), static_cast<int>(l))) back += edge.count.value;
        loop.iterations.value = function.blocks[static_cast<std::size_t>(loop.header)].count.value;
        loop.entries.value = loop.iterations.value - back;
      }
    }
}

class Work {
 public:
  Work(const llvm_ir::CompiledProgram& program, const ScalingOptions& options, Profile& profile)
      : program_(program), options_(options), profile_(profile), scaling_(profile.scaling.emplace()) {
    for (const auto& [name, value] : profile.run.parameters) names_.push_back(name);
  }

  Status run(const CountedRun& recorded) {
    tell("counting at other sizes");
    TRY(llvm_ir::CountedProgram counted, llvm_ir::CountedProgram::build(program_, llvm_ir::Stage::final));
    if (options_.source && profile_.source && !options_.one_stage)
      if (auto early = llvm_ir::CountedProgram::build(program_, llvm_ir::Stage::early)) early_ = std::move(*early);
    try_sizes(profile_.run.parameters, [&](const Setting& setting, bool held_out) { return attempt(counted, setting, held_out); }, options_.sizes);
    // The recorded size may have been among them: once is enough, what agrees with itself is no check.
    std::erase_if(samples_, [&](const Sample& sample) { return sample.setting == profile_.run.parameters; });
    std::erase_if(scaling_.runs, [&](const SizedRun& run) { return run.set == profile_.run.parameters; });
    samples_.push_back({profile_.run.parameters, recorded.units, recorded.page_faults, recorded.outcome.cpu.value, profile_.source});
    scaling_.runs.push_back({profile_.run.parameters, recorded.page_faults, recorded.outcome.cpu.value, true, {}});
    if (!enough()) return {};
    std::ranges::sort(samples_, {}, [](const Sample& s) { return s.setting; });
    check_influence();
    tell("finding the laws of the counts");
    reconstruct();
    if (options_.memory) {
      tell("watching memory at other sizes");
      memory_at_other_sizes(counted);
    }
    std::vector<SizedFaults> faults;
    for (const Sample& sample : samples_) faults.push_back({sample.setting, sample.page_faults});
    memory_growth(faults, profile_);
    return {};
  }

 private:
  void tell(const std::string& text) const { if (options_.progress) options_.progress(text); }

  // How long a run took by itself. Neighbours make it several times as long, which must not decide which sizes are looked at:
  // what was counted says how long it needed at most, unless most of it went by uncounted (in a library, or asleep).
  static double own_seconds(const CountedRun& run) {
    constexpr double seconds_per_block = 5e-9, crowded = 4, waiting = 10;
    double blocks = 0;
    for (const auto& unit : run.units)
      for (const auto& function : unit.functions)
        for (const auto& block : function.blocks) blocks += block.count;
    const double cpu = run.outcome.cpu.value;
    return std::max({std::min(cpu, blocks * seconds_per_block), cpu / crowded, run.outcome.wall.value / waiting});
  }

  Try attempt(const llvm_ir::CountedProgram& counted, const Setting& setting, bool held_out) {
    llvm_ir::CountOptions count = options_.count;
    count.arguments = arguments_at(count.arguments, options_.parameters, setting);
    count.limits.time = Seconds{std::min(count.limits.time.value, 10.0)};
    auto run = counted.run(count);
    Try tried;
    if (!run) {
      scaling_.runs.push_back({setting, 0, 0, held_out, run.error().what});
      return tried;
    }
    tried.seconds = own_seconds(*run);
    const bool same_end = run->complete && run->outcome.ending == Ending::exited && run->outcome.code == profile_.run.exit_code;
    tried.taken = same_end;
    scaling_.runs.push_back({setting, run->page_faults, run->outcome.cpu.value, held_out, same_end ? "" : run->outcome.how_it_ended(count.limits)});
    if (!same_end) return tried;
    std::optional<Graph> source = source_at(*run, count, tried);
    samples_.push_back({setting, std::move(run->units), run->page_faults, run->outcome.cpu.value, std::move(source)});
    return tried;
  }

  // Statements are counted in a build of their own, so that is run at this size too.
  std::optional<Graph> source_at(const CountedRun& run, const llvm_ir::CountOptions& count, Try& tried) const {
    if (!options_.source || !profile_.source) return {};
    if (options_.one_stage) return options_.source(run);
    if (!early_) return {};
    auto early = early_->run(count);
    if (!early || !early->complete || early->outcome.code != profile_.run.exit_code) return {};
    tried.seconds = std::max(tried.seconds, 0.5 * own_seconds(*early));
    return options_.source(*early);
  }

  bool enough() {
    int failed = 0;
    std::string first;
    for (const SizedRun& run : scaling_.runs)
      if (!run.failed.empty() && failed++ == 0) first = setting_text(run.set) + ": " + run.failed;
    if (failed) scaling_.remarks.push_back(fmt::format("{} of {} sizes were not taken by the program; the first was {}", failed, scaling_.runs.size(), first));
    if (samples_.size() >= 5) return true;
    std::string what = fmt::format("too few sizes for counts as functions of {}: the program took {} of {}", fmt::join(names_, ", "), samples_.size(), scaling_.runs.size());
    profile_.gaps.push_back({what, {}, 0});
    scaling_.remarks.push_back(what + "; counts are those of the recorded run");
    return false;
  }

  // A parameter that changes no count is most likely the wrong argument.
  void check_influence() {
    for (const auto& name : names_) {
      bool matters = false;
      for (std::size_t a = 0; a < samples_.size() && !matters; a++)
        for (std::size_t b = a + 1; b < samples_.size() && !matters; b++) {
          bool only_this = samples_[a].setting.at(name) != samples_[b].setting.at(name);
          for (const auto& other : names_) only_this = only_this && (other == name || samples_[a].setting.at(other) == samples_[b].setting.at(other));
          if (only_this) matters = differ(samples_[a], samples_[b]);
        }
      if (matters) continue;
      std::string what = fmt::format("the parameter {} (argument {}) changes no count: is it the right argument?", name, options_.parameters.at(name));
      profile_.gaps.push_back({what, {}, 0});
      scaling_.remarks.push_back(what);
    }
  }
  static bool differ(const Sample& a, const Sample& b) {
    for (std::size_t u = 0; u < a.units.size(); u++)
      for (std::size_t f = 0; f < a.units[u].functions.size(); f++)
        for (std::size_t k = 0; k < a.units[u].functions[f].blocks.size(); k++)
          if (a.units[u].functions[f].blocks[k].count != b.units[u].functions[f].blocks[k].count) return true;
    return false;
  }

  std::vector<std::vector<double>> points() const {
    std::vector<std::vector<double>> all;
    for (const Sample& sample : samples_) {
      std::vector<double> point;
      for (const auto& name : names_) point.push_back(sample.setting.at(name));
      all.push_back(std::move(point));
    }
    return all;
  }

  // values[place][run] of all counts of a graph, where `filled` are the same graph with the counts of each run.
  static std::vector<std::vector<double>> vectors(std::vector<Graph>& filled) {
    std::vector<std::vector<double>> values;
    for (std::size_t r = 0; r < filled.size(); r++) {
      auto places = counts_of(filled[r]);
      values.resize(places.size());
      for (std::size_t k = 0; k < places.size(); k++) values[k].push_back(places[k].count->value);
    }
    return values;
  }

  void reconstruct() {
    std::vector<Graph> ir, machine;
    for (const Sample& sample : samples_) {
      ir.push_back(*profile_.ir);
      fill(ir.back(), sample.units);
    }
    if (profile_.machine) {
      std::vector<std::vector<UnitCounts>> runs;
      for (const Sample& sample : samples_) runs.push_back(sample.units);
      if (auto graphs = machine_code::machine_graphs(options_.code ? *options_.code : program_, runs)) machine = std::move(*graphs);
    }
    auto ir_values = vectors(ir), machine_values = vectors(machine);
    CountForms forms(names_, points());
    auto ir_places = counts_of(*profile_.ir);
    for (std::size_t k = 0; k < ir_places.size(); k++)
      forms.add(ir_values[k], ir_places[k].weight, about(*profile_.ir, ir_places[k]), ir_places[k].block >= 0);
    std::vector<CountPlace> machine_places;
    if (profile_.machine) machine_places = counts_of(*profile_.machine);
    if (machine_values.size() > machine_places.size()) machine_values.clear();
    for (std::size_t k = 0; k < machine_values.size(); k++) forms.add(machine_values[k], 0, "", false);
    auto source_values = source_vectors();
    for (const auto& values : source_values) forms.add(values, 0, "", false);
    forms.solve();
    scaling_.hidden = forms.hidden();
    assign(forms, ir_places, ir_values);
    assign(forms, machine_places, machine_values);
    if (!source_values.empty()) {
      auto source_places = counts_of(*profile_.source);
      assign(forms, source_places, source_values);
    }
    certify(program_, options_.parameters, *profile_.ir, profile_.machine ? &*profile_.machine : nullptr);
    library_calls();
    machine_places.resize(std::min(machine_places.size(), machine_values.size()));
    count_shares(ir_places, machine_places.empty() ? ir_places : machine_places);
  }

  // Of the statements, where every run has them.
  std::vector<std::vector<double>> source_vectors() {
    std::vector<Graph> source;
    for (Sample& sample : samples_)
      if (sample.source) source.push_back(std::move(*sample.source));
    if (source.size() != samples_.size()) {
      if (!source.empty() && profile_.source) scaling_.remarks.push_back("statements were not counted at every size: source-level counts are those of the recorded run");
      return {};
    }
    auto values = vectors(source);
    return values.size() == counts_of(*profile_.source).size() ? values : std::vector<std::vector<double>>{};
  }

  static std::string about(const Graph& graph, const CountPlace& place) {
    const Function& function = graph.functions[static_cast<std::size_t>(place.function)];
    if (place.block < 0) return "in " + function.name;
    const Block& block = function.blocks[static_cast<std::size_t>(place.block)];
    return fmt::format("executions of {} of {}{}", block.name, function.name, block.at.line > 0 ? fmt::format(", line {}", block.at.line) : "");
  }

  void assign(const CountForms& forms, std::vector<CountPlace>& places, const std::vector<std::vector<double>>& values) {
    for (std::size_t k = 0; k < values.size(); k++) {
      const auto& form = forms.of(values[k]);
      places[k].count->expression = form.expression, places[k].count->certainty = form.certainty;
      if (form.from > 0 && places[k].count->value > 0)
        for (const auto& name : names_) scaling_.from[name] = std::max(scaling_.from[name], form.from);
    }
    doubt_zeros(places, values.size());
  }

  // What never ran at the sizes tried may run at others, where the data decides in the same function what does.
  static void doubt_zeros(std::vector<CountPlace>& places, std::size_t known) {
    std::set<int> by_data;
    for (std::size_t k = 0; k < known; k++)
      if (places[k].count->certainty == Certainty::ratio || places[k].count->certainty == Certainty::unknown) by_data.insert(places[k].function);
    for (std::size_t k = 0; k < known; k++)
      if (by_data.contains(places[k].function) && places[k].count->certainty == Certainty::interpolated && places[k].count->expression == "0") places[k].count->certainty = Certainty::unknown;
  }

  // Of the program's own instructions; beside them what is exact given the hidden variables (it is among the ratios), and
  // the share of all instructions that libraries execute.
  void count_shares(const std::vector<CountPlace>& ir_places, const std::vector<CountPlace>& weighed) {
    double total = 0, library = 0;
    for (const CountPlace& place : weighed) total += place.weight * place.count->value;
    for (const CountPlace& place : weighed) {
      if (!(total > 0)) break;
      const double share = place.weight * place.count->value / total;
      scaling_.shares[word_of(place.count->certainty)] += share;
      if (place.count->certainty != Certainty::ratio || place.weight <= 0 || place.count->expression.empty()) continue;
      const auto symbols = expr::symbols_of(expr::parse_trusted(place.count->expression));
      if (std::ranges::any_of(scaling_.hidden, [&](const HiddenVariable& h) { return symbols.contains(h.name); })) scaling_.shares["exact given hidden"] += share;
    }
    for (const CountPlace& place : ir_places)
      if (place.weight > 0) scaling_.blocks[word_of(place.count->certainty)]++;
    if (!profile_.machine) return;
    for (const auto& [name, work] : library_work(*profile_.machine)) library += work;
    if (library > 0) scaling_.shares["library"] = library / (total + library);
  }

  void library_calls() {
    std::map<std::string, expr::Expr> calls;
    for (const auto& [name, count] : profile_.library_calls) {
      std::vector<expr::Expr> terms;
      for (const Function& function : profile_.ir->functions)
        for (const Block& block : function.blocks)
          for (const Call& call : block.calls)
            if (call.callee == name && !block.count.expression.empty()) terms.push_back(expr::Expr(call.per_execution) * expr::parse_trusted(block.count.expression));
      calls[name] = expr::sum(terms);
      scaling_.library_calls[name] = expr::text(calls[name]);
    }
    for (auto& [name, count] : calls)  // laws stand for hidden counts here: library work is no more exact than they are
      for (const HiddenVariable& hidden : scaling_.hidden) count = expr::substitute(count, std::map<std::string, expr::Expr>{{hidden.name, expr::parse_trusted(hidden.law)}});
    if (!profile_.machine || library_work(*profile_.machine).empty()) return;
    const double miss = grow_library(*profile_.machine, profile_.run.parameters, library_samples(), calls);
    if (miss > 0.1) scaling_.remarks.push_back(fmt::format("what runs in libraries follows no simple law: it misses by up to {:.0f} % of their work", 100 * miss));
  }

  // The code of libraries at smaller sizes that the program took: tracing takes many times as long as running, so from quarters
  // on, where that leaves sizes that are more than their overhead.
  std::vector<LibrarySample> library_samples() const {
    std::vector<LibrarySample> samples;
    if (!options_.library) return samples;
    constexpr double ample = 1024;
    const bool large = std::ranges::all_of(profile_.run.parameters, [](const auto& p) { return p.second <= 32 || p.second >= ample; });
    for (double divisor : large ? std::vector{4.0, 8.0, 16.0} : std::vector{2.0, 4.0, 8.0}) {
      Setting setting;
      for (const auto& [name, value] : profile_.run.parameters) setting[name] = value > 32 ? std::max(1.0, std::round(value / divisor)) : value;
      if (setting == profile_.run.parameters || (!samples.empty() && samples.back().set == setting)) continue;
      tell("counting what runs in libraries at " + setting_text(setting));
      if (auto graph = options_.library(arguments_at(options_.count.arguments, options_.parameters, setting))) samples.push_back({setting, library_work(*graph)});
    }
    return samples;
  }

  bool recorded_whole() const {
    const auto bursts = profile_.made_by.more.find("memory bursts");
    return bursts != profile_.made_by.more.end() && bursts->second == "the whole run";
  }

  void memory_at_other_sizes(const llvm_ir::CountedProgram& counted) {
    auto profiled = memory_profile::ProfiledProgram::build(program_, {});
    if (!profiled) return;
    for (const auto& name : names_)
      for (double divisor : {2.0, 4.0}) {
        Setting setting = profile_.run.parameters;
        double smaller = std::max(1.0, std::round(setting[name] / divisor));
        if (smaller >= setting[name]) continue;
        setting[name] = smaller;
        llvm_ir::CountOptions count = options_.count;
        count.arguments = arguments_at(count.arguments, options_.parameters, setting);
        auto run = counted.run(count);
        if (!run || !run->complete || run->outcome.code != profile_.run.exit_code) continue;
        memory_profile::Options memory;
        memory.arguments = count.arguments, memory.input_file = count.input_file, memory.limits = count.limits;
        memory.runner = count.runner, memory.folder = count.folder, memory.expected_seconds = run->outcome.cpu.value, memory.learns_branches = false;
        memory.whole_run = recorded_whole() || memory.expected_seconds < memory_profile::short_run_seconds;
        auto seen = profiled->run(memory);
        if (!seen) continue;
        Graph graph = *profile_.ir;
        for (Function& function : graph.functions)
          for (Block& block : function.blocks) block.accesses.clear();
        fill(graph, run->units);
        memory_profile::apply(*seen, graph);
        keep_accesses(graph, setting);
      }
  }
  void keep_accesses(const Graph& graph, const Setting& setting) {
    SizedMemory memory{setting, {}};
    double total = 0;
    for (const Function& function : graph.functions)
      for (const Block& block : function.blocks)
        for (const Access& access : block.accesses) total += access.count;
    for (const Function& function : graph.functions)
      for (const Block& block : function.blocks)
        for (const Access& access : block.accesses)
          if (access.count > 1e-4 * total || access.cold > 0) memory.accesses.push_back({function.name, block.name, access});
    scaling_.memory.push_back(std::move(memory));
  }

  const llvm_ir::CompiledProgram& program_;
  const ScalingOptions& options_;
  Profile& profile_;
  Scaling& scaling_;
  std::vector<std::string> names_;
  std::vector<Sample> samples_;
  std::optional<llvm_ir::CountedProgram> early_;
};

}  // namespace

Status add_scaling(const llvm_ir::CompiledProgram& program, const CountedRun& recorded, const ScalingOptions& options, Profile& profile) {
  return Work(program, options, profile).run(recorded);
}

}  // namespace perfcast::scaling

#include "methods/parallel/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/network/network.h"

namespace perfcast::parallel {
namespace {

constexpr double confidence_90 = 1.645;  // standard deviations

// Parts of a prediction for one processor that happen once per process, outside what ranks time of themselves.
double starting_seconds(const ModelPrediction& one) {
  double sum = 0;
  for (const auto& part : one.parts)
    if (part.name == "start") sum += part.seconds;
  return sum;
}

// The interval: what the model says of computation, and how well the message laws fit, for the rest.
void set_interval(ModelPrediction& p, const ModelPrediction& one, double computation, double message_error) {
  const double rest = p.seconds - computation, spread = std::max(0.1, 2 * message_error);
  const double low = one.seconds > 0 ? one.interval[0] / one.seconds : 1, high = one.seconds > 0 ? one.interval[1] / one.seconds : 1;
  p.interval = {computation * low + rest * std::max(0.0, 1 - confidence_90 * spread), computation * high + rest * (1 + confidence_90 * spread)};
}

// A path whose messages all take so many times as long.
MessagePath slowed(MessagePath path, double factor) {
  auto slow = [factor](std::vector<MessageRegime>& regimes) {
    for (auto& regime : regimes) regime.startup_ns *= factor, regime.per_byte_ns *= factor;
  };
  slow(path.regimes);
  for (auto& [call, by_ranks] : path.collectives)
    for (auto& [ranks, regimes] : by_ranks) slow(regimes);
  for (auto* overhead : {&path.send_ns, &path.receive_ns})
    if (*overhead) (*overhead)->value *= factor;
  path.packets.reset();
  return path;
}

ModelPrediction begun(const ModelPrediction& one) {
  ModelPrediction p = one;
  p.sd.reset();
  p.parts.clear();
  return p;
}

// Parts and the views beside them. What the model said of one processor is said of the part of it that a rank computes.
void set_parts(ModelPrediction& p, const ModelPrediction& one, const engine::RankTime& slowest, std::optional<double> messages, bool told_apart) {
  const double waiting = slowest.waiting > 1e-9 * slowest.end ? slowest.waiting : 0;  // less is rounding
  p.parts = {{"computation", slowest.computation, {}, {}}};
  if (told_apart) p.parts.insert(p.parts.end(), {{"communication", slowest.communication, messages, {}}, {"waiting", waiting, {}, {}}});
  else p.parts.push_back({"communication and waiting", slowest.communication + waiting, messages, {}});
  const double part = one.seconds > 0 ? slowest.computation / one.seconds : 1;
  p.views["computation"] = one.parts;
  for (auto& [name, rows] : p.views)
    for (Part& row : rows) {
      row.seconds *= part;
      if (row.count) *row.count *= part;
      if (row.sd) *row.sd *= part;
    }
}

// Where the recording could not keep all calls, the rest of the run goes on like what it has.
void lengthen(engine::ReplayResult& played, double times) {
  played.seconds *= times, played.messages *= times;
  for (engine::RankTime& rank : played.ranks) rank.computation *= times, rank.communication *= times, rank.waiting *= times, rank.end *= times;
}

}  // namespace

Result<MessagePath> path_of(const Machine& machine, const std::string& name) {
  TRY(auto costs, part_of<MessageCosts>(machine.messages, machine.name + " /messages"));
  if (!costs || costs->paths.empty()) return unfit(machine.name + " has no message costs", "", "perfcast characterize --messages measures them on that machine");
  std::string known;
  for (const auto& path : costs->paths) {
    if ((name.empty() || path.name == name) && path.regimes.empty())
      return unfit("the message path " + path.name + " has no law of what a message takes", machine.name, "perfcast characterize --messages measures it on that machine");
    if (name.empty() || path.name == name) return path;
    known += (known.empty() ? "" : ", ") + path.name;
  }
  return unfit(machine.name + " has no message path " + name, "", "one of " + known);
}

std::optional<std::string> borrow_messages(Machine& machine, const Machine& other) {
  if (!machine.messages.is_null() || other.messages.is_null() || machine.isa.empty() || other.isa.empty()) return {};
  auto costs = part_of<MessageCosts>(other.messages, other.name);
  if (!costs || !*costs || (*costs)->paths.empty()) return {};
  constexpr double another_machine = 0.5;  // machines of today differ by about that in what a message costs
  for (auto& path : (*costs)->paths) path.error = std::max(path.error, another_machine);
  machine.messages = to_json_value(**costs);
  return machine.name + " has no message costs; those of " + other.name + " were used instead (perfcast characterize --messages measures them)";
}

Result<ModelPrediction> on_ranks(const ModelPrediction& one, const Profile& profile, const Machine& machine, const ParallelOptions& options) {
  TRY(auto recorded, part_of<MessageProfile>(profile.messages, profile.program + " /messages"));
  if (!recorded || recorded->runs.empty()) return unfit("the profile has no messages", profile.program, "analyze with --ranks 2, or predict with --template");
  if (!options.network.empty() && options.network != "simgrid")
    return wrong_usage("--network " + options.network + " is for templates: recorded messages are costed by a path of the machine, or played in SimGrid", "--network simgrid, or --path");
  MessagePath path;
  if (options.network != "simgrid" || options.platform.empty() || options.platform == "measured") {
    TRY(path, path_of(machine, options.path));
  } else if (auto known = path_of(machine, options.path)) {
    path = *known;
  }
  ModelPrediction p = begun(one);
  auto set = options.set;
  set.erase("P");
  TRY(Skeleton skeleton, skeleton_for(*recorded, options.ranks, set, p.remarks));

  // The model predicts the computation of one rank; the others are to it as they were when recorded.
  const Skeleton& counted = recorded->runs.front();
  // A recording of another size has its own time of that rank.
  const std::vector<RankTotals>& totals = skeleton.parameters != counted.parameters && !skeleton.totals.empty() ? skeleton.totals : counted.totals;
  double timed = 0;
  if (counted.counted_rank && static_cast<std::size_t>(*counted.counted_rank) < totals.size())
    timed = totals[static_cast<std::size_t>(*counted.counted_rank)].compute;
  double scale = 1;
  const double predicted = std::max(0.0, one.seconds - starting_seconds(one));
  // Ranks on one host share its memory.
  const bool one_host = options.network != "simgrid" && path.name != "network";
  const double crowded = one_host ? crowding(one, machine, skeleton.ranks) : 1;
  if (crowded > 1.005) p.remarks.push_back(fmt::format("ranks share memory: computation takes {:.2f} times as long", crowded));
  auto threads = part_of<ThreadCosts>(machine.threads, machine.name);
  // Only shared memory is sure to have them all on one: by TCP they may be on many such hosts.
  const int processors = options.network != "simgrid" && path.name == "shared memory" && threads && *threads ? (*threads)->processors : 0;
  const double turns = processors > 0 ? std::max(1.0, static_cast<double>(skeleton.ranks) / processors) : 1;
  if (turns > 1) p.remarks.push_back(fmt::format("{} has {} processors: more ranks take turns", machine.name, processors));
  scale = turns * crowded;
  if (timed > 0) scale *= predicted / timed;
  else p.remarks.push_back("no rank's computation was counted: times between calls are those of the recorded run");
  engine::ReplayOptions playing;
  std::vector<double> weight(static_cast<std::size_t>(skeleton.ranks), 1.0);
  if (skeleton.totals.size() == weight.size())  // recorded, not continued
    for (const auto& program : skeleton.programs) {
      double mean = 0;
      for (int r : program.ranks) mean += skeleton.totals.at(static_cast<std::size_t>(r)).compute / static_cast<double>(program.ranks.size());
      for (int r : program.ranks) weight[static_cast<std::size_t>(r)] = mean > 0 ? skeleton.totals.at(static_cast<std::size_t>(r)).compute / mean : 1;
    }
  playing.computation = [&](int rank, double seconds) { return scale * weight[static_cast<std::size_t>(rank)] * seconds; };
  engine::ReplayResult played;
  // Ranks that wait for ever in a skeleton that nobody recorded: it does not go on like the one that was.
  auto not_continued = [&](const Error& error) -> std::unexpected<Error> {
    if (skeleton.totals.size() == weight.size()) return std::unexpected(error);
    return unfit(fmt::format("what {} ranks send each other cannot be continued to {}: {}", recorded->runs.back().ranks, skeleton.ranks, error.what), "message skeleton",
                 fmt::format("record it (analyze --ranks {}), or use a template, as farm for ranks that ask for their work", skeleton.ranks));
  };
  if (options.network == "simgrid") {
    Skeleton scaled = skeleton;
    auto multiply = [](auto&& self, std::vector<Step>& steps, double factor) -> void {
      for (auto& s : steps) s.seconds *= factor, self(self, s.body, factor);
    };
    for (auto& program : scaled.programs) multiply(multiply, program.steps, scale);
    auto result = simgrid_replay(scaled, path, options.platform, weight);
    if (!result) return not_continued(result.error());
    played = std::move(*result);
  } else {
    auto result = engine::replay(skeleton, path, playing);
    if (!result) return not_continued(result.error());
    played = std::move(*result);
  }
  lengthen(played, skeleton.stands_for);
  const auto& slowest = *std::ranges::max_element(played.ranks, {}, &engine::RankTime::end);
  p.seconds = played.seconds;
  ModelPrediction computing = one;  // without what happens before MPI_Init
  computing.seconds = predicted;
  std::erase_if(computing.parts, [](const Part& part) { return part.name == "start"; });
  set_parts(p, computing, slowest, played.messages, options.network != "simgrid");
  std::vector<Part> by_rank;
  for (std::size_t r = 0; r < played.ranks.size() && r < 64; r++) by_rank.push_back({"rank " + std::to_string(r), played.ranks[r].end, {}, {}});
  p.views["rank"] = by_rank;
  p.remarks.insert(p.remarks.end(), played.remarks.begin(), played.remarks.end());
  p.remarks.push_back(fmt::format("{} ranks, messages by {}{}; from MPI_Init to MPI_Finalize", skeleton.ranks, options.network == "simgrid" ? "SimGrid on " : "",
                                  options.network == "simgrid" ? (options.platform.empty() ? "measured" : options.platform) : path.name));
  for (const auto& gap : counted.gaps) p.gaps.push_back(gap);
  // Waiting is for what another rank computes or sends: with everything at the ends of its interval it is played again.
  // Where that would take long, waiting counts as computation.
  constexpr double many_messages = 100'000;
  if (options.network == "simgrid" || played.messages > many_messages || one.seconds <= 0) {
    set_interval(p, one, slowest.computation + slowest.waiting, path.error);
    return p;
  }
  const double spread = std::max(0.1, 2 * path.error), message_ends[] = {std::max(0.0, 1 - confidence_90 * spread), 1 + confidence_90 * spread};
  for (std::size_t end = 0; end < 2; end++) {
    engine::ReplayOptions at_end = playing;
    at_end.computation = [&, factor = one.interval[end] / one.seconds](int rank, double seconds) { return factor * playing.computation(rank, seconds); };
    TRY(engine::ReplayResult again, engine::replay(skeleton, slowed(path, message_ends[end]), at_end));
    p.interval[end] = again.seconds * skeleton.stands_for;
  }
  return p;
}

Result<ModelPrediction> by_template(const ModelPrediction& one, const Machine& machine, const ParallelOptions& options) {
  TRY(Template pattern, find_template(options.pattern));
  TemplateUse use{options.set, one.seconds};
  if (options.ranks > 0) use.values["P"] = options.ranks;
  if (!use.values.contains("P")) return wrong_usage("the template " + pattern.name + " needs the number of ranks", "--ranks 8");
  std::optional<Network> network;
  if (!options.network.empty() && options.network != "simgrid") {
    TRY(network, engine::find_network(options.network));
  }
  MessagePath path;
  auto known = path_of(machine, options.path);
  if (known) path = *known;
  else if (!network && options.network != "simgrid") return std::unexpected(known.error());
  ModelPrediction p = begun(one);
  engine::RankTime slowest;
  if (options.network == "simgrid") {
    TRY(Skeleton skeleton, template_skeleton(pattern, use));
    TRY(engine::ReplayResult played, simgrid_replay(skeleton, path, options.platform));
    slowest = *std::ranges::max_element(played.ranks, {}, &engine::RankTime::end);
    p.seconds = played.seconds;
    p.remarks.insert(p.remarks.end(), played.remarks.begin(), played.remarks.end());
  } else {
    TRY(TemplateTime time, template_time(pattern, use, path, network ? &*network : nullptr));
    p.seconds = time.seconds, slowest = {time.computation, time.communication, time.waiting, time.seconds};
    if (time.bottleneck) p.remarks.push_back("one rank has more to hand out than the others to do");
  }
  set_parts(p, one, slowest, {}, options.network != "simgrid");
  p.remarks.push_back("by the template " + pattern.name + ": " + template_formula(pattern) + ", W = the whole work on one processor");
  set_interval(p, one, slowest.computation, path.error);
  return p;
}

}  // namespace perfcast::parallel

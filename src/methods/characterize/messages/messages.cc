#include "methods/characterize/messages/messages.h"

#include <algorithm>
#include <sstream>

#include "base/files.h"
#include "base/mpi.h"
#include "base/paths.h"
#include "base/run_tidily.h"
#include "base/statistics.h"
#include "methods/characterize/messages/message_fit.h"

namespace perfcast::characterize {
namespace {

// A low quantile of the rounds: what it takes when nobody disturbs, without trusting a single lucky one.
Measurement undisturbed(const std::vector<double>& samples) {
  Measurement m;
  m.value = quantile(samples, 0.1);
  m.sd = (quantile(samples, 0.5) - m.value) / 1.349;
  m.repetitions = static_cast<int>(samples.size());
  return m;
}

std::vector<double> numbers(std::istringstream& words) {
  std::vector<double> values;
  for (double v; words >> v;) values.push_back(v);
  return values;
}

}  // namespace

Result<MessagePath> path_of(const std::string& printed, const std::string& name) {
  MessagePath path;
  path.name = name;
  std::vector<SizeTime> points;
  std::map<std::string, std::map<std::string, std::vector<SizeTime>>> collectives;
  std::istringstream in(printed);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string kind;
    double bytes = 0;
    words >> kind;
    if (kind == "send" || kind == "receive") {
      if (auto samples = numbers(words); !samples.empty()) (kind == "send" ? path.send_ns : path.receive_ns) = undisturbed(samples);
      continue;
    }
    std::string ranks;
    if (kind != "p2p" && kind != "rendezvous") words >> ranks;
    if (!(words >> bytes)) continue;
    if (kind == "rendezvous") path.rendezvous_bytes = bytes;
    auto samples = numbers(words);
    if (samples.empty()) continue;
    SizeTime point{bytes, std::max(1.0, undisturbed(samples).value)};
    if (kind == "p2p") points.push_back(point);
    else collectives[kind][ranks].push_back(point);
  }
  if (points.size() < 6) return unfit("the message benchmark printed too little", name);
  std::ranges::sort(points, {}, &SizeTime::bytes);
  RegimeFit fit = fit_regimes(points);
  path.regimes = fit.regimes, path.error = fit.error, path.worst_error = fit.worst;
  path.packets = fit_packets(points);
  for (auto& [call, by_ranks] : collectives)
    for (auto& [ranks, times] : by_ranks) {
      std::ranges::sort(times, {}, &SizeTime::bytes);
      path.collectives[call][ranks] = fit_regimes(times).regimes;
    }
  return path;
}

Result<ThreadCosts> threads_of(const std::string& printed) {
  ThreadCosts costs;
  std::optional<Measurement> alone;
  std::istringstream in(printed);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string kind, threads;
    words >> kind >> threads;
    auto samples = numbers(words);
    if (samples.empty()) continue;
    Measurement m = undisturbed(samples);
    if (kind == "bandwidth") m.value = quantile(samples, 0.9);
    if (kind == "fork_join") costs.fork_join_ns[threads] = m;
    else if (kind == "barrier") costs.barrier_ns[threads] = m;
    else if (kind == "bandwidth") costs.bandwidth_gb_per_s[threads] = m;
    else if (kind == "atomic") costs.atomic_ns = m;
    else if (kind == "contended_atomic") costs.contended_atomic_ns = m;
    else if (kind == "false_sharing") costs.false_sharing_ns = m;
    else if (kind == "dispatch") costs.dispatch_ns = m;
    costs.processors = std::max(costs.processors, std::atoi(threads.c_str()));
  }
  if (costs.fork_join_ns.empty()) return unfit("the thread benchmark printed nothing");
  return costs;
}

namespace {

Result<std::string> run_bench(const MpiTools& tools, const std::string& bench, int ranks, MpiPath path, double seconds) {
  MpiLaunch launch;
  launch.ranks = ranks, launch.path = path, launch.command = {bench, std::to_string(seconds)};
  launch.limits.time = Seconds{60 + 10 * seconds};
  TRY(RunOutcome outcome, run_program(mpi_request(tools, launch)));
  if (!outcome.ok()) return unfit("the message benchmark " + outcome.how_it_ended(launch.limits) + "\n" + outcome.errors.substr(0, 1000), tools.run);
  return outcome.output;
}

}  // namespace

Status measure_messages(Work& work, Machine& machine) {
  TRY(MpiTools tools, find_mpi());
  TRY(TemporaryFolder folder, TemporaryFolder::make("message-bench"));
  const std::string bench = folder.file("bench");
  CHECK_OK(build_mpi_helper(tools, {"message_bench.c"}, bench, false));
  MessageCosts costs;
  costs.library = tools.version;
  const auto place = mpi_place();
  const double seconds = work.options.quick ? 1.5 : 4;
  if (place && !place->one_host) {
    // Part of a job over several hosts: every rank runs the benchmark as its own child, within the job.
    RunRequest request;
    request.command = {bench, std::to_string(seconds)};
    request.limits.time = Seconds{300};
    TRY(RunOutcome outcome, run_program(request));
    if (!outcome.ok()) return unfit("the message benchmark " + outcome.how_it_ended(request.limits) + "\n" + outcome.errors.substr(0, 1000));
    if (place->rank != 0) return {};
    TRY(MessagePath path, path_of(outcome.output, "network"));
    costs.paths.push_back(std::move(path));
  } else {
    const int ranks = std::max(2, place ? place->ranks : std::min(8, usable_processors()));
    if (ranks > usable_processors())
      return unfit("messages are measured with as many ranks as there are processors at most: " + std::to_string(ranks) + " ranks on " + std::to_string(usable_processors()));
    work.doing("shared memory", 0.1);
    TRY(std::string shared, run_bench(tools, bench, ranks, tools.open_mpi ? MpiPath::shared_memory : MpiPath::any, seconds));
    TRY(MessagePath first, path_of(shared, "shared memory"));
    costs.paths.push_back(std::move(first));
    if (tools.open_mpi) {
      work.doing("tcp", 0.6);
      auto tcp = run_bench(tools, bench, ranks, MpiPath::tcp, seconds);
      auto second = tcp ? path_of(*tcp, "tcp") : Result<MessagePath>(std::unexpected(tcp.error()));
      if (second) costs.paths.push_back(std::move(*second));
      else machine.gaps.push_back({"messages by TCP were not measured: " + second.error().what, {}, 0});
    }
  }
  machine.messages = to_json_value(costs);
  return {};
}

Status measure_threads(Work& work, Machine& machine) {
  TRY(TemporaryFolder folder, TemporaryFolder::make("thread-bench"));
  std::string why = "no C compiler was found";
  // Analysed programs use the run-time library of clang, so that is measured where it is there.
  for (auto [compiler, library] : {std::pair("clang-19", "libomp"), {"gcc", "libgomp"}, {"cc", "cc -fopenmp"}}) {
    auto found = find_program(compiler);
    if (!found) continue;
    RunRequest build;
    build.command = {*found, "-O2", "-w", "-fopenmp", (bundled_data() / "runtime/thread_bench.c").string(), "-o", folder.file("threads")};
    TRY(RunOutcome built, run_tidily(build));
    if (!built.ok()) {
      why = std::string(compiler) + " cannot compile with -fopenmp";
      continue;
    }
    work.doing("fork, join, barriers, bandwidth", 0.3);
    RunRequest request;
    request.command = {folder.file("threads"), std::to_string(usable_processors())};
    request.limits.time = Seconds{120};
    TRY(RunOutcome outcome, run_program(request));
    if (!outcome.ok()) return unfit("the thread benchmark " + outcome.how_it_ended(request.limits));
    TRY(ThreadCosts costs, threads_of(outcome.output));
    costs.library = library;
    machine.threads = to_json_value(costs);
    return {};
  }
  return unfit(why, "", "apt install libomp-19-dev or gcc");
}

}  // namespace perfcast::characterize

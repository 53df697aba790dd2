// perfcast-simgrid INPUT.json PLATFORM: plays a message skeleton in SimGrid's S4U, where topology and contention count.
//
// Every rank is an actor; computation is sleeping (it was costed already), messages are communications between mailboxes,
// collectives are the trees and rings that MPI libraries use, made of messages. All factors of SimGrid's network model are
// one: they are another cluster's calibration. PLATFORM is a platform file, or "measured": hosts behind links with the
// latency and bandwidth of the path in the input. Prints {"seconds", "messages", "remarks", "ranks": [[computation,
// communication, waiting, end], ...]}; communication and waiting are not told apart and stand under communication. When
// ranks wait for each other for ever it says so and ends with code 3.
#include <algorithm>
#include <cstdio>

#include "base/files.h"
#include "simgrid/host_order.h"
#include "simgrid/job.h"

using namespace perfcast;
using namespace perfcast::played;

namespace {

// Hosts behind links of their own: a message crosses two, so each has half the latency.
void measured_platform(Job& job) {
  auto* zone = sg4::create_star_zone("measured");
  // The least of what the laws of the path say: what one says beyond that, a message has as size (Job::on_wire).
  double startup = job.path.regimes.front().startup_ns, per_byte_ns = job.path.regimes.front().per_byte_ns;
  for (const auto& regime : job.path.regimes) startup = std::min(startup, regime.startup_ns), per_byte_ns = std::min(per_byte_ns, regime.per_byte_ns);
  const double whole = 1e-9 * startup, latency = std::max(0.1 * whole, whole - job.own()), per_byte = std::max(1e-3, per_byte_ns);
  job.measured = {latency, 1e-9 * per_byte};
  for (int i = 0; i < job.skeleton.ranks; i++) {
    auto* host = zone->create_host("host-" + std::to_string(i), 1e9);
    auto* link = zone->create_split_duplex_link("link-" + std::to_string(i), 1e9 / per_byte);
    link->set_latency(latency / 2)->seal();
    host->seal();
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {{link, sg4::LinkInRoute::Direction::UP}}, true);
  }
  zone->seal();
}

void find_wildcards(const std::vector<Step>& steps, int rank, Job& job) {
  for (const auto& s : steps) {
    if (s.act == Act::receive || s.act == Act::ireceive || s.act == Act::exchange) {
      const int source = resolve(s.from, rank, job.skeleton.ranks), tag = s.from_tag.value_or(s.tag);
      Wildcards wild;
      if (source == any_peer && tag < 0) wild.everything = true;
      else if (source == any_peer) wild.tags_from_any.insert(tag);
      else if (tag < 0) wild.sources_of_any.insert(source);
      if (source == any_peer || tag < 0) {
        Wildcards& known = job.wildcards[{rank, s.group}];
        known.everything = known.everything || wild.everything;
        known.tags_from_any.merge(wild.tags_from_any), known.sources_of_any.merge(wild.sources_of_any);
      }
    }
    find_wildcards(s.body, rank, job);
  }
}

void find_meetings(const std::vector<Step>& steps, int rank, Job& job) {
  for (const auto& s : steps) {
    const int target = resolve(s.to, rank, job.skeleton.ranks);
    if (sends(s.act) && target >= 0 && (s.act == Act::ssend || !job.eager(s.bytes))) job.meeting.insert(job.way(rank, target, s.tag, s.group));
    find_meetings(s.body, rank, job);
  }
}

// Ranks that never came to their end, as a sentence; empty when all did.
std::string stuck_ranks(const Job& job) {
  std::string names;
  int many = 0;
  for (std::size_t r = 0; r < job.ended.size(); r++)
    if (!job.ended[r] && ++many <= 4) names += (names.empty() ? "" : ", ") + std::to_string(r);
  return many ? std::to_string(many) + " ranks wait for each other for ever: " + names + (many > 4 ? ", ..." : "") : "";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "perfcast-simgrid INPUT.json PLATFORM\n");
    return 2;
  }
  auto input = read_json_file(argv[1]);
  if (!input) {
    std::fprintf(stderr, "%s\n", input.error().message().c_str());
    return 3;
  }
  Job job;
  try {
    from_json_value((*input)["skeleton"], job.skeleton, "/skeleton");
    from_json_value((*input)["path"], job.path, "/path");
    if (input->contains("weights")) from_json_value((*input)["weights"], job.weights, "/weights");
  } catch (const JsonMismatch& mismatch) {
    std::fprintf(stderr, "%s: %s\n", mismatch.place.c_str(), mismatch.what.c_str());
    return 3;
  }
  std::vector<std::string> words = {argv[0], "--cfg=network/model:CM02", "--cfg=network/latency-factor:1", "--cfg=network/bandwidth-factor:1", "--cfg=network/weight-S:0",
                                    "--cfg=network/TCP-gamma:0", "--cfg=network/crosstraffic:0", "--cfg=contexts/stack-size:64", "--log=root.thresh:warning"};
  std::vector<char*> pointers;
  for (auto& w : words) pointers.push_back(w.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  sg4::Engine engine(&count, pointers.data());
  const std::string platform = argv[2];
  if (platform == "measured") measured_platform(job);
  else engine.load_platform(platform);
  auto hosts = engine.get_all_hosts();
  if (hosts.empty()) {
    std::fprintf(stderr, "the platform has no hosts\n");
    return 3;
  }
  std::ranges::sort(hosts, numbered_before, &sg4::Host::get_name);
  Json remarks = Json::array();
  if (hosts.size() < static_cast<std::size_t>(job.skeleton.ranks))
    remarks.push_back(std::to_string(job.skeleton.ranks) + " ranks share the " + std::to_string(hosts.size()) + " hosts of the platform, each computing as if it were alone");
  for (const auto& program : job.skeleton.programs)
    for (int rank : program.ranks) find_wildcards(program.steps, rank, job);
  for (const auto& program : job.skeleton.programs)
    for (int rank : program.ranks) find_meetings(program.steps, rank, job);
  job.times.resize(static_cast<std::size_t>(job.skeleton.ranks)), job.ended.resize(job.times.size(), false);
  job.weights.resize(job.times.size(), 1.0);
  job.collective_sizes = std::make_unique<CollectiveSizes>(job.skeleton);
  auto steps = engine::steps_by_rank(job.skeleton);
  static const std::vector<Step> nothing;
  for (int r = 0; r < job.skeleton.ranks; r++) {
    const auto* own = steps[static_cast<std::size_t>(r)] ? steps[static_cast<std::size_t>(r)] : &nothing;
    job.actors.push_back(sg4::Actor::create("rank-" + std::to_string(r), hosts[static_cast<std::size_t>(r) % hosts.size()], [&job, r, own] { play_rank(job, r, *own); }));
  }
  engine.run();
  if (std::string stuck = stuck_ranks(job); !stuck.empty()) {
    std::fprintf(stderr, "%s\n", stuck.c_str());
    return 3;
  }
  double seconds = 0;
  Json ranks = Json::array();
  for (const auto& t : job.times) {
    seconds = std::max(seconds, t.end);
    ranks.push_back({t.computation, t.communication, t.waiting, t.end});
  }
  std::printf("%s\n", Json({{"seconds", seconds}, {"messages", job.messages}, {"remarks", remarks}, {"ranks", ranks}}).dump().c_str());
  return 0;
}

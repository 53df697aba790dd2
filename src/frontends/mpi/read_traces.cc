// From the files of the recorder to a skeleton: partners are told as offsets or numbers, call sites as places in the source,
// repetitions become loops, ranks that do the same share one program.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/files.h"
#include "base/text.h"
#include "frontends/mpi/fold.h"
#include "frontends/mpi/record_messages.h"

namespace perfcast::mpi {
namespace fs = std::filesystem;
namespace {

#include "../../../data/runtime/mpi_record.h"

static_assert(static_cast<int>(Act::one_sided) == act_one_sided && static_cast<int>(Act::allreduce) == act_allreduce);

struct Place {
  std::string call, module, symbol;
  unsigned long long offset = 0;
  auto operator<=>(const Place&) const = default;
};

struct RankTrace {
  record_head head{};
  std::vector<record_site> sites;
  std::vector<record_event> events;
  std::map<int, Place> places;
  std::map<int, std::vector<int>> groups;
};

// The program may have written into the file: what no recorder writes.
bool sensible(double number) { return number >= 0 && number < 1e30; }
bool sensible(const record_head& h) {  // faults and preemptions are below zero until a rank ends
  return sensible(h.compute) && sensible(h.inside) && sensible(h.begin) && sensible(h.end) && sensible(std::abs(h.faults)) && sensible(std::abs(h.preemptions));
}
bool sensible(const record_site& s) { return sensible(s.calls) && sensible(s.bytes) && sensible(s.seconds); }
bool sensible(const record_event& e, int ranks) {
  return e.act >= 0 && e.act <= act_more_requests && e.requests >= 0 && e.requests <= record_requests && e.to < ranks && e.from < ranks &&
         sensible(e.bytes) && sensible(e.seconds) && sensible(e.inside) && std::all_of(e.request, e.request + e.requests, [](int ago) { return ago >= 0; });
}

void read_names(std::istream& names, RankTrace& trace) {
  for (std::string line; std::getline(names, line);) {
    std::istringstream words(line);
    std::string kind;
    int index = 0;
    words >> kind >> index;
    if (kind == "site" && index >= 0 && index < record_sites) {
      Place& p = trace.places[index];
      words >> p.call >> std::hex >> p.offset >> p.module >> p.symbol;
    } else if (kind == "group") {
      std::vector<int> ranks;
      for (int rank; words >> rank;) ranks.push_back(rank);
      if (std::ranges::all_of(ranks, [&](int rank) { return rank >= 0 && rank < trace.head.ranks; })) trace.groups[index] = std::move(ranks);
    }
  }
}

Result<RankTrace> read_rank(std::istream& in, std::istream& names, const std::string& file) {
  RankTrace trace;
  if (!in.read(reinterpret_cast<char*>(&trace.head), sizeof trace.head) || trace.head.magic != RECORD_MAGIC)
    return unfit("a file of recorded messages is cut short", file);
  if (trace.head.ranks < 1 || trace.head.ranks > 100'000 || trace.head.rank < 0 || trace.head.rank >= trace.head.ranks || !sensible(trace.head))
    return unfit("a file of recorded messages is not of this run", file);
  trace.sites.resize(record_sites);
  in.read(reinterpret_cast<char*>(trace.sites.data()), static_cast<std::streamsize>(record_sites * sizeof(record_site)));
  trace.events.resize(std::min<std::uint64_t>(trace.head.events, record_events));
  in.read(reinterpret_cast<char*>(trace.events.data()), static_cast<std::streamsize>(trace.events.size() * sizeof(record_event)));
  if (!in) return unfit("a file of recorded messages is cut short", file);
  for (record_site& site : trace.sites)
    if (!sensible(site)) site = {};
  std::erase_if(trace.events, [&](const record_event& e) { return !sensible(e, trace.head.ranks); });
  read_names(names, trace);
  return trace;
}

// Places as lines of the source; what cannot be told keeps its symbol.
void locate(std::map<Place, int>& sites, const FindPlaces& find_places, std::vector<CallSite>& told) {
  std::map<std::string, std::vector<const Place*>> by_module;
  for (const auto& [place, index] : sites) {
    told[static_cast<std::size_t>(index)].call = place.call;
    told[static_cast<std::size_t>(index)].function = place.symbol == "-" ? "" : place.symbol;
    by_module[place.module].push_back(&place);
  }
  for (const auto& [module, places] : by_module) {
    std::vector<unsigned long long> offsets;
    for (const Place* p : places) offsets.push_back(p->offset);
    auto found = find_places(module, offsets);
    if (!found || found->size() < places.size()) continue;
    for (std::size_t i = 0; i < places.size(); i++) {
      CallSite& site = told[static_cast<std::size_t>(sites[*places[i]])];
      const CodePlace& at = (*found)[i];
      if (!at.function.empty()) site.function = at.function;
      if (at.line > 0) site.at = {at.file, at.line, 0};
    }
  }
}

int nearest_offset(int peer, int rank, int ranks) {
  int offset = ((peer - rank) % ranks + ranks) % ranks;
  return offset > ranks / 2 ? offset - ranks : offset;
}

// Who talks to whom at a site.
struct Partners {
  std::set<int> callers, peers, offsets;
  bool any = false;
  // One partner for all of several callers: it is meant by its number.
  bool by_number() const { return peers.size() == 1 && callers.size() > 1 && offsets.size() > 1; }
};

std::string partners_text(const Partners& p, bool collective) {
  if (collective) return "all";
  if (p.any) return "any";
  if (p.by_number()) return "rank " + std::to_string(*p.peers.begin());
  if (p.offsets.empty()) return "";
  if (p.offsets == std::set{1}) return "next";
  if (p.offsets == std::set{-1}) return "previous";
  if (p.offsets.size() == 1) return fmt::format("{:+d}", *p.offsets.begin());
  return "several";
}

class Builder {
 public:
  Builder(std::vector<RankTrace> traces, const FindPlaces& find_places) : traces_(std::move(traces)), find_places_(find_places) {
    ranks_ = traces_.front().head.ranks;
    skeleton_.ranks = ranks_;
    skeleton_.totals.resize(static_cast<std::size_t>(ranks_));
    for (auto& totals : skeleton_.totals) totals.ended = false;
    std::vector<int> all(static_cast<std::size_t>(ranks_));
    for (int i = 0; i < ranks_; i++) all[static_cast<std::size_t>(i)] = i;
    skeleton_.groups.push_back(all);
  }

  Skeleton build() {
    number_sites();
    for (const auto& trace : traces_) look_at(trace);
    for (const auto& trace : traces_) add_rank(trace);
    for (std::size_t i = 0; i < partners_.size(); i++)
      skeleton_.sites[i].partners = partners_text(partners_[i], collective_.contains(static_cast<int>(i)));
    add_totals();
    return std::move(skeleton_);
  }

 private:
  void number_sites() {
    for (const auto& trace : traces_)
      for (const auto& [index, place] : trace.places) sites_.try_emplace(place, 0);
    int next = 0;
    for (auto& [place, index] : sites_) index = next++;
    skeleton_.sites.resize(sites_.size());
    partners_.resize(sites_.size());
    locate(sites_, find_places_, skeleton_.sites);
    for (const auto& trace : traces_)
      for (const auto& [index, place] : trace.places) {
        CallSite& site = skeleton_.sites[static_cast<std::size_t>(sites_[place])];
        const record_site& seen = trace.sites[static_cast<std::size_t>(index)];
        site.calls += seen.calls, site.bytes += seen.bytes, site.seconds += seen.seconds;
      }
  }

  int site_of(const RankTrace& trace, int index) const {
    auto it = trace.places.find(index);
    return it == trace.places.end() ? -1 : sites_.at(it->second);
  }

  void look_at(const RankTrace& trace) {
    for (const auto& e : trace.events) {
      const int site = site_of(trace, e.site);
      if (site < 0) continue;
      if (is_collective(static_cast<Act>(e.act))) {
        collective_.insert(site);
        continue;
      }
      Partners& p = partners_[static_cast<std::size_t>(site)];
      p.callers.insert(trace.head.rank);
      for (int peer : {e.to, e.from}) {
        if (peer == record_anybody) p.any = true;
        if (peer < 0) continue;
        p.peers.insert(peer);
        p.offsets.insert(nearest_offset(peer, trace.head.rank, ranks_));
      }
    }
  }

  Peer peer_of(int peer, int rank, int site) const {
    if (peer == record_anybody) return {PeerKind::any, 0};
    if (peer < 0) return {};
    if (site >= 0 && partners_[static_cast<std::size_t>(site)].by_number()) return {PeerKind::absolute, peer};
    return {PeerKind::relative, nearest_offset(peer, rank, ranks_)};
  }

  int group_of(const RankTrace& trace, int index) {
    auto it = trace.groups.find(index);
    if (it == trace.groups.end()) return 0;
    auto known = std::ranges::find(skeleton_.groups, it->second);
    if (known == skeleton_.groups.end()) known = skeleton_.groups.insert(skeleton_.groups.end(), it->second);
    return static_cast<int>(known - skeleton_.groups.begin());
  }

  void add_rank(const RankTrace& trace) {
    std::vector<Step> steps;
    for (const auto& e : trace.events) {
      if (e.act == act_more_requests) {
        if (!steps.empty()) steps.back().requests.insert(steps.back().requests.end(), e.request, e.request + e.requests);
        continue;
      }
      Step step;
      step.act = static_cast<Act>(e.act);
      step.site = site_of(trace, e.site);
      step.seconds = e.seconds, step.bytes = e.bytes, step.tag = e.tag, step.group = group_of(trace, e.group);
      const bool collective = is_collective(step.act);
      if (collective && e.to >= 0) step.to = {PeerKind::absolute, e.to};
      if (!collective) step.to = peer_of(e.to, trace.head.rank, step.site), step.from = peer_of(e.from, trace.head.rank, step.site);
      if (step.act == Act::exchange && e.from_tag != e.tag) step.from_tag = e.from_tag;
      step.requests.assign(e.request, e.request + e.requests);
      step.later = (e.flags & record_nonblocking) != 0;
      one_sided_ = one_sided_ || step.act == Act::one_sided;
      if (step.act == Act::other && step.site >= 0) not_costed_[skeleton_.sites[static_cast<std::size_t>(step.site)].call] += e.inside;
      wildcard_ = wildcard_ || e.from == record_anybody;
      steps.push_back(std::move(step));
    }
    share(trace.head.rank, fold(steps));
  }

  // Ranks of one program differ in how long they compute in all, not in where; what is kept is the mean.
  void share(int rank, std::vector<Step> steps) {
    for (auto& program : skeleton_.programs)
      if (same(program.steps, steps) && alike(program.steps, steps)) {
        average(program.steps, steps, static_cast<double>(program.ranks.size()));
        program.ranks.push_back(rank);
        return;
      }
    skeleton_.programs.push_back({{rank}, std::move(steps)});
  }
  static bool same(const std::vector<Step>& a, const std::vector<Step>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](Step x, Step y) {
      if (!same(x.body, y.body)) return false;
      x.seconds = y.seconds = 0, x.body.clear(), y.body.clear();
      return x == y;
    });
  }
  // Half the sum of differences of the shares: 0 where both compute in the same places, 1 where one computes while the other
  // does not, as when ranks take turns. Below a millisecond all is noise.
  static bool alike(const std::vector<Step>& a, const std::vector<Step>& b) {
    constexpr double apart = 0.4, noise_seconds = 1e-3;
    std::vector<double> of_a, of_b;
    seconds_of(a, 1, of_a), seconds_of(b, 1, of_b);
    double sum_a = 0, sum_b = 0, difference = 0;
    for (double s : of_a) sum_a += s;
    for (double s : of_b) sum_b += s;
    if (sum_a < noise_seconds || sum_b < noise_seconds) return true;
    for (std::size_t i = 0; i < of_a.size(); i++) difference += std::abs(of_a[i] / sum_a - of_b[i] / sum_b);
    return difference / 2 < apart;
  }
  static void seconds_of(const std::vector<Step>& steps, double times, std::vector<double>& out) {
    for (const Step& step : steps) {
      out.push_back(times * step.seconds);
      seconds_of(step.body, times * step.times, out);
    }
  }
  static void average(std::vector<Step>& into, const std::vector<Step>& other, double weight) {
    for (std::size_t i = 0; i < into.size(); i++) {
      into[i].seconds = (weight * into[i].seconds + other[i].seconds) / (weight + 1);
      average(into[i].body, other[i].body, weight);
    }
  }

  void add_totals() {
    double dropped = 0, polls = 0;
    for (const auto& trace : traces_) {
      const record_head& h = trace.head;
      RankTotals& t = skeleton_.totals[static_cast<std::size_t>(h.rank)];
      t.compute = h.compute, t.inside = h.inside, t.elapsed = h.end > 0 ? h.end - h.begin : 0, t.ended = h.ended != 0;
      if (t.ended) t.page_faults = h.faults, t.preemptions = h.preemptions;
      for (const auto& site : trace.sites) t.calls += site.calls, t.bytes += site.bytes;
      skeleton_.elapsed = std::max(skeleton_.elapsed, t.elapsed);
      if (h.dropped > 0) skeleton_.stands_for = std::max(skeleton_.stands_for, 1 + static_cast<double>(h.dropped) / static_cast<double>(std::max<std::uint64_t>(1, h.events)));
      dropped += static_cast<double>(h.dropped), polls += static_cast<double>(h.polls);
    }
    auto gap = [&](const std::string& what, double weight = 0) { skeleton_.gaps.push_back({what, {}, weight}); };
    for (int rank = 0; rank < ranks_; rank++) {
      const RankTotals& t = skeleton_.totals[static_cast<std::size_t>(rank)];
      if (!t.ended) gap(fmt::format("rank {} did not reach MPI_Finalize: {:g} calls were recorded of it", rank, t.calls));
    }
    if (dropped > 0) gap("calls beyond the table are in the totals of their sites, not in the sequence: the rest of the run is taken to go on as it began", dropped);
    for (const auto& [call, seconds] : not_costed_) gap(fmt::format("{} is left out of the computation, but its own time ({:.2g} s) is not modelled", call, seconds));
    if (polls > 0) gap("MPI_Test or MPI_Iprobe that found nothing: polling is taken as waiting", polls);
    if (one_sided_) gap("one-sided transfers are costed as messages; who waits for whom is not known");
    if (wildcard_) gap("receives from any rank: their order may differ from run to run");
  }

  std::vector<RankTrace> traces_;
  const FindPlaces& find_places_;
  int ranks_ = 0;
  Skeleton skeleton_;
  std::map<Place, int> sites_;
  std::vector<Partners> partners_;
  std::set<int> collective_;
  std::map<std::string, double> not_costed_;  // calls, and the seconds inside them
  bool one_sided_ = false, wildcard_ = false;
};

}  // namespace

Result<Skeleton> read_traces(const std::string& folder) {
  std::vector<RankTrace> traces;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".trace") continue;
    std::ifstream events(entry.path(), std::ios::binary), names(fs::path(entry.path()).replace_extension(".names"));
    auto trace = read_rank(events, names, entry.path().string());
    if (trace) traces.push_back(std::move(*trace));
  }
  if (traces.empty()) return unfit("nothing was recorded", folder);
  std::ranges::sort(traces, {}, [](const RankTrace& t) { return t.head.rank; });
  std::erase_if(traces, [ranks = traces.front().head.ranks](const RankTrace& t) { return t.head.ranks != ranks; });
  return Builder(std::move(traces), code_places).build();
}

Result<Skeleton> skeleton_of(const std::string& trace, const std::string& names, const FindPlaces& find_places) {
  std::istringstream events(trace), lines(names);
  TRY(RankTrace rank, read_rank(events, lines, "trace"));
  std::vector<RankTrace> alone;
  alone.push_back(std::move(rank));
  return Builder(std::move(alone), find_places).build();
}

}  // namespace perfcast::mpi

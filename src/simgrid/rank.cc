// One rank: computation is sleeping, messages are communications between mailboxes.
#include <string>

#include "simgrid/collective.h"
#include "simgrid/job.h"

namespace perfcast::played {
namespace {

class Rank {
 public:
  Rank(Job& job, int rank) : job_(job), rank_(rank) {}

  // A collective of its own, beside what the rank does.
  void play(const Step& step, const std::vector<int>& members, double bytes, int channel) {
    channel_ = channel, tag_ = step.group;
    collective(step, members, bytes);
    busy(0);
  }

  void run(const std::vector<Step>& steps) {
    engine::RankTime& time = job_.times[static_cast<std::size_t>(rank_)];
    for (engine::StepCursor cursor(steps); const Step* step = cursor.now(); cursor.advance()) {
      // One nap for the computation and what messages take of the processor: naps are what the simulation spends most on.
      const bool sending = sends(step->act) && resolve(step->to) >= 0;
      const double seconds = step->seconds * job_.weights[static_cast<std::size_t>(rank_)];
      const double own = owed_ + (sending ? own_send() : 0), nap = seconds + own;
      owed_ = 0;
      time.computation += seconds, time.communication += own;
      if (nap > 0) sg4::this_actor::sleep_for(nap);
      const double before = sg4::Engine::get_clock();
      perform(*step);
      time.communication += sg4::Engine::get_clock() - before;
    }
    if (owed_ > 0) sg4::this_actor::sleep_for(owed_), time.communication += owed_;
    time.end = sg4::Engine::get_clock();
    job_.ended[static_cast<std::size_t>(rank_)] = true;
  }

  // What collectives are made of; they talk on their own channel.
  void pass(int to, double bytes) {
    busy(own_send());
    if (auto comm = start_send(to, bytes, tag_, channel_, false)) comm->wait();
  }
  void take(int from, double bytes) {
    busy(0);  // what the last message takes of this rank it does while the next one travels
    start_receive(from, bytes, tag_, channel_)->wait();
    owed_ += own_receive();
  }
  void swap(int to, int from, double bytes) {
    auto in = start_receive(from, bytes, tag_, channel_);
    busy(own_send());
    auto out = start_send(to, bytes, tag_, channel_, false);
    in->wait();
    if (out) out->wait();
    owed_ += own_receive();
  }
  void combine(double bytes) { owed_ += engine::combine_seconds_per_byte * bytes; }

 private:
  int size() const { return job_.skeleton.ranks; }
  int resolve(const Peer& peer) const { return played::resolve(peer, rank_, size()); }

  // Small messages go off at once: their mailbox belongs to the receiver for good. A receiver does not know how large what
  // it gets will be, so it is the way that decides; in a collective both know the size.
  sg4::Mailbox* mailbox(int source, int target, int tag, int channel, double bytes) {
    const Way way = job_.way(source, target, tag, channel);
    const bool at_once = channel <= of_collectives ? job_.eager(bytes) : !job_.meeting.contains(way);
    auto [it, fresh] = mailboxes_.try_emplace({way, at_once}, nullptr);
    if (fresh) {
      const auto [from, to, under, on] = way;
      it->second = sg4::Mailbox::by_name(std::to_string(from) + ">" + std::to_string(to) + ":" + std::to_string(under) + "/" + std::to_string(on) + (at_once ? "e" : "r"));
      if (at_once) it->second->set_receiver(job_.actors[static_cast<std::size_t>(target)]);
    }
    return it->second;
  }
  static std::uint64_t whole(double bytes) { return static_cast<std::uint64_t>(std::max(1.0, bytes)); }

  double own_send() const { return job_.path.send_ns ? 1e-9 * job_.path.send_ns->value : 0; }
  double own_receive() const { return job_.path.receive_ns ? 1e-9 * job_.path.receive_ns->value : 0; }

  sg4::CommPtr start_send(int target, double bytes, int tag, int channel, bool synchronous) {
    job_.messages += channel > of_collectives;
    static char nothing;
    const bool early = job_.eager(bytes) && !synchronous;
    auto comm = mailbox(rank_, target, tag, channel, bytes)->put_init(&nothing, whole(job_.on_wire(bytes)));
    if (early) {
      comm->detach();
      return nullptr;
    }
    comm->start();
    return comm;
  }
  sg4::CommPtr start_receive(int source, double bytes, int tag, int channel) {
    return mailbox(source, rank_, tag, channel, bytes)->get_async<char>(&received_);
  }

  void busy(double seconds) {
    if (double nap = owed_ + seconds; nap > 0) owed_ = 0, sg4::this_actor::sleep_for(nap);
  }

  void perform(const Step& step) {
    switch (step.act) {
      case Act::compute: case Act::probe: case Act::loop: return;
      case Act::other:
        if (step.later) requests_.push_back({});
        return;
      case Act::send: case Act::ssend: {
        int target = resolve(step.to);
        if (target < 0) return;
        if (auto comm = start_send(target, step.bytes, step.tag, step.group, step.act == Act::ssend)) comm->wait();
        return;
      }
      case Act::isend: {
        int target = resolve(step.to);
        requests_.push_back({target < 0 ? nullptr : start_send(target, step.bytes, step.tag, step.group, false)});
        return;
      }
      case Act::receive: {
        int source = resolve(step.from);
        if (source == -2) return;
        start_receive(source, step.bytes, step.tag, step.group)->wait();
        owed_ += own_receive();
        return;
      }
      case Act::ireceive: {
        int source = resolve(step.from);
        requests_.push_back({source == -2 ? nullptr : start_receive(source, step.bytes, step.tag, step.group), nullptr, true});
        return;
      }
      case Act::exchange: {
        int target = resolve(step.to), source = resolve(step.from);
        sg4::CommPtr in = source == -2 ? nullptr : start_receive(source, step.bytes, step.from_tag.value_or(step.tag), step.group);
        sg4::CommPtr out = target < 0 ? nullptr : start_send(target, step.bytes, step.tag, step.group, false);
        if (in) in->wait();
        if (out) out->wait();
        if (in) owed_ += own_receive();
        return;
      }
      case Act::wait: {
        const auto latest = static_cast<long>(requests_.size()) - 1;
        for (int ago : step.requests)
          if (long n = latest - ago; n >= 0) {
            Request& request = requests_[static_cast<std::size_t>(n)];
            if (request.message) request.message->wait();
            if (request.message && request.receives) owed_ += own_receive();
            if (request.collective) request.collective->join();
            request = {};
          }
        return;
      }
      case Act::one_sided: job_.messages++, owed_ += engine::message_seconds(job_.path, step.bytes); return;
      default: begin_collective(step);
    }
  }

  // Played here, or beside what the rank does next.
  void begin_collective(const Step& step) {
    const auto group = static_cast<std::size_t>(step.group);
    static std::vector<int> all;
    if (all.empty())
      for (int i = 0; i < size(); i++) all.push_back(i);
    const std::vector<int>& members = group < job_.skeleton.groups.size() && !job_.skeleton.groups[group].empty() ? job_.skeleton.groups[group] : all;
    if (step.later) requests_.push_back({});
    if (members.size() <= 1) return;
    job_.messages++;
    const double bytes = job_.collective_sizes->next(step.group, members, rank_);
    if (!step.later) return collective(step, members, bytes);
    const int channel = of_collectives - 1 - later_[step.group]++ % channels_for_later;
    requests_.back().collective = sg4::Actor::create("later", sg4::this_actor::get_host(), [&job = job_, rank = rank_, &step, &members, bytes, channel] {
      Rank(job, rank).play(step, members, bytes, channel);
    });
  }

  void collective(const Step& step, const std::vector<int>& members, double bytes) {
    const int n = static_cast<int>(members.size());
    int me = 0, root = 0;
    const int root_rank = resolve(step.to);
    for (int i = 0; i < n; i++) {
      if (members[static_cast<std::size_t>(i)] == rank_) me = i;
      if (members[static_cast<std::size_t>(i)] == root_rank) root = i;
    }
    Collective(*this, members, me, root).play(step.act, job_.way_of(step.act, bytes, n), bytes);
  }

  Job& job_;
  int rank_;
  std::map<std::pair<Way, bool>, sg4::Mailbox*> mailboxes_;
  struct Request {
    sg4::CommPtr message;
    sg4::ActorPtr collective;
    bool receives = false;
  };
  std::vector<Request> requests_;
  std::map<int, int> later_;                       // by group: how many collectives were begun to be waited for
  int channel_ = of_collectives, tag_ = 0;         // of the collectives that are played here
  char* received_ = nullptr;
  double owed_ = 0;  // processor time of receives past
};

}  // namespace

void play_rank(Job& job, int rank, const std::vector<Step>& steps) { Rank(job, rank).run(steps); }

}  // namespace perfcast::played

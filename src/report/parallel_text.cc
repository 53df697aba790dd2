#include "report/parallel_text.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/text.h"
#include "record/messages.h"
#include "record/skeleton.h"

namespace perfcast::report {
namespace {

std::string place(const Location& at, const std::string& function) {
  if (!at.known()) return function.empty() ? "-" : function;
  return std::filesystem::path(at.file).filename().string() + ":" + std::to_string(at.line);
}

std::string messages_text(const Skeleton& s, std::size_t runs) {
  std::string text = fmt::format("\nMessages of {} ranks{}, {} from MPI_Init to MPI_Finalize\n", s.ranks,
                                 runs > 1 ? fmt::format(" (and {} more runs)", runs - 1) : "", time_text(s.elapsed));
  Table sites({"call", "at", "calls", "bytes", "inside", "partners", "calls per rank", "bytes per call"});
  for (const auto& site : s.sites)
    if (site.call != "MPI_Finalize")
      sites.add({site.call, place(site.at, site.function), number_text(site.calls, 6), size_text(site.bytes), time_text(site.seconds), site.partners,
                 site.calls_is, site.bytes_is});
  text += sites.text();
  Table ranks({"rank", "computing", "in calls", "all", "calls", "bytes"});
  for (std::size_t r = 0; r < s.totals.size() && r < 16; r++) {
    const auto& t = s.totals[r];
    ranks.add({std::to_string(r) + (s.counted_rank == static_cast<int>(r) ? " (counted)" : ""), time_text(t.compute), time_text(t.inside), time_text(t.elapsed),
               number_text(t.calls, 6), size_text(t.bytes)});
  }
  text += "\n" + ranks.text();
  for (const auto& gap : s.gaps) text += "gap: " + gap.what + "\n";
  return text;
}

// How much more than the mean the busiest thread has to do, at a few numbers of threads.
std::string uneven_text(const ThreadRegion& region) {
  constexpr double worth_telling = 1.1;
  std::string text;
  for (const char* threads : {"2", "4", "8", "16", "64"})
    if (const auto at = region.uneven.find(threads); at != region.uneven.end() && at->second > worth_telling)
      text += fmt::format("{}{:.2f} times of {} threads", text.empty() ? "the busiest has more to do than the mean: " : ", ", at->second, threads);
  return text;
}

std::string threads_text(const ThreadProfile& t) {
  std::string text = fmt::format("\nParallel regions with {} threads: {}, of which {} outside them\n", t.threads, time_text(t.elapsed), time_text(t.serial));
  Table table({"region", "at", "entries", "wall", "schedule", "iterations", "chunks", "busiest thread", "mean"});
  for (const auto& r : t.regions) {
    double most = 0, sum = 0;
    for (double s : r.seconds) most = std::max(most, s), sum += s;
    table.add({r.function, place(r.at, r.function), number_text(r.entries, 6), time_text(r.wall), r.schedule, number_text(r.iterations, 6), number_text(r.chunks, 6),
               time_text(most), time_text(r.seconds.empty() ? 0 : sum / static_cast<double>(r.seconds.size()))});
  }
  text += table.text();
  for (const auto& r : t.regions) {
    if (r.tasks > 0) text += fmt::format("{} {}: {} tasks\n", r.function, place(r.at, r.function), number_text(r.tasks, 6));
    if (const std::string uneven = uneven_text(r); !uneven.empty()) text += fmt::format("{} {}: {}\n", r.function, place(r.at, r.function), uneven);
  }
  for (const auto& r : t.regions)
    if (r.held > 0) text += fmt::format("{} {}: {} of it under one lock, one thread at a time\n", r.function, place(r.at, r.function), time_text(r.held));
  for (const auto& gap : t.gaps) text += "gap: " + gap.what + "\n";
  return text;
}

void add_series(Table& table, const std::string& name, const std::map<std::string, Measurement>& values, const char* unit) {
  for (const auto& [threads, m] : values) table.add({name, threads, number_text(m.value) + " " + unit});
}

}  // namespace

std::string parallel_text(const Profile& profile) {
  std::string text;
  if (auto messages = part_of<MessageProfile>(profile.messages, ""); messages && *messages && !(*messages)->runs.empty())
    text += messages_text((*messages)->runs.front(), (*messages)->runs.size());
  if (auto threads = part_of<ThreadProfile>(profile.parallel, ""); threads && *threads) text += threads_text(**threads);
  return text;
}

std::string parallel_costs_text(const Machine& machine) {
  std::string text;
  if (auto costs = part_of<MessageCosts>(machine.messages, ""); costs && *costs) {
    text += "\nMessages, " + (*costs)->library + "\n";
    Table laws({"path", "regime", "from", "startup", "per byte", "fit (rms, worst)"});
    for (const auto& p : (*costs)->paths) {
      for (const auto& r : p.regimes)
        laws.add({p.name, r.name, size_text(r.from_bytes), time_text(1e-9 * r.startup_ns), number_text(r.per_byte_ns) + " ns",
                  &r == &p.regimes.front() ? percent_text(p.error) + ", " + percent_text(p.worst_error) : ""});
      if (p.packets) laws.add({p.name, "packets of " + size_text(p.packets->packet_bytes), "", time_text(1e-9 * p.packets->prepare_ns),
                               number_text(p.packets->per_byte_ns) + " ns", percent_text(p.packets->error) + " (equation 5)"});
    }
    text += laws.text();
    Table more({"path", "send", "receive", "rendezvous from"});
    for (const auto& p : (*costs)->paths)
      more.add({p.name, p.send_ns ? time_text(1e-9 * p.send_ns->value) : "-", p.receive_ns ? time_text(1e-9 * p.receive_ns->value) : "-",
                p.rendezvous_bytes ? size_text(*p.rendezvous_bytes) : "-"});
    text += "\n" + more.text();
    Table collective({"path", "collective", "ranks", "8 B", "64 KiB"});
    for (const auto& p : (*costs)->paths)
      for (const auto& [call, by_ranks] : p.collectives)
        for (const auto& [ranks, regimes] : by_ranks) {
          auto at = [&](double bytes) {
            const MessageRegime* chosen = &regimes.front();
            for (const auto& r : regimes)
              if (r.from_bytes <= bytes) chosen = &r;
            return time_text(1e-9 * (chosen->startup_ns + bytes * chosen->per_byte_ns));
          };
          if (!regimes.empty()) collective.add({p.name, call, ranks, at(8), at(65536)});
        }
    if (!collective.empty()) text += "\n" + collective.text();
  }
  if (auto costs = part_of<ThreadCosts>(machine.threads, ""); costs && *costs) {
    text += "\nThreads, " + (*costs)->library + "\n";
    Table table({"cost", "threads", "value"});
    add_series(table, "fork and join", (*costs)->fork_join_ns, "ns");
    add_series(table, "barrier", (*costs)->barrier_ns, "ns");
    auto one = [&](const char* name, const char* threads, const std::optional<Measurement>& m) {
      if (m) table.add({name, threads, number_text(m->value) + " ns"});
    };
    one("atomic addition", "1", (*costs)->atomic_ns);
    one("atomic addition", "2", (*costs)->contended_atomic_ns);
    one("store to a shared line", "2", (*costs)->false_sharing_ns);
    one("chunk of a dynamic loop", "all", (*costs)->dispatch_ns);
    add_series(table, "memory bandwidth", (*costs)->bandwidth_gb_per_s, "GB/s");
    text += table.text();
  }
  return text;
}

}  // namespace perfcast::report

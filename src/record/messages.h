// What messages and threads cost on a machine (Machine::messages, Machine::threads). Every number is measured with
// relative weights and non-negative coefficients; nanoseconds and bytes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "record/measurement.h"

namespace perfcast {

// time = startup + bytes * per_byte, from `from_bytes` on.
struct MessageRegime {
  std::string name;       // "eager", "rendezvous"
  double from_bytes = 0;
  double startup_ns = 0, per_byte_ns = 0;
  bool operator==(const MessageRegime&) const = default;
};
template <class Fields>
void describe(Fields& f, MessageRegime& r) {
  f("name", r.name), f("from_bytes", r.from_bytes), f.need("startup_ns", r.startup_ns), f.need("per_byte_ns", r.per_byte_ns);
}

// Packet switching over d hops (Papaefstathiou et al. 1994, equation 5).
struct PacketLaw {
  double packet_bytes = 0, header_bytes = 0;
  double prepare_ns = 0;         // alpha
  double startup_ns = 0;         // beta
  double per_byte_ns = 0;        // tau
  double prepare_packet_ns = 0;  // alpha 2
  double error = 0;              // root mean square of the relative residuals
  bool operator==(const PacketLaw&) const = default;
};
template <class Fields>
void describe(Fields& f, PacketLaw& p) {
  f.need("packet_bytes", p.packet_bytes), f("header_bytes", p.header_bytes), f.need("prepare_ns", p.prepare_ns);
  f.need("startup_ns", p.startup_ns), f.need("per_byte_ns", p.per_byte_ns), f.need("prepare_packet_ns", p.prepare_packet_ns);
  f("error", p.error);
}

// One way between ranks.
struct MessagePath {
  std::string name;       // "shared memory", "tcp", "network"
  std::vector<MessageRegime> regimes;       // by from_bytes; the first from 0
  double error = 0, worst_error = 0;        // relative residuals of the fit: root mean square, largest
  std::optional<PacketLaw> packets;         // where it fits with positive coefficients
  std::optional<Measurement> send_ns, receive_ns;  // processor time that a small message takes of its sender, receiver
  std::optional<double> rendezvous_bytes;   // from here on the sender waits for its receiver
  std::map<std::string, std::map<std::string, std::vector<MessageRegime>>> collectives;  // call, ranks: measured cost
  bool operator==(const MessagePath&) const = default;
};
template <class Fields>
void describe(Fields& f, MessagePath& p) {
  f.need("name", p.name), f.need("regimes", p.regimes), f("error", p.error), f("worst_error", p.worst_error);
  f("packets", p.packets), f("send_ns", p.send_ns), f("receive_ns", p.receive_ns), f("rendezvous_bytes", p.rendezvous_bytes);
  f("collectives", p.collectives);
}

struct MessageCosts {
  std::string library;     // "mpirun (Open MPI) 4.1.4"
  std::vector<MessagePath> paths;  // the first is what a program gets when it asks for nothing
  bool operator==(const MessageCosts&) const = default;
};
template <class Fields>
void describe(Fields& f, MessageCosts& m) { f("library", m.library), f.need("paths", m.paths); }

// Threads of one process; keys of the maps are numbers of threads.
struct ThreadCosts {
  int processors = 0;
  std::string library;     // "libgomp", "libomp"
  std::map<std::string, Measurement> fork_join_ns, barrier_ns;
  std::optional<Measurement> atomic_ns, contended_atomic_ns;  // an addition, one thread; two threads on one word
  std::optional<Measurement> false_sharing_ns;   // a store to a line another thread stores to
  std::optional<Measurement> dispatch_ns;        // a chunk of schedule(dynamic, 1)
  std::map<std::string, Measurement> bandwidth_gb_per_s;  // all threads together, reading memory
  bool operator==(const ThreadCosts&) const = default;
};
template <class Fields>
void describe(Fields& f, ThreadCosts& t) {
  f("processors", t.processors), f("library", t.library), f("fork_join_ns", t.fork_join_ns), f("barrier_ns", t.barrier_ns);
  f("atomic_ns", t.atomic_ns), f("contended_atomic_ns", t.contended_atomic_ns), f("false_sharing_ns", t.false_sharing_ns);
  f("dispatch_ns", t.dispatch_ns), f("bandwidth_gb_per_s", t.bandwidth_gb_per_s);
}

}  // namespace perfcast

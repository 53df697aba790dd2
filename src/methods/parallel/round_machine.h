// What the tests of this room share: a machine whose messages and threads cost round numbers, and a model's answer.
#pragma once

#include "methods/parallel/parallel.h"
#include "record/messages.h"

namespace perfcast::parallel {

inline Machine machine() {
  Machine m;
  m.name = "round";
  MessagePath path;
  path.name = "link", path.regimes = {{"all", 0, 1000, 1}}, path.rendezvous_bytes = 1e12;
  m.messages = to_json_value(MessageCosts{"none", {path}});
  ThreadCosts threads;
  threads.processors = 4;
  threads.fork_join_ns["1"].value = 100, threads.fork_join_ns["4"].value = 1000;
  threads.bandwidth_gb_per_s["1"].value = 10, threads.bandwidth_gb_per_s["4"].value = 20;
  m.threads = to_json_value(threads);
  return m;
}

inline ModelPrediction icc(double seconds) {
  ModelPrediction p;
  p.model = Model::icc, p.seconds = seconds, p.interval = {0.9 * seconds, 1.1 * seconds}, p.parts = {{"core", seconds, {}, {}}};
  return p;
}

}  // namespace perfcast::parallel

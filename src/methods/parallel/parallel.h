// How long will it take on P processors? Computation by any resource model, communication by closed forms, waiting by the
// template or by playing the recorded skeleton (Papaefstathiou et al. 1994, section 2: the layers are exchangeable).
//
//   an MPI program      its recorded skeleton, computation scaled to what the model says, played against the machine's
//                       message laws, or in SimGrid on a platform
//   a threaded program  serial part + regions: work over threads, imbalance, memory bandwidth, fork and join
//   any program         a template applied to its whole work
#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/messages/replay.h"
#include "methods/parallel/templates.h"
#include "record/machine.h"
#include "record/prediction.h"
#include "record/profile.h"

namespace perfcast::parallel {

struct ParallelOptions {
  int ranks = 0;                       // 0: as many as were recorded
  int threads = 0;
  std::map<std::string, double> set;   // parameters of the template or of the skeleton
  std::string path;                    // "shared memory", "tcp"; empty: the machine's first
  std::string network;                 // empty: closed forms of the path; "simgrid"; or a network of data/networks
  std::string platform;                // simgrid: a platform file, or the name of a bundled one
  std::string pattern;                 // a template for a program without messages
};

// How many times as long computation takes when so many processors of one host share its memory: of the part that waits for
// memory, n * bandwidth(1) / bandwidth(n). 1 when the machine's threads were not measured.
double crowding(const ModelPrediction& one, const Machine& machine, double processors);

// The path by name; the first when the name is empty.
Result<MessagePath> path_of(const Machine& machine, const std::string& name);

// A machine of today without message costs gets those of another one, with an error wide enough for that, and the sentence
// that says so; nothing when it has its own, or when `other` has none or one of them is a historical machine.
std::optional<std::string> borrow_messages(Machine& machine, const Machine& other);

// What a prediction for one processor becomes. Parts are computation, communication, waiting (in SimGrid the latter two are
// one); the model's own parts, as much of them as this computation is, are kept as the view "computation".
Result<ModelPrediction> on_ranks(const ModelPrediction& one, const Profile& profile, const Machine& machine, const ParallelOptions& options);
Result<ModelPrediction> on_threads(const ModelPrediction& one, const Profile& profile, const Machine& machine, const ParallelOptions& options);
Result<ModelPrediction> by_template(const ModelPrediction& one, const Machine& machine, const ParallelOptions& options);

// The skeleton for so many ranks and these parameters: recorded, or continued from several recordings when what ranks do
// depends only on being first, last or between. Remarks say what was assumed.
Result<Skeleton> skeleton_for(const MessageProfile& recorded, int ranks, const std::map<std::string, double>& set, std::vector<std::string>& remarks);

// A form with few terms through all points, exactly; of P and the parameters. None: no such form is known.
struct Form {
  std::string expression;
  double value = 0;       // at the wanted point
};
std::optional<Form> exact_form(const std::vector<std::map<std::string, double>>& points, const std::vector<double>& values,
                               const std::map<std::string, double>& at);

// Per-call-site counts and sizes as expressions in P and the parameters, where several runs allow it.
void describe_sites(MessageProfile& recorded);

// The skeleton played in SimGrid by the helper program perfcast-simgrid. Weights, by rank: its computation over that of its
// program; none: all alike. Communication and waiting are not told apart there: both are `communication`.
Result<engine::ReplayResult> simgrid_replay(const Skeleton& skeleton, const MessagePath& path, const std::string& platform, const std::vector<double>& weights = {});

}  // namespace perfcast::parallel

#include "methods/predict/recorded_run.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"

namespace perfcast::predict {
namespace {

// A counted run is up to twice as slow as a plain one, and a neighbour on the core may slow it twofold; what is farther off, by
// more than starting a process may take, is worth a word.
constexpr double far_slower = 3, far_faster = 1.7, least_difference = 5e-3;

// Whether the counted run took place on this machine: by the name of the host, since nothing else tells machines apart that
// were made alike. What was counted under emulation, or as a copy for another processor, tells nothing.
bool ran_there(const Profile& profile, const Machine& machine) {
  const MadeBy &run = profile.made_by, &measured = machine.made_by;
  return !run.host.empty() && run.host == measured.host && !run.more.contains("counted") && profile.run.target.empty() &&
         profile.run.isa == machine.isa && profile.parallel.is_null() && (profile.messages.is_null() || profile.run.libraries_cut);  // then it is what the counted rank computed
}

bool far_from(double recorded, double predicted) {
  if (recorded > predicted) return recorded > far_slower * predicted + least_difference;
  return predicted > far_faster * recorded + least_difference;
}

// Gaps of the source level alone say nothing about compiled code: they have a place in the source. Nor is it worth a word that
// rare functions were left out, whose share is known to be small.
bool concerns_compiled_code(const Gap& gap) {
  return !gap.at.known() && !gap.what.starts_with("the source level") && gap.what.find("rarely executed") == gap.what.npos;
}

}  // namespace

void hold_against_run(const Profile& profile, const Machine& machine, ModelPrediction& prediction) {
  const ProgramRun& run = profile.run;
  std::vector<Gap> gaps;
  std::ranges::copy_if(profile.gaps, std::back_inserter(gaps), concerns_compiled_code);
  prediction.gaps.insert(prediction.gaps.begin(), gaps.begin(), gaps.end());
  if (!run.ending.empty()) prediction.remarks.push_back("the recorded run " + run.ending);
  if (run.seconds <= 0) return;
  // What is missing took no longer than the run; how much faster or slower the other machine is, nobody knows.
  constexpr double other_machine = 2;
  const bool there = ran_there(profile, machine);
  if (run.libraries_cut) prediction.interval[1] = std::max(prediction.interval[1], run.seconds * (there ? 1 : other_machine));
  if (there && far_from(run.seconds, prediction.seconds))
    prediction.remarks.push_back("the recorded run took " + time_text(run.seconds) + " on this machine, " + time_text(prediction.seconds) +
                                 " are predicted: something is not costed as it was there");
}

}  // namespace perfcast::predict

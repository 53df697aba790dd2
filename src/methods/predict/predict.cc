#include "methods/predict/predict.h"

#include <algorithm>
#include <cmath>

#include "base/statistics.h"
#include "engine/scaling/profile_at.h"
#include "methods/predict/missing_parts.h"
#include "methods/predict/models.h"

namespace perfcast::predict {
namespace {

struct Entry {
  Model model;
  AnswerFunction* answer;
};

// The ladder, from the least to the most detailed; without a choice the most detailed that can answer is taken.
constexpr Entry ladder[] = {
    {Model::dbc, answer_dbc},
    {Model::poc, answer_poc},
    {Model::hllc, answer_hllc},
    {Model::intcc, answer_intcc},
    {Model::icc, answer_icc},
    {Model::ct, answer_ct},
};

AnswerFunction* answer_of(Model model) {
  for (const auto& entry : ladder)
    if (entry.model == model) return entry.answer;
  throw Bug("a model without a line in the ladder");
}

// What the model says, and what of the machine it had to do without.
Answer answer_by(Model model, const Profile& profile, const Machine& machine, const PredictOptions& options) {
  Answer answer = answer_of(model)(profile, machine, options);
  if (answer)
    for (std::string& missing : missing_parts(profile, machine, model)) answer->remarks.push_back(std::move(missing));
  return answer;
}

std::string reason(Model model, const std::string& why) { return std::string(word_of(model)) + ": " + why; }

void remember(std::vector<std::string>& list, std::string text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

// The most detailed model that answers; what stands in the way of better ones becomes a remark.
Answer best_answer(const Profile& profile, const Machine& machine, const PredictOptions& options) {
  std::string passed_over;
  for (Model model : {Model::icc, Model::intcc, Model::hllc, Model::dbc, Model::poc}) {
    Answer answer = answer_by(model, profile, machine, options);
    if (answer) {
      if (!passed_over.empty())
        answer->remarks.insert(answer->remarks.begin(), "the best that can answer; " + passed_over);
      return answer;
    }
    passed_over += (passed_over.empty() ? "" : "; ") + reason(model, answer.error());
  }
  return std::unexpected(passed_over);
}

// Other parameters than those of the recorded run: the profile at these, and wider intervals where laws were needed.
Result<Prediction> predict_at(const Profile& profile, std::span<const Machine> machines, const PredictOptions& options) {
  TRY(engine::SizedProfile sized, engine::profile_at(profile, options.set));
  sized.profile.source.reset();  // its counts are known for the recorded run only
  PredictOptions here = options;
  here.set.clear();
  TRY(Prediction result, predict(sized.profile, machines, here));
  for (ModelPrediction& prediction : result.predictions) {
    double factor = std::exp(student_t(options.confidence, 30) * sized.spread);
    prediction.interval = {prediction.interval[0] / factor, prediction.interval[1] * factor};
    prediction.remarks.insert(prediction.remarks.begin(), sized.warnings.begin(), sized.warnings.end());
  }
  return result;
}

}  // namespace

Result<Prediction> predict(const Profile& profile, std::span<const Machine> machines, const PredictOptions& options) {
  ensure(!machines.empty(), "predict is given at least one machine");
  if (!options.set.empty()) return predict_at(profile, machines, options);
  Prediction result;
  result.program = profile.program;
  result.made_by = made_here();
  result.measured = options.timed;
  for (const auto& machine : machines) {
    if (options.models.empty()) {
      Answer answer = best_answer(profile, machine, options);
      if (answer) result.predictions.push_back(std::move(*answer));
      else remember(result.refused, answer.error());
    }
    for (Model model : options.models) {
      if (model == Model::ct && &machine != &machines.front()) continue;  // timed once, whatever the machines
      Answer answer = answer_by(model, profile, machine, options);
      if (answer) result.predictions.push_back(std::move(*answer));
      else remember(result.refused, reason(model, answer.error()));
    }
  }
  if (result.predictions.empty()) {
    std::string why;
    for (const auto& text : result.refused) why += (why.empty() ? "" : "; ") + text;
    return unfit("no model can answer: " + why, profile.program, "perfcast analyze the program, or another --machine");
  }
  return result;
}

}  // namespace perfcast::predict

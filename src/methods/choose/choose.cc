#include "methods/choose/choose.h"

#include <algorithm>
#include <tuple>

#include "record/comparison.h"

namespace perfcast::choose {
namespace {

OfferedTime time_of(const Prediction& program, const ModelPrediction& answer) {
  OfferedTime time;
  time.program = program.program, time.model = word_of(answer.model);
  time.seconds = answer.seconds, time.interval = answer.interval;
  if (answer.seconds > 0)
    for (const Part& part : answer.parts) time.shares[resource_of(part.name)] += part.seconds / answer.seconds;
  for (const auto& [resource, share] : time.shares)
    if (share > time.mostly_share) time.mostly_share = share, time.mostly = resource;
  return time;
}

Deadline against(const MachineOffer& offer, const std::optional<double>& deadline) {
  if (!deadline) return Deadline::none;
  if (offer.interval[1] <= *deadline) return Deadline::met;
  if (offer.interval[0] > *deadline) return Deadline::missed;
  return offer.seconds <= *deadline ? Deadline::likely : Deadline::unlikely;
}

MachineOffer offer_of(std::span<const Prediction> programs, const std::string& machine, const ChooseOptions& options) {
  MachineOffer offer;
  offer.machine = machine;
  for (const Prediction& program : programs) {
    const ModelPrediction* answer = answer_for(program, machine);
    if (!answer) {
      offer.complete = false;
      offer.remarks.push_back("no model answers for " + program.program);
      continue;
    }
    offer.programs.push_back(time_of(program, *answer));
    // Models err alike on one machine: the ends of the intervals are added, not their squares.
    offer.seconds += answer->seconds, offer.interval[0] += answer->interval[0], offer.interval[1] += answer->interval[1];
    for (const auto& remark : answer->remarks)
      if (std::ranges::find(offer.remarks, remark) == offer.remarks.end()) offer.remarks.push_back(remark);
  }
  if (auto price = options.price_per_hour.find(machine); price != options.price_per_hour.end()) {
    double per_second = price->second / 3600;
    offer.price_per_hour = price->second, offer.cost = offer.seconds * per_second;
    offer.cost_interval = {{offer.interval[0] * per_second, offer.interval[1] * per_second}};
  }
  offer.deadline = against(offer, options.deadline_seconds);
  return offer;
}

void add_gains(std::vector<MachineOffer>& offers) {
  std::map<std::string, double> reference;
  for (const OfferedTime& time : offers.front().programs) reference[time.program] = time.seconds;
  for (MachineOffer& offer : offers)
    for (OfferedTime& time : offer.programs)
      if (auto base = reference.find(time.program); base != reference.end() && time.seconds > 0) time.gain = base->second / time.seconds;
}

void add_values(std::vector<MachineOffer>& offers) {
  double best = 0;
  auto phi = [](const MachineOffer& o) { return 1 / (o.seconds * *o.cost); };
  auto counts = [](const MachineOffer& o) { return o.complete && o.cost && *o.cost > 0 && o.seconds > 0; };
  for (const MachineOffer& offer : offers)
    if (counts(offer)) best = std::max(best, phi(offer));
  for (MachineOffer& offer : offers)
    if (counts(offer)) offer.value = phi(offer) / best;
}

}  // namespace

const ModelPrediction* answer_for(const Prediction& program, const std::string& machine) {
  const ModelPrediction* best = nullptr;
  for (const ModelPrediction& p : program.predictions)
    if (p.machine == machine && (!best || p.model > best->model)) best = &p;
  return best;
}

Choice choose(std::span<const Prediction> programs, std::span<const std::string> machines, const ChooseOptions& options) {
  Choice choice;
  choice.deadline_seconds = options.deadline_seconds;
  for (const std::string& machine : machines) choice.offers.push_back(offer_of(programs, machine, options));
  if (choice.offers.empty()) return choice;
  add_gains(choice.offers);
  add_values(choice.offers);
  std::ranges::sort(choice.offers, {}, [](const MachineOffer& o) { return std::tuple(!o.complete, o.seconds, o.machine); });
  const MachineOffer *fastest = nullptr, *cheapest = nullptr, *best = nullptr;
  for (const MachineOffer& offer : choice.offers) {
    bool in_time = offer.deadline == Deadline::none || offer.deadline == Deadline::met || offer.deadline == Deadline::likely;
    if (!offer.complete || !in_time) continue;
    if (!fastest) fastest = &offer;
    if (offer.cost && (!cheapest || *offer.cost < *cheapest->cost)) cheapest = &offer;
    // What costs nothing gives more for the money than anything that has a price; of two such the faster one, which comes first.
    const bool free = offer.cost && *offer.cost <= 0, best_free = best && *best->cost <= 0;
    if (free ? !best_free : offer.value && !best_free && (!best || *offer.value > *best->value)) best = &offer;
    if (!offer.cost && !options.price_per_hour.empty()) choice.remarks.push_back(offer.machine + " has no price");
  }
  if (fastest) choice.fastest = fastest->machine;
  if (cheapest) choice.cheapest = cheapest->machine;
  if (best) choice.best_value = best->machine;
  if (!fastest && options.deadline_seconds) choice.remarks.push_back("no machine is likely to meet the deadline");
  // Intervals that overlap leave the order open.
  for (const MachineOffer& offer : choice.offers)
    if (fastest && &offer != fastest && offer.complete && offer.interval[0] < fastest->interval[1])
      choice.remarks.push_back(offer.machine + " may be as fast as " + fastest->machine + ": their intervals overlap");
  return choice;
}

}  // namespace perfcast::choose

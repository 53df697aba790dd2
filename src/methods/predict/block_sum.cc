#include "methods/predict/block_sum.h"

#include <algorithm>
#include <cmath>

namespace perfcast::predict {
namespace {

bool lies_in(const Location& at, const Region& region) {
  return at.known() && at.file == region.file && region.first_line <= at.line && at.line <= region.last_line;
}

}  // namespace

void BlockSum::add(const Function& function, const Block& block, std::span<const Share> shares) {
  double executions = block.count.value, seconds = 0;
  for (const auto& share : shares) {
    auto& amount = resources_[share.resource];
    amount.units += executions * share.units;
    amount.seconds += executions * share.seconds;
    amount.sd += executions * share.sd;
    seconds += executions * share.seconds;
  }
  auto count_in = [&](const char* view, const std::string& name) {
    auto& amount = views_[view][name];
    amount.units += executions, amount.seconds += seconds;
  };
  count_in("function", function.readable.empty() ? function.name : function.readable);
  if (block.at.known()) count_in("line", block.at.text());
  for (const auto& region : regions_)
    if (lies_in(block.at, region)) count_in("region", region.name);
}

void BlockSum::add_outside(const Share& share) {
  auto& amount = resources_[share.resource];
  amount.units += share.units, amount.seconds += share.seconds, amount.sd += share.sd;
}

double BlockSum::seconds() const {
  double total = 0;
  for (const auto& [name, amount] : resources_) total += amount.seconds;
  return total;
}

double BlockSum::variance() const {
  double total = 0;
  for (const auto& [name, amount] : resources_) total += amount.sd * amount.sd;
  return total;
}

std::vector<Part> BlockSum::parts_of(const Amounts& amounts, bool with_deviation) {
  std::vector<Part> parts;
  for (const auto& [name, amount] : amounts) {
    Part part{name, amount.seconds, amount.units, {}};
    if (with_deviation) part.sd = amount.sd;
    parts.push_back(std::move(part));
  }
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return a.seconds != b.seconds ? a.seconds > b.seconds : a.name < b.name;
  });
  return parts;
}

void BlockSum::store(ModelPrediction& prediction) const {
  prediction.seconds = seconds();
  prediction.sd = std::sqrt(variance());
  prediction.parts = parts_of(resources_, true);
  for (const auto& [view, amounts] : views_)
    if (amounts.size() > 1 || view != "function") prediction.views[view] = parts_of(amounts, false);
}

}  // namespace perfcast::predict

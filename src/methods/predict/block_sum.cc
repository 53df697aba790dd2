#include "methods/predict/block_sum.h"

#include <algorithm>
#include <cmath>

namespace perfcast::predict {
namespace {

bool lies_in(const Location& at, const Region& region) {
  return at.known() && at.file == region.file && region.first_line <= at.line && at.line <= region.last_line;
}

// The lines a block stands for, with their parts of it. Machine code comes from several lines: each has the part that
// its instructions are of the block.
std::map<std::string, double> lines_of(const Block& block) {
  std::map<std::string, double> lines;
  double known = 0;
  for (const Instruction& instruction : block.code)
    if (instruction.line > 0) {
      const std::string& file = instruction.file.empty() ? block.at.file : instruction.file;
      if (!file.empty()) lines[Location{file, instruction.line, 0}.text()]++, known++;
    }
  for (auto& [line, part] : lines) part /= known;
  if (lines.empty() && block.at.known()) lines[block.at.text()] = 1;
  return lines;
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
  view(function, block, executions, seconds);
}

void BlockSum::view(const Function& function, const Block& block, double executions, double seconds) {
  auto count_in = [&](const char* view, const std::string& name) {
    auto& amount = views_[view][name];
    amount.units += executions, amount.seconds += seconds;
  };
  count_in("function", function.readable.empty() ? function.name : function.readable);
  for (const auto& [line, part] : lines_of(block)) {
    auto& amount = views_["line"][line];
    amount.units += executions, amount.seconds += part * seconds;
  }
  for (const auto& region : regions_)
    if (lies_in(block.at, region)) count_in("region", region.name);
}

void BlockSum::add_outside(const Share& share) {
  auto& amount = resources_[share.resource];
  amount.units += share.units, amount.seconds += share.seconds, amount.sd += share.sd;
}

void BlockSum::show_at(const Function& function, const Block& block, double seconds) { view(function, block, 0, seconds); }

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
    prediction.views[view] = parts_of(amounts, false);
}

}  // namespace perfcast::predict

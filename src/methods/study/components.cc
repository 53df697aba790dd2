#include "methods/study/components.h"

#include <filesystem>

#include "base/files.h"
#include "base/samples.h"

namespace perfcast::study {
namespace fs = std::filesystem;
namespace {

bool same_file(const std::string& seen, const std::string& file) {
  return fs::path(seen).filename() == fs::path(file).filename();
}

}  // namespace

std::map<std::string, double> count_nodes(const std::vector<CodePlace>& places, const std::vector<Region>& regions) {
  std::map<std::string, double> counts;
  for (const auto& place : places) {
    if (regions.empty() && !place.function.empty()) counts[place.function]++;
    for (const auto& region : regions)
      if (same_file(place.file, region.file) && region.first_line <= place.line && place.line <= region.last_line) counts[region.name]++;
  }
  return counts;
}

Result<Components> component_shares(const RunRequest& plain, const std::vector<Region>& regions, const ComponentOptions& options) {
  TRY(TemporaryFolder folder, TemporaryFolder::make("components"));
  TRY(const RunRequest request, sampled(plain, folder.file("samples"), 1e6));  // some 1500 looks in all
  double cpu = 0;
  std::vector<unsigned long long> places_seen;
  for (int i = 0; i < options.most_runs && cpu < options.at_least.value; i++) {
    TRY(RunOutcome outcome, run_program(request));
    if (outcome.ending != Ending::exited) return unfit("the program " + outcome.how_it_ended(request.limits), plain.command[0]);
    cpu += outcome.cpu.value;
    if (auto samples = take_samples(folder.file("samples"))) places_seen.insert(places_seen.end(), samples->places.begin(), samples->places.end());
  }
  const double looks = static_cast<double>(places_seen.size());
  if (looks < 20) return unfit("the program is too short to time its parts", plain.command[0], "give it a larger problem");
  TRY(std::vector<CodePlace> places, code_places(plain.command[0], places_seen));
  Components result;
  result.looks = looks, result.view = regions.empty() ? "function" : "region";
  for (const auto& [node, count] : count_nodes(places, regions)) result.shares[node] = count / looks;
  return result;
}

}  // namespace perfcast::study

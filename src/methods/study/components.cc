#include "methods/study/components.h"

#include <filesystem>
#include <sstream>

#include "base/files.h"
#include "base/paths.h"

namespace perfcast::study {
namespace fs = std::filesystem;
namespace {

Result<std::string> build_sampler(const TemporaryFolder& folder) {
  for (const char* name : {"cc", "gcc", "clang-19", "clang"}) {
    auto compiler = find_program(name);
    if (!compiler) continue;
    RunRequest build;
    build.command = {*compiler, "-O2", "-fPIC", "-shared", (bundled_data() / "runtime/sampler.c").string(), "-o", folder.file("sampler.so"), "-lrt"};
    TRY(RunOutcome built, run_program(build));
    if (built.ok()) return folder.file("sampler.so");
    return unfit("the sampler does not compile:\n" + built.errors, *compiler);
  }
  return unfit("component timing needs a C compiler", "", "install gcc or clang");
}

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
  TRY(std::string sampler, build_sampler(folder));
  RunRequest request = plain;
  request.environment["LD_PRELOAD"] = sampler;
  request.environment["PERFCAST_SAMPLES"] = folder.file("samples");
  double cpu = 0, looks = 0;
  std::vector<unsigned long long> inside;
  for (int i = 0; i < options.most_runs && cpu < options.at_least.value; i++) {
    TRY(RunOutcome outcome, run_program(request));
    if (outcome.ending != Ending::exited) return unfit("the program " + outcome.how_it_ended(request.limits), plain.command[0]);
    cpu += outcome.cpu.value;
    auto text = read_file(folder.file("samples"));
    if (!text) continue;  // too short to be looked at even once
    std::istringstream in(*text);
    for (std::string line; std::getline(in, line);) {
      looks++;
      if (line != "-") inside.push_back(std::strtoull(line.c_str(), nullptr, 16));
    }
    std::error_code ignored;
    fs::remove(folder.file("samples"), ignored);
  }
  if (looks < 20) return unfit("the program is too short to time its parts", plain.command[0], "give it a larger problem");
  TRY(std::vector<CodePlace> places, code_places(plain.command[0], inside));
  Components result;
  result.looks = looks, result.view = regions.empty() ? "function" : "region";
  for (const auto& [node, count] : count_nodes(places, regions)) result.shares[node] = count / looks;
  return result;
}

}  // namespace perfcast::study

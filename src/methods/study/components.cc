#include "methods/study/components.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>

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

// What the sampler wrote (data/runtime/sampler.c): eight words, then places; those in libraries have no name later. Returns
// how many there are.
double add_places(const std::string& bytes, std::vector<unsigned long long>& places) {
  constexpr std::size_t head_words = 8, taken_word = 2, base_word = 3, word_bytes = 8;
  auto word = [&](std::size_t k) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + word_bytes * k, word_bytes);
    return value;
  };
  if (bytes.size() < word_bytes * head_words) return 0;
  const std::size_t taken = std::min<std::size_t>(word(taken_word), bytes.size() / word_bytes - head_words);
  for (std::size_t k = 0; k < taken; k++) places.push_back(word(head_words + k) - word(base_word));
  return static_cast<double>(taken);
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
  request.environment["PERFCAST_SAMPLE_NS"] = "1000000";  // some 1500 looks in all
  double cpu = 0, looks = 0;
  std::vector<unsigned long long> inside;
  for (int i = 0; i < options.most_runs && cpu < options.at_least.value; i++) {
    TRY(RunOutcome outcome, run_program(request));
    if (outcome.ending != Ending::exited) return unfit("the program " + outcome.how_it_ended(request.limits), plain.command[0]);
    cpu += outcome.cpu.value;
    if (auto bytes = read_file(folder.file("samples"))) looks += add_places(*bytes, inside);
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

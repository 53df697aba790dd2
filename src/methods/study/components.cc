#include "methods/study/components.h"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "base/files.h"
#include "base/paths.h"
#include "base/text.h"

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

// Addresses in the executable itself, one per line; what was seen in libraries is a line "-".
Result<std::string> symbolize(const std::string& executable, const std::string& addresses_file) {
  RunRequest request;
  if (auto tool = find_program("llvm-symbolizer-19")) {
    request.command = {*tool, "--obj=" + executable, "--inlining=false", "--functions=linkage", "--no-demangle"};
  } else if (auto other = find_program("addr2line")) {
    request.command = {*other, "-f", "-e", executable};
  } else {
    return unfit("component timing needs llvm-symbolizer-19 or addr2line", "", "apt install llvm-19 or binutils");
  }
  request.input_file = addresses_file;
  request.limits.output = Bytes{256.0 * (1 << 20)};
  TRY(RunOutcome outcome, run_program(request));
  if (!outcome.ok()) return unfit("looking up places failed: the tool " + outcome.how_it_ended(), request.command[0]);
  return outcome.output;
}

bool same_file(const std::string& seen, const std::string& file) {
  return fs::path(seen).filename() == fs::path(file).filename();
}

}  // namespace

std::map<std::string, double> count_nodes(const std::string& symbolized, const std::vector<Region>& regions) {
  std::map<std::string, double> counts;
  std::istringstream in(symbolized);
  for (std::string function, place; std::getline(in, function);) {
    if (function.empty()) continue;  // llvm-symbolizer ends each answer with an empty line
    if (!std::getline(in, place)) break;
    if (regions.empty()) {
      if (function != "??") counts[function]++;
      continue;
    }
    // file:line[:column], where the file may hold colons itself; addr2line may add " (discriminator n)".
    auto words = split(place.substr(0, place.find(' ')), ':');
    std::string file;
    int line = 0;
    for (const auto& word : words) {
      if (!file.empty() && !word.empty() && word.find_first_not_of("0123456789") == word.npos) {
        line = std::atoi(word.c_str());
        break;
      }
      file += (file.empty() ? "" : ":") + word;
    }
    for (const auto& region : regions)
      if (same_file(file, region.file) && region.first_line <= line && line <= region.last_line) counts[region.name]++;
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
  std::string inside;
  for (int i = 0; i < options.most_runs && cpu < options.at_least.value; i++) {
    TRY(RunOutcome outcome, run_program(request));
    if (outcome.ending != Ending::exited) return unfit("the program " + outcome.how_it_ended(request.limits), plain.command[0]);
    cpu += outcome.cpu.value;
    auto text = read_file(folder.file("samples"));
    if (!text) continue;  // too short to be looked at even once
    std::istringstream in(*text);
    for (std::string line; std::getline(in, line);) {
      looks++;
      if (line != "-") inside += line + "\n";
    }
    std::error_code ignored;
    fs::remove(folder.file("samples"), ignored);
  }
  if (looks < 20) return unfit("the program is too short to time its parts", plain.command[0], "give it a larger problem");
  CHECK_OK(write_file(folder.file("addresses"), inside));
  TRY(std::string symbolized, symbolize(plain.command[0], folder.file("addresses")));
  Components result;
  result.looks = looks, result.view = regions.empty() ? "function" : "region";
  for (const auto& [node, count] : count_nodes(symbolized, regions)) result.shares[node] = count / looks;
  return result;
}

}  // namespace perfcast::study

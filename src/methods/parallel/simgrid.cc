// SimGrid lives in a program of its own (src/simgrid), built where the library is there: perfcast links nothing of it.
#include <filesystem>

#include "base/files.h"
#include "base/paths.h"
#include "base/process.h"
#include "methods/parallel/parallel.h"

namespace perfcast::parallel {
namespace fs = std::filesystem;
namespace {

std::optional<std::string> find_helper() {
  std::error_code ignored;
  if (fs::path self = fs::read_symlink("/proc/self/exe", ignored); !self.empty())
    if (fs::path beside = self.parent_path() / "perfcast-simgrid"; fs::exists(beside, ignored)) return beside.string();
  return find_program("perfcast-simgrid");
}

Result<std::string> find_platform(const std::string& name) {
  if (name.empty() || name == "measured") return std::string("measured");
  std::error_code ignored;
  if (fs::exists(name, ignored)) return name;
  if (fs::path bundled = bundled_data() / "platforms" / (name + ".xml"); fs::exists(bundled, ignored)) return bundled.string();
  return unfit("there is no such platform", name, "a SimGrid platform file, measured, or one of data/platforms");
}

}  // namespace

Result<engine::ReplayResult> simgrid_replay(const Skeleton& skeleton, const MessagePath& path, const std::string& platform, const std::vector<double>& weights) {
  auto helper = find_helper();
  if (!helper) return unfit("perfcast was built without SimGrid", "--network simgrid", "apt install libsimgrid-dev and build again, or leave --network away");
  TRY(std::string file, find_platform(platform));
  TRY(TemporaryFolder folder, TemporaryFolder::make("simgrid"));
  Json input = {{"skeleton", to_json_value(skeleton)}, {"path", to_json_value(path)}, {"weights", weights}};
  CHECK_OK(write_file(folder.file("input.json"), input.dump()));
  RunRequest request;
  request.command = {*helper, folder.file("input.json"), file};
  TRY(RunOutcome outcome, run_program(request));
  if (!outcome.ok()) {
    std::string said = outcome.errors.size() > 1500 ? outcome.errors.substr(outcome.errors.size() - 1500) : outcome.errors;
    return unfit("SimGrid could not play the skeleton: the helper " + outcome.how_it_ended() + "\n" + said, file);
  }
  TRY(Json answer, parse_json(outcome.output, "perfcast-simgrid"));
  engine::ReplayResult result;
  try {
    result.seconds = answer.at("seconds").get<double>(), result.messages = answer.at("messages").get<double>();
    result.remarks = answer.at("remarks").get<std::vector<std::string>>();
    for (const auto& r : answer.at("ranks")) result.ranks.push_back({r.at(0).get<double>(), r.at(1).get<double>(), r.at(2).get<double>(), r.at(3).get<double>()});
  } catch (const Json::exception& e) {
    return unfit(std::string("the helper's answer is not understood: ") + e.what(), "perfcast-simgrid");
  }
  return result;
}

}  // namespace perfcast::parallel

#include "methods/characterize/instructions/measure_core.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/files.h"
#include "base/paths.h"
#include "base/text.h"
#include "engine/core_tables.h"
#include "record/library.h"

namespace perfcast::instructions {
namespace {

// The value of a key in /proc/cpuinfo ("model\t\t: 143"), of the first processor.
std::string value_of(const std::string& cpuinfo, const std::string& key) {
  std::istringstream in(cpuinfo);
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string name = line.substr(0, colon);
    name.erase(name.find_last_not_of(" \t") + 1);
    if (name != key) continue;
    const auto first = line.find_first_not_of(" \t", colon + 1);
    return first == std::string::npos ? "" : line.substr(first);
  }
  return {};
}
std::string trimmed(std::string text) {
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}
bool holds(const std::string& list, const std::string& value) {
  const auto words = split_words(list);
  return list == "*" || std::ranges::find(words, value) != words.end();
}

// No family fits: a core of the instruction set with little that is special, as a frame.
std::string usual_core(const std::string& isa) { return isa == "aarch64" ? "neoverse-v1" : "skylake"; }

}  // namespace

Result<Family> family_of(const std::string& cpuinfo, const std::string& isa) {
  const bool arm = isa == "aarch64";
  const std::string vendor = value_of(cpuinfo, arm ? "CPU implementer" : "vendor_id");
  const std::string family = value_of(cpuinfo, arm ? "CPU variant" : "cpu family");
  const std::string model = value_of(cpuinfo, arm ? "CPU part" : "model");
  TRY(auto text, read_file((bundled_data() / "instructions" / "families.txt").string()));
  for (auto& line : split(text, '\n')) {
    auto part = split(line, '|');
    if (line.starts_with('#') || part.size() != 6) continue;
    for (auto& p : part) p = trimmed(p);
    if (part[0] != isa || part[1] != vendor || !holds(part[2], family) || !holds(part[3], model)) continue;
    return Family{part[5] == "-" ? "" : part[5], part[4]};
  }
  return Family{};
}

Result<CoreModel> frame_of(const Family& family, const std::string& isa) {
  const std::string file = (family.core.empty() ? usual_core(isa) : family.core) + ".machine.json";
  std::filesystem::path path = bundled_data() / "machines" / file;
  if (!std::filesystem::exists(path)) path = bundled_data() / "cores" / file;
  TRY(auto machine, find_machine(path.string()));
  if (!machine.core) return unfit("has no core part", path.string(), "reinstall the bundled data");
  return *machine.core;
}

Result<MeasuredCore> measure_core(const CoreOptions& options) {
  auto tell = [&](double done, const std::string& what) { if (options.progress) options.progress(done, what); };
  const std::string isa = host_isa();
  TRY(auto table, bundled_form_table(isa));
  TRY(auto described, bundled_described_forms(isa));
  TRY(auto cpuinfo, read_file("/proc/cpuinfo"));
  TRY(auto family, family_of(cpuinfo, isa));
  TRY(const CoreModel frame, frame_of(family, isa));

  Selection selection;
  selection.pairs = selection.slots = !options.quick;
  const auto benchmarks = list_benchmarks(table, selection);
  tell(0.02, "assembling " + std::to_string(benchmarks.size()) + " instruction benchmarks");
  RunOptions run;
  run.seconds = options.quick ? 3.5 : 45;
  run.least_slices = options.quick ? 8 : 16;
  run.cores = options.cores.empty() ? allowed_cores() : options.cores;
  run.compiler = options.compiler;
  tell(0.1, "timing " + std::to_string(benchmarks.size()) + " instruction benchmarks");
  TRY(auto timings, run_benchmarks(table, benchmarks, run));

  MeasuredCore result;
  auto fitted = fit_core(frame, family.core.empty() ? Frame::usual : Frame::family, table, described, timings);
  result.core = std::move(fitted.core), result.gaps = std::move(fitted.gaps), result.changes = std::move(fitted.changes);
  result.family = family.core;
  if (!family.llvm_cpu.empty()) result.core.llvm_cpu = family.llvm_cpu;
  if (family.core.empty())
    result.gaps.push_back({"no bundled core is of this processor's family: ports are those of " + usual_core(isa) +
                           ", changed where the measurement contradicts them", {}, 0});
  for (auto& name : timings.not_assembled) result.gaps.push_back({"the assembler does not know " + name, {}, 0});
  CHECK_OK(engine::check_core(result.core));
  tell(1, "instructions measured");
  return result;
}

}  // namespace perfcast::instructions

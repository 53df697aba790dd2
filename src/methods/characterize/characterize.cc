#include "methods/characterize/characterize.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "methods/characterize/instructions/measure_core.h"
#include "methods/characterize/memory/memory.h"
#include "methods/characterize/memory/slices.h"
#include "methods/characterize/messages/messages.h"
#include "methods/characterize/rate/rate.h"
#include "methods/characterize/source/source.h"
#include "methods/characterize/system/system.h"
#include "methods/characterize/work.h"

namespace perfcast::characterize {
namespace {

// The canary on an undisturbed core. The tenth smallest: a single one can be a glitch of the clock, and on a crowded
// machine few looks are undisturbed.
Measurement undisturbed_canary(const std::vector<double>& cycles) {
  Measurement m;
  m.value = quantile(cycles, std::min(0.01, 10 / static_cast<double>(cycles.size())));
  m.repetitions = static_cast<int>(cycles.size());
  return m;
}

// What the canary beside the slices of memory told: they were timed on the undisturbed core, programs will not be.
Measurement usual_sharing(const std::vector<double>& cycles, double alone) {
  std::vector<double> slower;
  slower.reserve(cycles.size());
  for (double now : cycles) slower.push_back(std::max(0.0, now / alone - 1));
  Measurement m;
  m.value = median(slower), m.sd = (quantile(slower, 0.9) - quantile(slower, 0.1)) / 2.56, m.repetitions = static_cast<int>(slower.size());
  m.note = fmt::format("{:.2f} to {:.2f} in four of five looks", quantile(slower, 0.1), quantile(slower, 0.9));
  return m;
}

Status measure_memory_levels(Work& work, Machine& machine) {
  MemoryOptions options;
  options.quick = work.options.quick, options.stop = work.options.stop;
  if (machine.core) options.clock_ghz = machine.core->clock_ghz.value;
  options.progress = [&](double done, const std::string& what) { work.doing(what, done); };
  TRY(machine.memory, measure_memory(options));
  if (!work.stopped() && !machine.memory->all_cores_read_ns.contains(std::to_string(std::thread::hardware_concurrency())))
    machine.gaps.push_back({"the system gave too few threads: memory under the load of all cores was not measured", {}, 0});
  if (!machine.system) machine.system.emplace();
  if (const auto& cycles = session_canary().seen(); !cycles.empty()) {
    machine.system->canary_cycles = undisturbed_canary(cycles);
    machine.system->core_sharing = usual_sharing(cycles, machine.system->canary_cycles->value);
  }
  return {};
}

Status measure_instructions(Work& work, Machine& machine) {
  instructions::CoreOptions options;
  options.quick = work.options.quick;
  options.progress = [&](double done, const std::string& what) { work.doing(what, done); };
  TRY(auto measured, instructions::measure_core(options));
  machine.core = std::move(measured.core);
  machine.gaps.insert(machine.gaps.end(), measured.gaps.begin(), measured.gaps.end());
  return {};
}

// A section fills its part of the machine in about its share of the time. Adding one is adding a line.
struct Section {
  const char* name;
  Seconds quick, full;
  Status (*measure)(Work&, Machine&);
  bool parallel = false;  // only when named: for programs with ranks or threads
};
constexpr Section sections[] = {
    {"system", {1}, {1}, measure_system},
    {"rate", {1}, {2}, measure_rate},
    {"source", {10}, {95}, measure_source},
    {"core", {5}, {60}, measure_instructions},
    {"memory", {6}, {45}, measure_memory_levels},
    {"threads", {3}, {3}, measure_threads, true},
    {"messages", {5}, {12}, measure_messages, true},
};

std::string processor_name() {
  std::ifstream in("/proc/cpuinfo");
  std::stringstream text;
  text << in.rdbuf();
  return processor_of(text.str());
}

Status check_names(const std::vector<std::string>& names) {
  std::string known;
  for (const auto& section : sections) known += (known.empty() ? "" : ", ") + std::string(section.name);
  for (const auto& name : names)
    if (std::ranges::find(sections, name, [](const Section& s) { return std::string(s.name); }) == std::end(sections))
      return wrong_usage("there is no section " + name, "one of " + known);
  return {};
}

bool wanted(const CharacterizeOptions& options, const Section& section) {
  if (options.sections.empty()) return !section.parallel;
  return std::find(options.sections.begin(), options.sections.end(), section.name) != options.sections.end();
}

}  // namespace

// x86-64 has a name; AArch64 the number of the maker and its number of the core.
std::string processor_of(const std::string& cpuinfo) {
  auto value = [&](const std::string& key) {
    std::istringstream in(cpuinfo);
    for (std::string line; std::getline(in, line);)
      if (line.starts_with(key))
        if (auto colon = line.find(": "); colon != line.npos) return line.substr(colon + 2);
    return std::string();
  };
  if (auto name = value("model name"); !name.empty()) return name;
  const std::string maker = value("CPU implementer"), part = value("CPU part");
  if (maker.empty() || part.empty()) return "";
  static const std::map<std::string, std::string> cores = {{"0xd08", "Cortex-A72"},  {"0xd0c", "Neoverse N1"}, {"0xd40", "Neoverse V1"},
                                                           {"0xd49", "Neoverse N2"}, {"0xd4f", "Neoverse V2"}, {"0xd84", "Neoverse V3"}};
  if (auto known = cores.find(part); maker == "0x41" && known != cores.end()) return "Arm " + known->second;
  return "maker " + maker + " part " + part;
}

std::string default_name() {
  utsname names{};
  ::uname(&names);
  std::string processor = processor_name();
  std::string raw = (processor.empty() ? names.machine : processor) + "-" + names.nodename, name;
  for (char c : raw) {
    if (std::isalnum(static_cast<unsigned char>(c))) name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!name.empty() && name.back() != '-') name += '-';
  }
  while (name.ends_with('-')) name.pop_back();
  return name.empty() ? "machine" : name;
}

int measuring_core() { return calm_core(session_canary()).value_or(0); }

Result<Machine> characterize(const CharacterizeOptions& options) {
  CHECK_OK(check_names(options.sections));
  Machine machine;
  machine.name = options.name.empty() ? default_name() : options.name;
  utsname names{};
  if (::uname(&names) == 0) machine.isa = names.machine;
  std::string processor = processor_name();
  machine.description = (processor.empty() ? machine.isa : processor) + ", characterized " + (options.quick ? "quickly" : "fully");
  machine.made_by = made_here();
  machine.made_by.clock = "CLOCK_MONOTONIC";
  Seconds whole;
  for (const auto& section : sections)
    if (wanted(options, section)) whole += options.quick ? section.quick : section.full;
  Work work(options, whole);
  bool any = false;
  for (const auto& section : sections) {
    if (!wanted(options, section)) continue;
    if (work.stopped()) {
      machine.gaps.push_back({std::string("interrupted: the section ") + section.name + " was not measured", {}, 0});
      continue;
    }
    work.begin_section(section.name, options.quick ? section.quick : section.full);
    if (auto done = section.measure(work, machine); !done) {
      work.remark(std::string(section.name) + ": " + done.error().message());
      machine.gaps.push_back({std::string("the section ") + section.name + " failed: " + done.error().what, {}, 0});
    } else {
      any = true;
    }
  }
  if (!any && !work.stopped())
    return unfit("nothing could be measured", machine.gaps.empty() ? "" : machine.gaps.back().what, "install a C compiler (gcc or clang)");
  return machine;
}

}  // namespace perfcast::characterize

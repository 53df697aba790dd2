#include "frontends/machine_code/traced_modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace perfcast::machine_code {
namespace {

constexpr std::uint64_t largest_stub = 32;  // bytes of a PLT entry

bool in_system_folder(const std::string& path) {
  return path.starts_with("/lib") || path.starts_with("/usr/lib");
}

// Where the file's address 0 lies: from the segment that the mapping's offset falls into. Two segments can share a
// page of the file; code was found in this mapping, so the one with code is meant.
std::uint64_t bias_of_mapping(const ElfImage& image, const Mapping& m) {
  for (bool executable : {true, false})
    for (const auto& segment : image.segments()) {
      const std::uint64_t first = segment.file_offset & ~std::uint64_t{0xfff};
      if (segment.executable == executable && m.offset >= first && m.offset < segment.file_offset + segment.file_size)
        return m.start - (segment.address - segment.file_offset + m.offset);
    }
  return m.start - m.offset;
}

std::string without_suffix(const std::string& name) {
  const auto cold = name.find(".cold");
  return cold == std::string::npos ? name : name.substr(0, cold);
}

}  // namespace

TracedModules::TracedModules(const Trace& trace, const std::string& executable, std::set<std::uint64_t> call_targets)
    : call_targets_(std::move(call_targets)) {
  std::error_code ignored;
  const auto own = std::filesystem::canonical(executable, ignored);
  for (const auto& m : trace.mappings) {
    if (m.path.empty() || m.path[0] != '/') continue;
    auto known = std::find_if(modules_.begin(), modules_.end(), [&](auto& module) { return module.path == m.path; });
    if (known == modules_.end()) {
      Module module;
      module.path = m.path, module.system = in_system_folder(m.path);
      module.own = std::filesystem::canonical(m.path, ignored) == own;
      if (auto image = ElfImage::open(m.path)) {
        module.unwind = image->unwind_ranges();
        for (const auto& f : image->functions()) module.by_name.emplace(f.name, f.address);
        module.image.emplace(std::move(*image));
      }
      modules_.push_back(std::move(module));
      known = modules_.end() - 1;
    }
    const std::uint64_t bias = known->image ? bias_of_mapping(*known->image, m) : m.start - m.offset;
    ranges_.push_back({m.start, m.end, bias, static_cast<int>(known - modules_.begin())});
  }
  std::sort(ranges_.begin(), ranges_.end(), [](auto& a, auto& b) { return a.start < b.start; });
}

const TracedModules::Range* TracedModules::range_of(std::uint64_t address) const {
  auto after = std::upper_bound(ranges_.begin(), ranges_.end(), address, [](auto a, auto& r) { return a < r.start; });
  if (after == ranges_.begin() || address >= std::prev(after)->end) return nullptr;
  return &*std::prev(after);
}

std::uint64_t TracedModules::bias_of(int module) const {
  for (const auto& r : ranges_)
    if (r.module == module) return r.bias;
  return 0;
}

Place TracedModules::function_of(std::uint64_t address) const {
  const Range* range = range_of(address);
  if (!range) {
    auto after = call_targets_.upper_bound(address);
    const std::uint64_t start = after == call_targets_.begin() ? address & ~std::uint64_t{0xfff} : *std::prev(after);
    return {-1, start, fmt::format("code at {:#x}", start)};
  }
  const Module& module = modules_[range->module];
  const std::uint64_t inside = address - range->bias;
  auto place = [&](std::uint64_t start, std::string name) { return Place{range->module, start + range->bias, std::move(name)}; };
  auto nameless = [&](std::uint64_t start) {
    return place(start, fmt::format("{}+{:#x}", std::filesystem::path(module.path).filename().string(), start));
  };
  if (!module.image) return nameless(inside & ~std::uint64_t{0xfff});
  const auto& stubs = module.image->stubs();
  if (auto stub = stubs.upper_bound(inside); stub != stubs.begin() && inside - std::prev(stub)->first < largest_stub &&
                                             (stub == stubs.end() || inside < stub->first) && !module.image->function_at(inside))
    return place(std::prev(stub)->first, std::prev(stub)->second + "@plt");
  if (const CodeSymbol* symbol = module.image->function_at(inside)) {
    const std::string name = without_suffix(symbol->name);
    if (name != symbol->name)
      if (auto parent = module.by_name.find(name); parent != module.by_name.end()) return place(parent->second, name);
    return place(symbol->address, symbol->name);
  }
  // Without a name: what is called here begins here. A table of stubs is one range to the unwinder.
  std::uint64_t start = inside & ~std::uint64_t{0xfff};
  auto range_after = std::upper_bound(module.unwind.begin(), module.unwind.end(), inside, [](auto a, auto& s) { return a < s.address; });
  const bool unwound = range_after != module.unwind.begin() && inside < std::prev(range_after)->address + std::prev(range_after)->size;
  if (unwound) start = std::prev(range_after)->address;
  auto target = call_targets_.upper_bound(address);
  if (target != call_targets_.begin() && *std::prev(target) >= (unwound ? start + range->bias : range->start)) start = *std::prev(target) - range->bias;
  return nameless(start);
}

std::string TracedModules::library(int module) const {
  if (module < 0) return "[code made at run time]";
  return modules_[module].own ? "" : std::filesystem::path(modules_[module].path).filename().string();
}

Location TracedModules::line_at(int module, std::uint64_t address) const {
  if (module < 0 || modules_[module].system || !modules_[module].image) return {};
  return modules_[module].image->line_at(address - bias_of(module));
}

Location TracedModules::declared_at(const Place& place) const {
  if (place.module < 0 || modules_[place.module].system || !modules_[place.module].image) return {};
  return modules_[place.module].image->declared_at(place.start - bias_of(place.module));
}

}  // namespace perfcast::machine_code

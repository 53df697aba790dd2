// The files a traced program had mapped: which of them an address lies in, and which function. Internal.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontends/machine_code/elf_image.h"
#include "frontends/machine_code/trace.h"

namespace perfcast::machine_code {

// A function as found: the same key for all its parts.
struct Place {
  int module = -1;              // -1: code that is in no file
  std::uint64_t start = 0;      // address at run time
  std::string name;
  auto operator<=>(const Place&) const = default;
};

class TracedModules {
 public:
  // `call_targets` separate functions where nothing else does.
  TracedModules(const Trace& trace, const std::string& executable, std::set<std::uint64_t> call_targets);

  Place function_of(std::uint64_t address) const;
  bool own(int module) const { return module >= 0 && modules_[module].own; }
  std::string library(int module) const;  // empty for the program itself
  Location line_at(int module, std::uint64_t address) const;
  Location declared_at(const Place& place) const;

 private:
  struct Module {
    std::string path;
    bool own = false, system = false;
    std::optional<ElfImage> image;
    std::vector<CodeSymbol> unwind;
    std::map<std::string, std::uint64_t> by_name;  // functions that have a cold part elsewhere
  };
  struct Range {
    std::uint64_t start = 0, end = 0, bias = 0;
    int module = 0;
  };
  const Range* range_of(std::uint64_t address) const;
  std::uint64_t bias_of(int module) const;
  std::vector<Module> modules_;
  std::vector<Range> ranges_;  // by start
  std::set<std::uint64_t> call_targets_;
};

}  // namespace perfcast::machine_code

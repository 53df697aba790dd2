#include "methods/characterize/source/compilers.h"

#include <algorithm>
#include <filesystem>

#include "base/process.h"

namespace perfcast::characterize {
namespace {

// Names to look for, best first; each group is one make of compiler.
struct Known {
  const char* language;
  std::vector<const char*> names;
  bool quick;  // also in a quick characterization
};

const std::vector<Known>& known_compilers() {
  static const std::vector<Known> known = {
      {"c", {"clang-19", "clang"}, true},
      {"c++", {"clang++-19", "clang++"}, true},
      {"fortran", {"flang-new-19", "flang-19", "flang-new", "flang"}, true},
      {"c", {"gcc", "cc"}, false},
      {"c++", {"g++", "c++"}, false},
      {"fortran", {"gfortran"}, false},
  };
  return known;
}

std::string first_present(const std::vector<const char*>& names) {
  for (auto name : names)
    if (find_program(name)) return name;
  return "";
}

bool has_language(const std::vector<CompilerChoice>& choices, const std::string& language) {
  return std::any_of(choices.begin(), choices.end(), [&](const auto& c) { return c.language == language; });
}

std::vector<CompilerChoice> compilers_here(bool quick) {
  std::vector<CompilerChoice> found;
  for (const auto& make : known_compilers()) {
    // A quick characterization takes one compiler of each language: GNU's where LLVM's is missing.
    if (quick && !make.quick && has_language(found, make.language)) continue;
    if (auto name = first_present(make.names); !name.empty()) found.push_back({make.language, name, ""});
  }
  return found;
}

}  // namespace

std::string language_of_compiler(const std::string& compiler) {
  std::string name = std::filesystem::path(compiler).filename().string();
  if (name.find("flang") != name.npos || name.find("fort") != name.npos || name.starts_with("ifx")) return "fortran";
  return name.find("++") != name.npos || name.starts_with("icpx") ? "c++" : "c";
}

CompilerPlan plan_compilers(const CharacterizeOptions& options) {
  CompilerPlan plan;
  plan.c_compiler = first_present({"clang-19", "gcc", "cc", "clang"});
  std::vector<CompilerChoice> compilers;
  if (options.compilers.empty()) {
    compilers = compilers_here(options.quick);
  } else {
    for (const auto& name : options.compilers) {
      if (find_program(name)) compilers.push_back({language_of_compiler(name), name, ""});
      else plan.missing.push_back("there is no compiler " + name);
    }
  }
  if (options.compilers.empty())
    for (auto language : {"c", "c++", "fortran"})
      if (!has_language(compilers, language))
        plan.missing.push_back(std::string("no compiler for ") + language + " was found");
  std::vector<std::string> flags = options.flags;
  if (flags.empty()) flags = options.quick ? std::vector<std::string>{"-O0"} : std::vector<std::string>{"-O0", "-O2"};
  for (const auto& set : flags)
    for (auto choice : compilers) {
      choice.flags = set;
      plan.choices.push_back(std::move(choice));
    }
  return plan;
}

}  // namespace perfcast::characterize

#include "frontends/flang/read_fortran.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/files.h"
#include "base/source_is_there.h"
#include "frontends/flang/tree.h"
#include "frontends/flang/walker.h"
#include "frontends/regions.h"
#include "frontends/source_path.h"

namespace perfcast {
namespace {

namespace fs = std::filesystem;
using flang::ReadRequest;

bool is_fixed(const std::string& path) {
  static const std::set<std::string> endings = {".f", ".for", ".ftn", ".F", ".FOR", ".FTN", ".fpp", ".FPP", ".f77", ".F77"};
  return endings.contains(fs::path(path).extension().string());
}

std::string below(const std::string& folder, const std::string& path) {
  return fs::path(path).is_absolute() || folder.empty() ? path : (fs::path(folder) / path).string();
}

void macro(ReadRequest& request, const std::string& text) {
  auto equals = text.find('=');
  request.macros.push_back({text.substr(0, equals), equals == text.npos ? "1" : text.substr(equals + 1)});
}

// The options that change what the source means; the others concern code generation.
void apply_option(ReadRequest& request, const std::string& option, const std::string& folder) {
  auto starts = [&](const char* prefix) { return option.starts_with(prefix); };
  if (starts("-I")) request.include_folders.push_back(below(folder, option.substr(2)));
  else if (starts("-J")) request.include_folders.push_back(below(folder, option.substr(2)));
  else if (starts("-D")) macro(request, option.substr(2));
  else if (starts("-U")) request.macros.push_back({option.substr(2), std::nullopt});
  else if (option == "-ffixed-form" || option == "-Mfixed") request.fixed_form = true;
  else if (option == "-ffree-form" || option == "-Mfree") request.fixed_form = false;
  else if (starts("-ffixed-line-length=") || starts("-ffixed-line-length-")) {
    std::string text = option.substr(20);
    request.columns = text == "none" || text == "0" ? 1000000 : std::atoi(text.c_str());
  } else if (option == "-cpp") request.preprocess = true;
  else if (option == "-nocpp") request.preprocess = false;
  else if (option == "-fopenmp") request.openmp = true;
  else if (option == "-fbackslash") request.backslash = true;
  else if (option == "-fimplicit-none") request.implicit_none = true;
  else if (option == "-fno-automatic") request.save_all = true;
  else if (option == "-fdefault-integer-8") request.integer_kind = 8;
  else if (option == "-fdefault-real-8") request.real_kind = 8, request.double_kind = 16;
  else if (option == "-fdefault-double-8") request.double_kind = 8;
}

ReadRequest request_for(const SourceFile& file, const std::string& modules) {
  ReadRequest request;
  request.path = fs::absolute(below(file.folder, file.path)).lexically_normal().string();
  request.fixed_form = is_fixed(file.path);
  std::string ending = fs::path(file.path).extension().string();
  request.preprocess = ending.size() > 1 && (std::isupper(static_cast<unsigned char>(ending[1])) || ending == ".fpp");
  request.module_folder = modules;
  request.intrinsic_modules = {PERFCAST_FLANG_MODULES};
  static const std::set<std::string> with_value = {"-I", "-J", "-D", "-U"};
  for (std::size_t i = 0; i < file.arguments.size(); i++) {
    std::string option = file.arguments[i];
    if (with_value.contains(option) && i + 1 < file.arguments.size()) option += file.arguments[++i];
    else if (option == "-module-dir" && i + 1 < file.arguments.size()) option = "-J" + file.arguments[++i];
    apply_option(request, option, file.folder);
  }
  request.include_folders.push_back(file.folder.empty() ? "." : file.folder);
  for (auto name : {"__flang__", "__FLANG", "__llvm__", "__linux__", "__unix__"}) request.macros.push_back({name, "1"});
#if defined(__x86_64__)
  request.macros.push_back({"__x86_64__", "1"});
#elif defined(__aarch64__)
  request.macros.push_back({"__aarch64__", "1"});
#endif
  if (request.openmp) request.macros.push_back({"_OPENMP", "202111"}), request.preprocess = true;
  return request;
}

struct Collected {
  Graph graph;
  std::vector<std::vector<OpenCall>> open;
  std::vector<Gap>& gaps;
};

void add_procedure(const flang::Procedure& procedure, Collected& collected) {
  auto add = [&](const std::string& name, const std::string& readable, const std::string& entry, std::vector<Gap>& gaps) {
    Function function;
    function.name = name;
    if (readable != name) function.readable = readable;
    function.at = {source_path(procedure.at.file), procedure.at.line, procedure.at.column};
    std::vector<OpenCall> open;
    flang::Walker(function, open, gaps).walk(procedure, entry);
    collected.graph.functions.push_back(std::move(function));
    collected.open.push_back(std::move(open));
  };
  add(procedure.name, procedure.readable, "", collected.gaps);
  for (std::size_t i = 0; i < procedure.entries.size(); i++) {
    std::vector<Gap> said_already;
    add(procedure.entries[i], procedure.readable_entries[i], procedure.entries[i], said_already);
  }
}

Status trouble(const SourceFile& file, const flang::ReadResult& read) {
  std::string where = read.error_at.line ? source_path(read.error_at.file) + ":" + std::to_string(read.error_at.line) + ":" +
                                               std::to_string(read.error_at.column)
                                         : file.path;
  return unfit("does not compile: " + read.error, where,
               read.missing_module ? "give the file that defines the module too"
                                   : "check the file and its options with flang-new-19 -fsyntax-only " + file.path);
}

}  // namespace

Result<Graph> read_fortran(const std::vector<SourceFile>& files, std::vector<Gap>& gaps, std::vector<Region>& regions) {
  Collected collected{{}, {}, gaps};
  TRY(TemporaryFolder modules, TemporaryFolder::make("modules"));
  for (const auto& file : files) {
    const std::string found = below(file.folder, file.path);
    CHECK_OK(source_is_there(found, found));
    TRY(const std::string text, read_file(found));
    find_regions(source_path(file.path, file.folder), text, regions, gaps);
  }
  std::vector<const SourceFile*> waiting;
  for (const auto& file : files) waiting.push_back(&file);
  // A file may use modules of later ones: those that fail are tried again while any succeeds.
  std::map<const SourceFile*, flang::ReadResult> done;
  while (!waiting.empty()) {
    std::vector<const SourceFile*> again;
    Status first_trouble;
    for (const auto* file : waiting) {
      auto read = flang::read_tree(request_for(*file, modules.path().string()));
      if (read.error.empty()) {
        done[file] = std::move(read);
        continue;
      }
      if (!read.missing_module) return std::unexpected(trouble(*file, read).error());
      if (first_trouble) first_trouble = trouble(*file, read);
      again.push_back(file);
    }
    if (again.size() == waiting.size()) return std::unexpected(first_trouble.error());
    waiting = std::move(again);
  }
  for (const auto& file : files)
    for (const auto& procedure : done[&file].procedures) add_procedure(procedure, collected);
  close_calls(collected.graph, collected.open);
  return std::move(collected.graph);
}

}  // namespace perfcast

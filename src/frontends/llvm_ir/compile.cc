#include "frontends/llvm_ir/compile.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <set>

#include "base/json.h"
#include "base/paths.h"
#include "base/preload.h"
#include "base/run_tidily.h"
#include "base/source_is_there.h"
#include "base/text.h"
#include "frontends/llvm_ir/module.h"

namespace perfcast::llvm_ir {
namespace fs = std::filesystem;
namespace {

const char* driver_name(Language language) {
  switch (language) {
    case Language::c: return "clang-19";
    case Language::cxx: return "clang++-19";
    case Language::fortran: return "flang-new-19";
  }
  return "";
}

Result<std::string> find_driver(Language language) {
  auto path = find_program(driver_name(language));
  if (!path)
    return unfit(std::string("the compiler ") + driver_name(language) + " is not installed", "", "./scripts/install-packages");
  return *path;
}

bool is_x86(const std::string& target) {
  if (!target.empty()) return target.starts_with("x86_64") || target.starts_with("i686");
#if defined(__x86_64__)
  return true;
#else
  return false;
#endif
}

std::vector<std::string> target_flags(const std::string& target, const std::string& cpu) {
  std::vector<std::string> flags;
  if (!target.empty()) flags.push_back("--target=" + target);
  if (!cpu.empty()) flags.push_back((is_x86(target) ? "-march=" : "-mcpu=") + cpu);
  return flags;
}

Result<Unit> make_unit(const std::string& source, const std::vector<std::string>& flags, const std::string& folder,
                       const CompileRequest& request) {
  const fs::path whole = folder.empty() ? fs::path(source) : fs::path(folder) / source;
  CHECK_OK(source_is_there(whole.string(), source));
  Unit unit;
  unit.source = source, unit.folder = folder;
  TRY(unit.language, language_of(source));
  unit.flags = flags_for(unit.language, flags);
  TRY(unit.compiler, find_driver(unit.language));
  for (auto& flag : target_flags(request.target, request.cpu)) unit.flags.push_back(flag);
  unit.optimisation = sort_flags(unit.flags).optimisation;
  return unit;
}

// "sim" of an object "CMakeFiles/sim.dir/main.cpp.o".
std::string cmake_target(const std::vector<std::string>& words) {
  const std::string before = "CMakeFiles/", after = ".dir/";
  auto output = std::ranges::find(words, "-o");
  if (output == words.end() || ++output == words.end()) return {};
  const auto from = output->find(before), to = output->find(after, from);
  if (from == output->npos || to == output->npos) return {};
  return output->substr(from + before.size(), to - from - before.size());
}

// What is wrong when one build folder makes several programs and all their sources were linked together.
std::string choose_one_program(const CompiledProgram& program) {
  std::map<std::string, std::string> sources;
  for (const auto& unit : program.units) sources[unit.built_for] += " " + fs::path(unit.source).filename().string();
  std::string text = "name the sources of one program; a build folder may make several";
  if (sources.size() < 2 || sources.contains("")) return text;
  for (const auto& [target, names] : sources) text += "\n    " + target + ":" + names;
  return text;
}

// The words of an entry's command; none where it has the wrong shape.
std::optional<std::vector<std::string>> command_of(const Json& entry) {
  std::vector<std::string> words;
  if (auto list = entry.find("arguments"); list != entry.end()) {
    if (!list->is_array() || !std::all_of(list->begin(), list->end(), [](const Json& word) { return word.is_string(); })) return {};
    return list->get<std::vector<std::string>>();
  }
  auto command = entry.find("command");
  if (command == entry.end()) return words;
  return command->is_string() ? std::optional(split_words(command->get<std::string>())) : std::nullopt;
}

// One spelling for each file; what cannot be looked up, a name that is too long, keeps its own.
std::string one_spelling(const fs::path& path) {
  std::error_code error;
  const fs::path found = fs::weakly_canonical(path, error);
  return (error ? path.lexically_normal() : found).string();
}

// The entries of compile_commands.json; `wanted` narrows them down to the sources the user named.
Result<std::vector<Unit>> units_of_build(const CompileRequest& request, const std::vector<std::string>& more_flags,
                                         bool& threads, bool& link_time) {
  const fs::path here = request.folder.empty() ? fs::current_path() : fs::path(request.folder);
  const std::string path = (here / request.build_folder / "compile_commands.json").lexically_normal().string();
  auto parsed = read_json_file(path);
  if (!parsed)
    return unfit(parsed.error().what, path, "make it with cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, or with bear");
  std::set<std::string> wanted, seen;
  for (const auto& source : request.sources) wanted.insert(one_spelling(here / source));
  std::vector<Unit> units;
  if (!parsed->is_array()) return unfit("this is no list of commands", path);
  for (const auto& entry : *parsed) {
    if (!entry.is_object() || !entry.contains("file") || !entry["file"].is_string())
      return unfit("an entry has no \"file\"", path);
    if (entry.contains("directory") && !entry["directory"].is_string()) return unfit("the \"directory\" of an entry is no text", path);
    const std::string file = entry["file"];
    const std::string folder = (here / entry.value("directory", request.build_folder)).lexically_normal().string();
    const std::string whole = one_spelling(fs::path(folder) / file);
    if (!is_source_name(file) || (!wanted.empty() && !wanted.contains(whole)) || !seen.insert(whole).second) continue;
    auto command = command_of(entry);
    if (!command) return unfit("the command of " + file + " is neither text nor a list of words", path);
    std::vector<std::string> words = std::move(*command);
    if (!words.empty()) words.erase(words.begin());  // their compiler; ours takes its place
    SortedFlags sorted = sort_flags(words);
    threads |= sorted.threads, link_time |= sorted.link_time;
    sorted.compile.insert(sorted.compile.end(), more_flags.begin(), more_flags.end());
    TRY(Unit unit, make_unit(file, sorted.compile, folder, request));
    unit.built_for = cmake_target(words);
    units.push_back(std::move(unit));
  }
  if (units.empty()) return unfit("no source of the program is listed", path);
  return units;
}

std::vector<std::string> bitcode_command(const Unit& unit, bool early, const std::string& bitcode,
                                         const std::string& scratch) {
  std::vector<std::string> command = {unit.compiler};
  command.insert(command.end(), unit.flags.begin(), unit.flags.end());
  if (unit.language == Language::fortran) {
    // Flang has no switch for "before the optimiser"; at -O0 it keeps a position for every statement.
    if (early) command.push_back("-O0");
    command.insert(command.end(), {"-module-dir", scratch, "-I", scratch});
  } else {
    command.insert(command.end(), {"-fno-discard-value-names", "-Wno-unused-command-line-argument"});
    if (early) command.insert(command.end(), {"-Xclang", "-disable-llvm-passes"});
  }
  if (!early && !unit.remarks_file.empty())
    command.insert(command.end(), {"-foptimization-record-file=" + unit.remarks_file,
                                   "-foptimization-record-passes=^(loop-vectorize|inline|licm|gvn)$"});
  command.insert(command.end(), {"-gline-tables-only", "-emit-llvm", "-c", unit.source, "-o", bitcode});
  return command;
}

// Both stages of one unit, side by side. Returns whether it uses threads.
Result<bool> compile_unit(Unit& unit, int number, bool early, const std::string& scratch) {
  const std::string base = scratch + "/unit" + std::to_string(number);
  unit.final_bitcode = base + ".final.bc";
  auto compile = [&](bool is_early, const std::string& bitcode) -> Result<bool> {
    CHECK_OK(run_compiler(bitcode_command(unit, is_early, bitcode, scratch), unit.folder, unit.source));
    return finish_bitcode(bitcode);
  };
  const bool same = unit.optimisation == "-O0";
  if (!same) unit.remarks_file = base + ".remarks.yaml";
  std::future<Result<bool>> early_done;
  if (early && !same) {
    unit.early_bitcode = base + ".early.bc";
    early_done = std::async(std::launch::async | std::launch::deferred, compile, true, unit.early_bitcode);
  } else if (early) {
    unit.early_bitcode = unit.final_bitcode;
  }
  Result<bool> done = compile(false, unit.final_bitcode);
  if (early_done.valid()) {
    Result<bool> early_result = early_done.get();
    if (done && !early_result) done = early_result;
  }
  return done;
}

// Fortran sources may use modules of later ones: those that fail are tried again while any succeeds. Tells whether any
// of `compile` said yes.
Result<bool> in_any_order(std::vector<Unit>& units, const std::function<Result<bool>(Unit&, int)>& compile) {
  std::vector<std::size_t> waiting(units.size());
  for (std::size_t i = 0; i < units.size(); i++) waiting[i] = i;
  bool any = false;
  while (!waiting.empty()) {
    std::vector<std::size_t> failed;
    std::optional<Error> first;
    for (std::size_t i : waiting) {
      auto done = compile(units[i], static_cast<int>(i));
      if (done) {
        any |= *done;
        continue;
      }
      if (units[i].language != Language::fortran) return std::unexpected(done.error());
      if (!first) first = done.error();
      failed.push_back(i);
    }
    if (failed.size() == waiting.size()) return std::unexpected(*first);
    waiting = failed;
  }
  return any;
}

// Returns whether any unit uses threads.
Result<bool> compile_units(std::vector<Unit>& units, bool early, const std::string& scratch) {
  return in_any_order(units, [&](Unit& unit, int number) { return compile_unit(unit, number, early, scratch); });
}

}  // namespace

Result<Language> language_of(const std::string& source) {
  const std::string ending = fs::path(source).extension().string();
  if (!is_source_name(source))
    return unfit("perfcast does not know this kind of source", source, "C, C++ or Fortran; a program: --binary " + source);
  if (ending == ".c") return Language::c;
  return ending[1] == 'f' || ending[1] == 'F' ? Language::fortran : Language::cxx;
}

// Compilers say so in these words, the linker too.
static bool is_no_space(const std::string& message) { return message.find("No space left on device") != message.npos; }
static const std::string free_space = "free space below TMPDIR, or set TMPDIR to a folder that has some";

Status run_compiler(const std::vector<std::string>& command, const std::string& folder, const std::string& what) {
  RunRequest request;
  request.command = command, request.folder = folder;
  TRY(RunOutcome outcome, run_tidily(request));
  if (outcome.ok()) return {};
  std::string message = outcome.errors.empty() ? outcome.output : outcome.errors;
  // A compiler that crashes prints its own stack: of no use to ours.
  for (const char* start : {"PLEASE submit a bug report", "Stack dump:"}) message = message.substr(0, message.find(start));
  while (!message.empty() && message.back() == '\n') message.pop_back();
  if (outcome.ending != Ending::exited || message.empty()) message += "\n" + command[0] + " " + outcome.how_it_ended();
  return unfit("this does not compile:\n" + message, what,
               is_no_space(message) ? free_space : "check --cflags, and that it compiles with " + fs::path(command[0]).filename().string());
}

Status compile_early(std::vector<Unit>& units, const std::string& folder) {
  std::error_code error;
  if (fs::create_directories(folder, error); error) return unfit("cannot make a folder: " + error.message(), folder);
  auto compile = [&](Unit& unit, int number) -> Result<bool> {
    unit.early_bitcode = folder + "/unit" + std::to_string(number) + ".early.bc";
    CHECK_OK(run_compiler(bitcode_command(unit, true, unit.early_bitcode, folder), unit.folder, unit.source));
    return false;
  };
  TRY([[maybe_unused]] bool none, in_any_order(units, compile));
  return {};
}

Result<CompiledProgram> compile_program(const CompileRequest& request) {
  SortedFlags sorted = sort_flags(split_words(request.cflags));
  std::vector<std::string> sources = request.sources;
  sources.insert(sources.end(), sorted.sources.begin(), sorted.sources.end());
  TRY(TemporaryFolder scratch, TemporaryFolder::make("compile"));
  CompiledProgram program{.units = {}, .folder = request.folder, .link_flags = sorted.link, .target = request.target, .cpu = request.cpu,
                          .threads = sorted.threads, .link_time = sorted.link_time, .scratch = std::move(scratch)};
  if (!request.build_folder.empty()) {
    TRY(program.units, units_of_build(request, sorted.compile, program.threads, program.link_time));
  } else {
    for (const auto& source : sources) {
      TRY(Unit unit, make_unit(source, sorted.compile, request.folder, request));
      program.units.push_back(std::move(unit));
    }
  }
  if (program.units.empty()) return wrong_usage("no source file was given", "perfcast analyze prog.c -- ARGS");
  TRY(bool threads, compile_units(program.units, request.early, program.scratch.path().string()));
  program.threads |= threads;
  return program;
}

std::string CompiledProgram::compiler_name() const {
  std::set<std::string> names;
  for (const auto& unit : units) names.insert(unit.language == Language::fortran ? "flang" : "clang");
  std::vector<std::string> texts;
  for (const auto& name : names) texts.push_back(name + " " + llvm_version());
  return join(texts, ", ");
}

std::string CompiledProgram::languages() const {
  std::set<std::string> names;
  for (const auto& unit : units)
    names.insert(unit.language == Language::c ? "c" : unit.language == Language::cxx ? "c++" : "fortran");
  return join({names.begin(), names.end()}, ", ");
}

std::vector<std::string> code_generation_command(const Unit& unit, const std::string& bitcode,
                                                 const std::string& object, bool lowered) {
  std::vector<std::string> command = {find_program("clang-19").value_or("clang-19"), "-x", "ir"};
  auto flags = code_generation_flags(unit.flags);
  if (lowered) flags = without_cpu(flags);
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {"-Xclang", "-disable-llvm-passes", "-fno-discard-value-names", "-w", "-c", bitcode, "-o", object});
  return command;
}

Result<std::string> runtime_object(const CompiledProgram& program, const std::string& name, const std::vector<std::string>& flags) {
  if (program.target.empty())
    if (auto built = built_from(name + ".c", "perfcast_" + name + ".o")) return *built;
  const std::string source = (bundled_data() / "runtime" / (name + ".c")).string(), object = program.scratch.file(name + "-runtime.o");
  if (fs::exists(object)) return object;
  std::vector<std::string> command = {find_program("clang-19").value_or("clang-19")};
  if (!program.target.empty()) command.push_back("--target=" + program.target);
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {"-c", source, "-o", object});
  CHECK_OK(run_compiler(command, {}, source));
  return object;
}

// What may help where a program does not link.
static std::string link_advice(const CompiledProgram& program, const std::string& message) {
  if (message.find("multiple definition of `main'") != message.npos) return choose_one_program(program);
  if (!program.target.empty() && message.find("-lFortranRuntime") != message.npos)
    return std::string("apt install libflang-19-dev:") + (is_x86(program.target) ? "amd64" : "arm64") + ": the Fortran run-time library of " + program.target +
           (is_x86(program.target) ? "" : ";\n    code without SVE (--mcpu CPU+nosve) may be counted on this host without it");
  return "name all of its sources, and its libraries in --cflags \"-lm ...\"";
}

Status link_program(const CompiledProgram& program, const std::vector<std::string>& objects,
                    const std::string& executable, const std::vector<std::string>& more_flags) {
  auto has = [&](Language language) {
    return std::ranges::any_of(program.units, [&](const Unit& unit) { return unit.language == language; });
  };
  const Language language = has(Language::fortran) ? Language::fortran : has(Language::cxx) ? Language::cxx : Language::c;
  TRY(std::string driver, find_driver(language));
  std::vector<std::string> command = {driver};
  if (!program.target.empty()) command.push_back("--target=" + program.target);
  command.insert(command.end(), objects.begin(), objects.end());
  command.insert(command.end(), program.link_flags.begin(), program.link_flags.end());
  command.insert(command.end(), more_flags.begin(), more_flags.end());
  if (language == Language::fortran && has(Language::cxx)) command.push_back("-lstdc++");
  command.insert(command.end(), {"-lm", "-o", executable});  // most C programs mean it
  auto linked = run_compiler(command, program.folder, "linking");
  if (!linked) {
    linked.error().what.replace(0, std::string("this does not compile").size(), "the program does not link");
    if (is_no_space(linked.error().what)) return linked;
    linked.error().try_this = link_advice(program, linked.error().what);
  }
  return linked;
}

Status build_plain(const CompiledProgram& program, const std::string& executable, RunsOn runs_on) {
  std::vector<std::string> objects;
  for (std::size_t i = 0; i < program.units.size(); i++) {
    const std::string base = program.scratch.file("unit" + std::to_string(i) + (runs_on == RunsOn::qemu ? ".qemu" : ".plain"));
    objects.push_back(base + ".o");
    const Unit& unit = program.units[i];
    std::string bitcode = unit.final_bitcode;
    bool lowered = false;
    if (runs_on == RunsOn::qemu) {
      TRY(LoadedModule loaded, load_module(bitcode));
      TRY(lowered, lower_features(*loaded.module, runs_on));
      if (lowered) CHECK_OK(save_module(*loaded.module, bitcode = base + ".bc"));
    }
    CHECK_OK(run_compiler(code_generation_command(unit, bitcode, objects.back(), lowered), {}, unit.source));
  }
  return link_program(program, objects, executable);
}

bool qemu_knows(const CompiledProgram& program) {
  return std::ranges::all_of(program.units, [](const Unit& unit) {
    auto loaded = load_module(unit.final_bitcode);
    auto lowered = loaded ? lower_features(*loaded->module, RunsOn::qemu) : Result<bool>(false);
    return lowered && !*lowered;
  });
}

}  // namespace perfcast::llvm_ir

#include "frontends/memory_profile/memory_profile.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include <memory_profile_layout.h>  // data/runtime: shared with the run-time library
#include "frontends/llvm_ir/module.h"
#include "frontends/memory_profile/instrument.h"
#include "frontends/memory_profile/observed.h"

namespace perfcast::memory_profile {
namespace {

// How many sites there are, for the run-time library.
void tell_totals(llvm::Module& module, const MemoryProfile& profile) {
  auto* type = llvm::Type::getInt32Ty(module.getContext());
  auto tell = [&](const char* name, std::size_t total) {
    new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::ExternalLinkage, llvm::ConstantInt::get(type, total), name);
  };
  tell("perfcast_access_total", profile.accesses.size()), tell("perfcast_branch_total", profile.branches.size());
}

// Code of which the compiler was told to optimise nothing; what is seen of it was written down before, so it may as well be quick.
void allow_optimisation(llvm::Module& module) {
  for (llvm::Function& function : module) function.removeFnAttr(llvm::Attribute::OptimizeNone);
}

// Objects of the profiled units and of the run-time library.
Result<std::vector<std::string>> make_objects(const llvm_ir::CompiledProgram& program, const MadeBranches& made, MemoryProfile& profile) {
  std::vector<std::string> objects;
  for (std::size_t i = 0; i < program.units.size(); i++) {
    auto unit = program.units[i];
    std::string base = program.scratch.file("memory-" + std::to_string(i));
    TRY(auto loaded, llvm_ir::load_module(unit.final_bitcode));
    instrument(*loaded.module, made, profile);
    if (i + 1 == program.units.size()) tell_totals(*loaded.module, profile);
    if (unit.optimisation == "-O0") allow_optimisation(*loaded.module), unit.flags.push_back("-O2");
    bool lowered = false;
    if (!program.emulated) {
      TRY(lowered, llvm_ir::lower_features(*loaded.module));
    }
    CHECK_OK(llvm_ir::save_module(*loaded.module, base + ".bc"));
    CHECK_OK(llvm_ir::run_compiler(llvm_ir::code_generation_command(unit, base + ".bc", base + ".o", lowered), unit.folder,
                                   "the memory-profiled build of " + unit.source));
    objects.push_back(base + ".o");
  }
  TRY(const std::string runtime, llvm_ir::runtime_object(program, "memory_profile", {"-O2", "-fPIC"}));
  objects.push_back(runtime);
  return objects;
}

void read_access(const perfcast_access_data& data, bool whole, AccessSite& site) {
  site.touches = static_cast<double>(data.touches);
  if (data.range_calls) site.lines_per_execution = static_cast<double>(data.range_lines) / static_cast<double>(data.range_calls);
  describe_access(data, whole, site.access);
}

Status read_results(const std::string& path, bool whole, MemoryProfile& profile) {
  TRY(std::string bytes, read_file(path));
  perfcast_memory_header header;
  std::size_t wanted = sizeof header + profile.accesses.size() * sizeof(perfcast_access_data) +
                       profile.branches.size() * sizeof(perfcast_branch_data);
  if (bytes.size() < wanted) return unfit("the memory profile was not written", path);
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != perfcast_memory_magic || header.accesses != profile.accesses.size())
    return unfit("the memory profile is not the one of this program", path);
  const char* at = bytes.data() + sizeof header;
  for (AccessSite& site : profile.accesses) {
    perfcast_access_data data;
    std::memcpy(&data, at, sizeof data), at += sizeof data;
    read_access(data, whole, site);
  }
  for (BranchSite& site : profile.branches) {
    perfcast_branch_data data;
    std::memcpy(&data, at, sizeof data), at += sizeof data;
    site.executed = data.executed, site.taken = data.taken, site.mispredicted = {data.mispredicted, data.mispredicted_small, data.mispredicted_path};
  }
  profile.short_bursts = static_cast<double>(header.short_bursts);
  profile.long_bursts = static_cast<double>(header.long_bursts);
  profile.burst_share = header.total_ns ? static_cast<double>(header.burst_ns) / static_cast<double>(header.total_ns) : 0;
  profile.deepest_lines = static_cast<double>(header.deepest_lines);
  return {};
}

}  // namespace

Result<ProfiledProgram> ProfiledProgram::build(const llvm_ir::CompiledProgram& program, const MadeBranches& made) {
  ProfiledProgram built;
  built.executable_ = program.scratch.file("memory-profiled"), built.results_ = program.scratch.file("memory-results");
  TRY(auto objects, make_objects(program, made, built.sites_));
  CHECK_OK(llvm_ir::link_program(program, objects, built.executable_, {"-pthread"}));
  return built;
}

Result<MemoryProfile> ProfiledProgram::run(const Options& options) const {
  MemoryProfile profile = sites_;
  RunRequest request;
  request.command = options.runner;
  request.command.push_back(executable_);
  request.command.insert(request.command.end(), options.arguments.begin(), options.arguments.end());
  request.environment = {{"PERFCAST_MEMORY_PROFILE", results_},
                         {"PERFCAST_EXPECTED_SECONDS", std::to_string(std::max(0.01, options.expected_seconds))},
                         {"PERFCAST_BURST_SHARE", std::to_string(options.burst_share)}};
  if (options.whole_run) request.environment["PERFCAST_WHOLE_RUN"] = "1";
  if (!options.input_file.empty()) request.input_file = options.input_file;
  request.folder = options.folder, request.limits = options.limits;
  // A short run has few bursts; some more of them, at other times, cost little. The branches are learned in the second run, or in
  // the only one.
  constexpr int most_repeats = 3;
  constexpr double enough_seconds = 3.5;
  constexpr const char* learning = "PERFCAST_LEARNING_SECONDS";
  const double learning_seconds = options.learns_branches ? 0.8 : 0;  // at most
  constexpr double learning_share = 0.15;                              // of the only run
  if (options.expected_seconds > enough_seconds / 2)
    request.environment[learning] = std::to_string(options.burst_share * std::min(learning_seconds, learning_share * options.expected_seconds));
  TRY(profile.outcome, run_program(request));
  const bool has_learned = request.environment.erase(learning) > 0;
  double spent = profile.outcome.cpu.value;
  for (int repeat = 1; repeat <= most_repeats && !options.whole_run && profile.outcome.ok() && spent + profile.outcome.cpu.value < enough_seconds; repeat++) {
    request.environment["PERFCAST_REPEAT"] = std::to_string(repeat);
    if (repeat == 1 && !has_learned) request.environment[learning] = std::to_string(options.burst_share * learning_seconds);
    else request.environment.erase(learning);
    TRY(RunOutcome again, run_program(request));
    spent += again.cpu.value;
  }
  CHECK_OK(read_results(results_, options.whole_run, profile));
  return profile;
}

Result<MemoryProfile> profile_memory(const llvm_ir::CompiledProgram& program, const MadeBranches& made, const Options& options) {
  TRY(const ProfiledProgram built, ProfiledProgram::build(program, made));
  return built.run(options);
}

void apply(const MemoryProfile& profile, Graph& ir) {
  std::map<std::pair<std::string, std::string>, Block*> blocks;
  for (Function& function : ir.functions)
    for (Block& block : function.blocks) blocks[{function.name, block.name}] = &block;
  for (const AccessSite& site : profile.accesses)
    if (auto it = blocks.find({site.function, site.block}); it != blocks.end()) {
      Access access = site.access;
      access.count = it->second->count.value * (site.lines_per_execution > 0 ? site.lines_per_execution : 1);
      it->second->accesses.push_back(std::move(access));
    }
  for (const BranchSite& site : profile.branches)
    if (auto it = blocks.find({site.function, site.block});
        it != blocks.end() && (site.kind == BranchKind::branch || site.kind == BranchKind::call) && site.executed > 0) {
      Block& block = *it->second;
      auto& of = site.kind == BranchKind::call ? block.mispredicted_calls : block.mispredicted;
      of = of.value_or(Mispredictions()) + site.mispredicted * (block.count.value / site.executed);
    }
}

}  // namespace perfcast::memory_profile

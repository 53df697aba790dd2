#include "frontends/where_it_runs.h"

#include <algorithm>

#include "base/process.h"
#include "frontends/llvm_ir/emulated.h"
#include "frontends/llvm_ir/host_copy.h"

namespace perfcast {
namespace {

using llvm_ir::CompiledProgram;

#if defined(__x86_64__)
constexpr const char* host_isa = "x86_64";
#elif defined(__aarch64__)
constexpr const char* host_isa = "aarch64";
#else
constexpr const char* host_isa = "";
#endif

// Bits of the scalable vectors the program is compiled for, where that was said.
std::optional<int> vectors_of(const CompiledProgram& program, const std::string& cpu) {
  return llvm_ir::scalable_bits_of_flags(program.units.empty() ? std::vector<std::string>{} : program.units[0].flags, cpu);
}

}  // namespace

std::string isa_of(const std::string& target) { return target.empty() ? host_isa : target.substr(0, target.find('-')); }

bool needs_emulation(const AnalyzeOptions& options, const CompiledProgram& program) {
  if (isa_of(options.target) != host_isa || std::string(host_isa) != "aarch64" || !find_program("qemu-aarch64")) return false;
  const auto wanted = vectors_of(program, options.cpu);
  const bool other_vectors = wanted && wanted != llvm_ir::scalable_bits_here();
  return std::ranges::any_of(program.units, [&](const llvm_ir::Unit& unit) {
    return !llvm_ir::runs_here(unit.final_bitcode, other_vectors);
  });
}

Result<std::vector<std::string>> runner_for(const std::string& target, const CompiledProgram& program, const std::string& cpu) {
  const std::string wanted = isa_of(target);
  const bool foreign = wanted != host_isa;
  if (!foreign && !program.emulated) return std::vector<std::string>{};
  auto qemu = find_program("qemu-" + wanted);
  if (!qemu)
    return unfit("programs for " + wanted + " cannot be run here", "--target " + target, "apt install qemu-user");
  std::vector<std::string> runner = {*qemu};
  if (foreign) runner.insert(runner.end(), {"-L", "/usr/" + wanted + "-linux-gnu"});
  for (auto& word : llvm_ir::emulated_cpu(wanted, vectors_of(program, cpu).value_or(llvm_ir::scalable_bits({})))) runner.push_back(word);
  return runner;
}

std::optional<CompiledProgram> host_copy(const AnalyzeOptions& options, const CompiledProgram& program, Profile& profile) {
  if (isa_of(options.target) == host_isa || !options.launcher.empty()) return {};
  auto copy = options.emulate ? Result<CompiledProgram>(unfit("so asked")) : llvm_ir::copy_for_this_host(program);
  profile.made_by.more["counted"] = copy ? "on this host, from the same IR" : "under qemu-user: " + copy.error().what;
  if (!copy) return {};
  return std::move(*copy);
}

}  // namespace perfcast

#include "methods/characterize/instructions/measure_core.h"

#include "base/cores.h"
#include "base/files.h"
#include "engine/core_tables.h"
#include "methods/characterize/instructions/closest_core.h"

namespace perfcast::instructions {

Result<MeasuredCore> measure_core(const CoreOptions& options) {
  auto tell = [&](double done, const std::string& what) { if (options.progress) options.progress(done, what); };
  const std::string isa = host_isa();
  TRY(auto table, bundled_form_table(isa));
  TRY(auto described, bundled_described_forms(isa));
  TRY(auto cpuinfo, read_file("/proc/cpuinfo"));
  TRY(auto family, family_of(cpuinfo, isa));

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
  TRY(const auto frame, starting_core(family, isa, table, described, timings));
  auto fitted = fit_core(frame.core, family.core.empty() ? Frame::usual : Frame::family, table, described, timings);
  result.core = std::move(fitted.core), result.gaps = std::move(fitted.gaps), result.changes = std::move(fitted.changes);
  result.family = family.core;
  if (!family.llvm_cpu.empty()) result.core.llvm_cpu = family.llvm_cpu;
  if (family.core.empty())
    result.gaps.push_back({"no bundled core is of this processor's family: ports are those of " + frame.name +
                           ", whose throughputs are the closest, changed where the measurement contradicts them", {}, 0});
  for (auto& name : timings.not_assembled) result.gaps.push_back({"the assembler does not know " + name, {}, 0});
  CHECK_OK(engine::check_core(result.core));
  tell(1, "instructions measured");
  return result;
}

}  // namespace perfcast::instructions

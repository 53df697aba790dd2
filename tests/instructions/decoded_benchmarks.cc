#include "decoded_benchmarks.h"

#include <algorithm>

#include "engine/simulate.h"
#include "frontends/decoded_assembly.h"

namespace perfcast {

using instructions::Benchmark;

Result<DecodedBenchmarks> decode_benchmarks(const instructions::FormTable& table,
                                            const std::vector<Benchmark>& benchmarks, const std::string& cpu) {
  TRY(auto decoded, decode_assembly(instructions::write_assembly(table, benchmarks), table.isa, cpu));
  DecodedBenchmarks result;
  for (std::size_t i = 0; i < benchmarks.size(); i++) result.loops.push_back(std::move(decoded.functions.at(instructions::loop_symbol(i))));
  result.forms = std::move(decoded.forms);
  return result;
}

Result<double> simulate_benchmark(const DecodedBenchmarks& decoded, std::size_t index, const Benchmark& benchmark,
                                  const CoreModel& core) {
  const auto& loop = decoded.loops[index];
  const int iterations = std::max(30, 6000 / static_cast<int>(loop.size() + 1));
  TRY(auto time, engine::simulate_loop(loop, decoded.forms, core, iterations));
  return time.cycles_per_iteration / benchmark.per;
}

bool simulable(const Benchmark& benchmark) {
  if (benchmark.kind == instructions::Kind::easy) return false;  // the engine knows the usual operands
  if (benchmark.form == "jmp" || benchmark.form == "b.next") return false;
  return benchmark.with != "branch" || benchmark.name.find("not.taken") != std::string::npos;
}

}  // namespace perfcast

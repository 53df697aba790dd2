#include "decoded_benchmarks.h"

#include <algorithm>
#include <map>

#include "base/files.h"
#include "base/process.h"
#include "engine/simulate.h"
#include "frontends/machine_code/decode.h"
#include "frontends/machine_code/elf_image.h"

namespace perfcast {

using instructions::Benchmark;

Result<DecodedBenchmarks> decode_benchmarks(const instructions::FormTable& table,
                                            const std::vector<Benchmark>& benchmarks, const std::string& cpu) {
  TRY(auto folder, TemporaryFolder::make("decoded-benchmarks"));
  CHECK_OK(write_file(folder.file("bench.s"), instructions::write_assembly(table, benchmarks)));
  RunRequest request;
  request.command = {"clang-19", "--target=" + table.isa + "-linux-gnu", "-c", folder.file("bench.s"), "-o", folder.file("bench.o")};
  TRY(auto outcome, run_program(request));
  if (!outcome.ok()) return unfit("the benchmarks do not assemble: " + outcome.errors.substr(0, 500));
  TRY(auto image, machine_code::ElfImage::open(folder.file("bench.o")));
  TRY(auto decoder, machine_code::Decoder::make(image.triple(), cpu));
  machine_code::FormTable forms;
  std::map<std::string, machine_code::CodeSymbol> symbols;
  for (const auto& symbol : image.functions()) symbols[symbol.name] = symbol;
  DecodedBenchmarks result;
  const auto& section = image.code().at(0);
  for (std::size_t i = 0; i < benchmarks.size(); i++) {
    const auto& symbol = symbols.at("perfcast_l" + std::to_string(i));
    auto code = decoder.decode(section.bytes.subspan(symbol.address - section.address, symbol.size), symbol.address, forms);
    auto& loop = result.loops.emplace_back();
    for (auto& decoded : code.instructions) loop.push_back(std::move(decoded.instruction));
  }
  result.forms = forms.take();
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
  if (benchmark.form == "jmp" || benchmark.form == "b.next") return false;
  return benchmark.with != "branch" || benchmark.name.find("not.taken") != std::string::npos;
}

}  // namespace perfcast

#include "assembled_loops.h"

#include <map>
#include <sstream>

#include "base/files.h"
#include "base/process.h"
#include "engine/simulate.h"
#include "frontends/machine_code/decode.h"
#include "frontends/machine_code/elf_image.h"
#include "record/record_file.h"

namespace perfcast {
namespace {

// "a; b; c" repeated, one instruction per line.
std::string lines(const Json& loop) {
  std::string text, body = loop.at("body");
  for (char& c : body)
    if (c == ';') c = '\n';
  for (int k = 0; k < loop.value("repeat", 1); k++) text += body + "\n";
  std::string end = loop.at("end");
  for (char& c : end)
    if (c == ';') c = '\n';
  return text + end + "\n";
}

Result<std::string> assemble(const Json& file, const TemporaryFolder& folder) {
  std::string text = ".text\n";
  int number = 0;
  for (const auto& loop : file.at("loops")) {
    std::string symbol = "loop" + std::to_string(number++);
    text += ".p2align 6\n.type " + symbol + ",%function\n" + symbol + ":\n1:\n" + lines(loop) + "2:\n.size " + symbol +
            ",.-" + symbol + "\n";
  }
  CHECK_OK(write_file(folder.file("loops.s"), text));
  bool x86 = file.at("isa") == "x86_64";
  RunRequest request;
  request.command = {"clang-19", x86 ? "--target=x86_64-linux-gnu" : "--target=aarch64-linux-gnu",
                     x86 ? "-march=sapphirerapids" : "-mcpu=neoverse-v1", "-c", folder.file("loops.s"), "-o", folder.file("loops.o")};
  TRY(auto outcome, run_program(request));
  if (!outcome.ok()) return unfit("the loops do not assemble: " + outcome.errors.substr(0, 500));
  return folder.file("loops.o");
}

}  // namespace

Result<MeasuredLoops> assemble_measured_loops(const std::string& source_folder, const std::string& name) {
  MeasuredLoops result;
  TRY(result.machine, read_record<Machine>(source_folder + "/data/machines/" + name + ".machine.json"));
  TRY(auto file, read_json_file(source_folder + "/data/measured/" + name + ".microbenchmarks.json"));
  TRY(auto folder, TemporaryFolder::make("measured-loops"));
  TRY(auto object, assemble(file, folder));
  TRY(auto image, machine_code::ElfImage::open(object));
  TRY(auto decoder, machine_code::Decoder::make(image.triple(), result.machine.core->llvm_cpu));
  machine_code::FormTable forms;
  const auto& section = image.code().at(0);
  std::map<std::string, machine_code::CodeSymbol> symbols;
  for (const auto& symbol : image.functions()) symbols[symbol.name] = symbol;
  int number = 0;
  for (const auto& loop : file.at("loops")) {
    const auto& symbol = symbols.at("loop" + std::to_string(number++));
    auto code = decoder.decode(section.bytes.subspan(symbol.address - section.address, symbol.size), symbol.address, forms);
    MeasuredLoop measured{loop.at("kind"), loop.at("name"), loop.at("count"), loop.at("cycles"), loop.value("fastest", loop.at("cycles").get<double>()), {}};
    for (auto& decoded : code.instructions) measured.body.push_back(std::move(decoded.instruction));
    result.loops.push_back(std::move(measured));
  }
  result.forms = forms.take();
  return result;
}

Result<std::vector<SimulatedLoop>> simulate_measured_loops(const MeasuredLoops& loops) {
  std::vector<SimulatedLoop> simulated;
  for (const auto& loop : loops.loops) {
    int iterations = std::max(20, 4000 / static_cast<int>(loop.body.size() + 1));
    TRY(auto time, engine::simulate_loop(loop.body, loops.forms, *loops.machine.core, iterations));
    simulated.push_back({&loop, time.cycles_per_iteration / loop.count});
  }
  return simulated;
}

}  // namespace perfcast

#include "frontends/decoded_assembly.h"

#include "base/files.h"
#include "base/run_tidily.h"
#include "frontends/machine_code/decode.h"
#include "frontends/machine_code/elf_image.h"

namespace perfcast {

Result<DecodedAssembly> decode_assembly(const std::string& text, const std::string& isa, const std::string& cpu) {
  TRY(auto folder, TemporaryFolder::make("decoded-assembly"));
  CHECK_OK(write_file(folder.file("text.s"), text));
  RunRequest request;
  request.command = {"clang-19", "--target=" + isa + "-linux-gnu", "-c", folder.file("text.s"), "-o", folder.file("text.o")};
  TRY(auto outcome, run_tidily(request));
  if (!outcome.ok()) return unfit("the text does not assemble: " + outcome.errors.substr(0, 500));
  TRY(auto image, machine_code::ElfImage::open(folder.file("text.o")));
  TRY(auto decoder, machine_code::Decoder::make(image.triple(), cpu));
  machine_code::FormTable forms;
  DecodedAssembly result;
  const auto& section = image.code().at(0);
  for (const auto& symbol : image.functions()) {
    auto code = decoder.decode(section.bytes.subspan(symbol.address - section.address, symbol.size), symbol.address, forms);
    auto& instructions = result.functions[symbol.name];
    for (auto& decoded : code.instructions) instructions.push_back(std::move(decoded.instruction));
  }
  result.forms = forms.take();
  return result;
}

}  // namespace perfcast

#include "base/symbols.h"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>

#include "base/files.h"
#include "base/process.h"
#include "base/text.h"

namespace perfcast {

std::vector<CodePlace> parse_places(const std::string& printed) {
  std::vector<CodePlace> places;
  std::istringstream in(printed);
  for (std::string function, where; std::getline(in, function);) {
    if (function.empty()) continue;
    if (!std::getline(in, where)) break;
    CodePlace place;
    if (function != "??") place.function = function;
    // The file may hold colons itself; addr2line may add " (discriminator n)".
    for (const auto& word : split(where.substr(0, where.find(' ')), ':')) {
      if (!place.file.empty() && !word.empty() && word.find_first_not_of("0123456789") == word.npos) {
        place.line = std::atoi(word.c_str());
        break;
      }
      place.file += (place.file.empty() ? "" : ":") + word;
    }
    if (place.file == "??" || place.file.starts_with("??:")) place.file.clear();
    places.push_back(std::move(place));
  }
  return places;
}

Result<std::vector<CodePlace>> code_places(const std::string& executable, const std::vector<unsigned long long>& offsets) {
  RunRequest request;
  if (auto tool = find_program("llvm-symbolizer-19")) {
    request.command = {*tool, "--obj=" + executable, "--inlining=false", "--functions=linkage", "--no-demangle"};
  } else if (auto other = find_program("addr2line")) {
    request.command = {*other, "-f", "-e", executable};
  } else {
    return unfit("places in code are told by llvm-symbolizer-19 or addr2line, and neither is here", "", "apt install llvm-19 or binutils");
  }
  TRY(TemporaryFolder folder, TemporaryFolder::make("places"));
  std::string text;
  for (auto offset : offsets) text += fmt::format("{:#x}\n", offset);
  CHECK_OK(write_file(folder.file("offsets"), text));
  request.input_file = folder.file("offsets");
  request.limits.output = Bytes{256.0 * (1 << 20)};
  TRY(RunOutcome outcome, run_program(request));
  if (!outcome.ok()) return unfit("looking up places failed: the tool " + outcome.how_it_ended(), request.command[0]);
  auto places = parse_places(outcome.output);
  places.resize(offsets.size());
  return places;
}

}  // namespace perfcast

// What of analyze needs no compiler library: both builds have it.
#include <cctype>

#include "expr/parse.h"
#include "frontends/analyze.h"

namespace perfcast {

std::optional<Error> run_trouble(const Profile& profile) {
  const std::string& ending = profile.run.ending;
  if (ending.empty() || ending.starts_with("exited")) return std::nullopt;
  const std::string remedy =
      ending.starts_with("printed") ? "let it print less, or allow more with --output-limit"
      : ending.find("SIGXFSZ") != ending.npos ? "let it write less, or allow larger files with --file-limit"
      : ending.find("SIGBUS") != ending.npos ? "free space below TMPDIR, or set TMPDIR to a folder that has some: counts are gathered there; else give it the arguments (after --) and input (--input) it needs"
                                             : "give it the arguments (after --), input (--input) and time (--timeout) it needs";
  const std::string& complaint = profile.run.complaint;
  return Error{"the program " + ending + (complaint.empty() ? "" : "; it said: " + complaint), profile.program, remedy, Trouble::unfit};
}

AnalyzeOptions options_of(const ProgramRun& run) {
  AnalyzeOptions options;
  options.sources = run.sources, options.build_folder = run.build_folder, options.binary = run.binary;
  options.folder = run.folder, options.cflags = run.cflags, options.target = run.target, options.cpu = run.cpu;
  options.arguments = run.arguments, options.input_file = run.input, options.parameters = run.parameter_arguments;
  return options;
}

Result<std::pair<std::string, int>> parameter_of(const std::string& text) {
  const std::size_t equals = text.find("=ARG");
  const std::string number = equals == text.npos ? "" : text.substr(equals + 4);
  const bool digits = !number.empty() && number.size() < 5 && number.find_first_not_of("0123456789") == number.npos;
  if (!digits || equals == 0 || !(std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '_'))
    return wrong_usage("\"" + text + "\" is not NAME=ARGn", "--param N=ARG1: the first argument after -- is N");
  const std::string name = text.substr(0, equals);
  // Forms are written with these names beside functions and the hidden counts, and read again.
  if (!expr::is_symbol_name(name) || name == "H1" || name == "H2" || name == "H3")
    return wrong_usage("a parameter cannot be called \"" + name + "\"", "choose a plain name that is no function and not H1, H2 or H3 (counts that depend on the data): --param N=ARG1");
  return std::pair(name, std::stoi(number));
}

}  // namespace perfcast

// What all commands share: --format, -o, --machine, and how results and remarks reach the user.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/colour.h"
#include "record/library.h"
#include "record/record_file.h"

namespace perfcast::cli {

// Numbers of options: what is wrong in a short sentence.
CLI::Validator above_zero();
CLI::Validator zero_or_above();

struct OutputOptions {
  std::string format = "text";  // or "json"
  std::string file = "-";
  bool json() const { return format == "json"; }
};
void add_output_options(CLI::App& app, OutputOptions& options);

// Text for people, on standard output: lines no longer than text_columns, colour on a terminal.
Status write_text(const std::string& text);

// Writes JSON or the text view, to the file or standard output. A named file gets the record as JSON unless
// --format text was asked for.
template <class Record>
Status emit(const Record& record, const std::string& text, const OutputOptions& options) {
  if (options.json() || options.file != "-") return write_file(options.file, record_text(record));
  return write_text(text);
}

// The same for results that are no record.
Status emit_json(const Json& json, const std::string& text, const OutputOptions& options);

// --machine M, repeatable; without it, the user's default machine, characterized quickly first if there is none.
void add_machine_option(CLI::App& app, std::vector<std::string>& machines);
Result<std::vector<Machine>> load_machines(const std::vector<std::string>& names);

// What stands after "--" on the command line: the arguments of the user's program.
std::vector<std::string>& program_arguments();

// A remark for the user, on standard error.
void remark(const std::string& text);

}  // namespace perfcast::cli

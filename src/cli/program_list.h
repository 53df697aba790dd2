// Several programs for several machines: profiles, sources, or a suite. Machine code of one instruction set says nothing
// of a machine with another, so sources are analysed once for each instruction set among the machines, and of several
// profiles of one program each machine gets the one made for it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/program.h"
#include "methods/predict/predict.h"
#include "record/machine.h"
#include "record/prediction.h"

namespace perfcast::cli {

struct ProgramList {
  std::vector<std::string> words;  // profiles (files or bundled names) or sources, one program each
  std::string suite, model, cflags;
  LimitWords limits;
  bool empty() const { return words.empty() && suite.empty(); }
};
// --suite, --model, --cflags, --timeout, --memory-limit, --output-limit, --file-limit.
void add_program_list_options(CLI::App& app, ProgramList& programs);

// Every program on every machine. What cannot be analysed or answered becomes a remark, not an error.
Result<std::vector<Prediction>> predict_programs(const ProgramList& programs, const std::vector<Machine>& machines);

// The flags without those that name a processor of one instruction set: -march, -mcpu, -mtune.
std::string portable_flags(const std::string& cflags);

}  // namespace perfcast::cli

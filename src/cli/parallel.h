// Predictions for programs on several processors, and for designs.
#pragma once

#include <CLI/CLI.hpp>
#include <span>

#include "base/process.h"
#include "methods/parallel/parallel.h"
#include "methods/predict/predict.h"

namespace perfcast::cli {

// --ranks, --threads, --template, --network, --platform, --path.
void add_parallel_options(CLI::App& app, parallel::ParallelOptions& options);

// Refuses options that are about messages for a program that is predicted without any.
Status about_messages(const Profile& profile, const parallel::ParallelOptions& options);

// Messages or regions were recorded, or ranks, threads or a template were asked for.
bool runs_in_parallel(const Profile& profile, const parallel::ParallelOptions& options);

// Every model for one processor, carried over to the ranks or threads. Measured: wall time of the slowest rank from
// MPI_Init to MPI_Finalize, or of the process with threads.
Result<Prediction> predict_parallel(const Profile& profile, const std::vector<Machine>& machines, predict::PredictOptions predicting,
                                    parallel::ParallelOptions options, bool measure, const RunLimits& limits);

// Wall time of a program with messages or thread regions on so many processors of this host, with its recorded arguments.
Result<MeasuredTime> measure_on(const Profile& profile, int processors, const RunLimits& limits);

// A design: steps by their estimates, analysed code in place of steps that have it, templates where steps name them.
Result<Prediction> predict_design(const std::string& file, const std::vector<Machine>& machines, const predict::PredictOptions& predicting,
                                  const parallel::ParallelOptions& options);

// The analysed code of the first of its steps that have some.
Result<std::optional<Profile>> code_of_design(const std::string& file);

}  // namespace perfcast::cli

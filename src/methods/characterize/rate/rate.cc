#include "methods/characterize/rate/rate.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "base/files.h"
#include "base/paths.h"
#include "base/run_tidily.h"
#include "methods/characterize/source/compilers.h"

namespace perfcast::characterize {

Result<Measurement> rate_of(const std::string& printed) {
  std::istringstream in(printed);
  Moments per_flop;  // nanoseconds, summed over loops
  double loops = 0;
  int rounds = 0;
  bool disturbed = false;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string kind, name;
    double flops = 0;
    if (!(words >> kind >> name >> flops) || kind != "r" || flops <= 0) continue;
    std::vector<double> times, all;
    for (std::string word; words >> word;) {
      bool shared = word[0] == '~';
      double ns = std::strtod(word.c_str() + shared, nullptr);
      if (ns <= 0) continue;
      all.push_back(ns / flops);
      if (!shared) times.push_back(all.back());
    }
    constexpr std::size_t fewest = 5;
    if (times.size() < std::min(fewest, all.size())) times = all, disturbed = true;
    if (times.empty()) continue;
    double sd = (quantile(times, 0.5) - quantile(times, 0.0)) / 1.349;
    per_flop += Moments{quantile(times, 0.25), sd * sd};
    loops++, rounds = static_cast<int>(times.size());
  }
  if (loops == 0 || per_flop.mean <= 0) return unfit("the loops of the flop rate printed no times");
  Measurement rate;
  rate.value = 1e3 * loops / per_flop.mean;
  rate.sd = rate.value * std::sqrt(per_flop.variance) / per_flop.mean;
  rate.repetitions = rounds, rate.disturbed = disturbed;
  return rate;
}

Status measure_rate(Work& work, Machine& machine) {
  std::string compiler = plan_compilers(work.options).c_compiler;
  if (compiler.empty()) return unfit("no C compiler was found", "", "install gcc or clang");
  TRY(TemporaryFolder folder, TemporaryFolder::make("rate"));
  RunRequest build;
  build.command = {compiler, "-O2", "-w", (bundled_data() / "experiments/rate.c").string(), "-o", folder.file("rate"), "-lm"};
  TRY(RunOutcome built, run_tidily(build));
  if (!built.ok()) return unfit("cannot compile the loops of the flop rate: it " + built.how_it_ended(), compiler);
  work.doing("floating-point loops", 0.5);
  RunRequest request;
  request.command = {folder.file("rate"), work.options.quick ? "40" : "200"};
  request.core = measuring_core();
  request.limits.time = Seconds{60};
  TRY(RunOutcome outcome, run_program(request));
  if (!outcome.ok()) return unfit("the loops of the flop rate did not end well: the program " + outcome.how_it_ended(request.limits));
  TRY(Measurement rate, rate_of(outcome.output));
  rate.note = compiler + " -O2; add, multiply, compare count 1, divide and square root 4, other functions 8";
  machine.mflops = rate;
  return {};
}

}  // namespace perfcast::characterize

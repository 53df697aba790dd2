// What the libraries that perfcast loads into a program leave behind, and tables that its own measurements are made from. The program
// may have written into the first; people add to the second.
#include <cstring>
#include <sstream>

#include "fuzz/entry_functions.h"
#include "frontends/mpi/record_messages.h"
#include "frontends/openmp/record_threads.h"
#include "methods/characterize/instructions/benchmarks.h"
#include "methods/characterize/instructions/described_forms.h"
#include "methods/characterize/source/experiments.h"
#include "methods/characterize/source/generate.h"
#include "methods/dilate/ranks.h"
#include "methods/dilate/same_work.h"
#include "methods/dilate/threads.h"
#include "methods/dilate/verdict.h"
#include "record/check.h"
#include "record/demand.h"
#include "record/record_file.h"

namespace perfcast::fuzz {
namespace {

#include "../data/runtime/mpi_record.h"

// Of a module whose name begins with a digit, nothing is told.
Result<std::vector<CodePlace>> some_places(const std::string& module, const std::vector<unsigned long long>& offsets) {
  if (!module.empty() && module[0] >= '0' && module[0] <= '9') return unfit("no places");
  return std::vector<CodePlace>(offsets.size(), {"f", "f.c", 3});
}

}  // namespace

// The names, an empty line, then the head, two sites and the events; the many sites between are as good as empty.
void read_messages(const std::string& text) {
  constexpr std::size_t few_sites = 2;
  const std::size_t end = text.find("\n\n");
  const std::string names = text.substr(0, end), rest = end == std::string::npos ? "" : text.substr(end + 2);
  record_head head{};
  std::memcpy(&head, rest.data(), std::min(rest.size(), sizeof head));
  head.magic = RECORD_MAGIC;
  const std::string sites = rest.size() > sizeof head ? rest.substr(sizeof head, few_sites * sizeof(record_site)) : "";
  const std::string events = rest.size() > sizeof head + few_sites * sizeof(record_site) ? rest.substr(sizeof head + few_sites * sizeof(record_site)) : "";
  head.events = std::min<std::uint64_t>(head.events, events.size() / sizeof(record_event));
  std::string trace(reinterpret_cast<const char*>(&head), sizeof head);
  trace += sites + std::string(record_sites * sizeof(record_site) - sites.size(), '\0') + events;
  auto skeleton = mpi::skeleton_of(trace, names, some_places);
  if (!skeleton) return;
  to_json_value(*skeleton);
  (void)check_skeleton(*skeleton);
}

void read_thread_record(const std::string& text) {
  auto threads = openmp::threads_of(text, some_places);
  if (!threads) return;
  to_json_value(*threads);
  (void)check_threads(*threads);
}

// A rank's file or, where it is none, that of threads; each as if it had been written at every factor.
void read_dilated(const std::string& text) {
  auto json = parse_json(text, "fuzz");
  if (!json) return;
  if (auto rank = dilate::rank_in(*json, "fuzz")) {
    std::vector<std::vector<dilate::DilatedRun>> of_factors;
    for (double d : {1, 2, 4}) {
      rank->d = d, rank->compute *= 1.5;
      of_factors.push_back({dilate::run_of({*rank, *rank})});
    }
    dilate::bring_to_same_work(of_factors);
    std::vector<dilate::DilatedRun> runs;
    for (const auto& of_factor : of_factors) {
      runs.push_back(dilate::join_repeats(of_factor));
      dilate::judge_point(runs.back(), {});
    }
    Dilation dilation;
    dilate::conclude(dilation, runs);
    record_text(dilation);
  }
  if (auto threads = dilate::threads_in(*json, "fuzz")) record_text(dilate::demand_of({*threads, *threads}));
}

void read_forms(const std::string& text) {
  auto table = instructions::parse_form_table(text, "fuzz");
  if (!table) return;
  instructions::Selection few = instructions::one_of_each();
  few.special = true;
  instructions::write_assembly(*table, instructions::list_benchmarks(*table, few), nullptr);
}

void read_experiments(const std::string& text) {
  constexpr std::size_t few = 1000;
  for (const char* language : {"c", "c++", "fortran"})
    if (auto set = characterize::parse_experiments(text, "fuzz", language, true); set && set->bodies.size() <= few)
      characterize::generate(*set, language, std::vector<bool>(set->bodies.size(), false));
}

}  // namespace perfcast::fuzz

// Times the kernels of a traced binary by the engine.
//   bench_trace_time BINARY TRACE MACHINE_FILE LOOP_FOLDER [trace]    # trace: recorded addresses only, quickly
// One line per kernel (functions k_*), of its last call: instructions; cycles with recorded addresses; cycles with
// deduced addresses; cycles by a walk over the counted edges, with which loads meet stores; MACS, the walk with nothing ever full; the trivial bound; what the hottest loop covers; and the
// mispredictions, as the core's lie between those of simulated predictors that have seen the kernel often. The loop's text is left in
// LOOP_FOLDER/KERNEL.s with its executions, for other tools.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <fstream>
#include <map>
#include <set>
#include <unordered_map>

#include "../../data/runtime/branch_predictor.h"
#include "base/files.h"
#include "engine/program_time.h"
#include "engine/simulate.h"
#include "engine/values.h"
#include "frontends/machine_code/decode.h"
#include "frontends/machine_code/elf_image.h"
#include "methods/bounds/ladder.h"
#include "record/foresight.h"
#include "record/record_file.h"

using namespace perfcast;

struct Record {
  std::uint64_t pc, address;
};

struct Binary {
  std::vector<InstructionForm> forms;
  std::unordered_map<std::uint64_t, Instruction> code;
  std::map<std::uint64_t, std::string> kernels;
};

static Result<Binary> read_binary(const std::string& path, const std::string& cpu) {
  Binary binary;
  TRY(auto image, machine_code::ElfImage::open(path));
  TRY(auto decoder, machine_code::Decoder::make(image.triple(), cpu));
  machine_code::FormTable forms;
  for (const auto& section : image.code()) {
    auto code = decoder.decode(section.bytes, section.address, forms);
    for (auto& one : code.instructions) binary.code.emplace(one.instruction.address, std::move(one.instruction));
  }
  binary.forms = forms.take();
  for (const auto& symbol : image.functions())
    if (symbol.name.starts_with("k_") && !symbol.name.starts_with("k__")) binary.kernels[symbol.address] = symbol.name.substr(2);
  return binary;
}

// By instruction executed, which of the simulated predictors (wrong_of_large ..) are wrong about where it goes, after they have met
// the last call often.
static std::vector<int> mispredictions(const Binary& binary, std::span<const Record> trace, std::size_t last_call) {
  struct Branch {
    std::size_t at;
    bool conditional, taken;
  };
  std::vector<Branch> branches;
  for (std::size_t k = 0; k + 1 < trace.size(); k++) {
    const Instruction& instruction = binary.code.at(trace[k].pc);
    const InstructionForm& form = binary.forms[static_cast<std::size_t>(instruction.form)];
    bool taken = trace[k + 1].pc != trace[k].pc + static_cast<std::uint64_t>(instruction.size);
    if ((form.branch && form.conditional) || (form.indirect && !form.ret)) branches.push_back({k, form.conditional, taken});
  }
  std::vector<int> wrong(trace.size());
  auto meet = [&](const Branch& branch) {
    auto id = static_cast<std::uint32_t>(trace[branch.at].pc);
    wrong[branch.at] = branch.conditional ? wrong_direction(id, branch.taken) : wrong_target(id, trace[branch.at + 1].pc);
  };
  const std::size_t most = 400000;  // branches; a few thousand meetings teach a short pattern
  for (std::size_t met = 0, round = 0; round < 60 && (met < most || round < 3); round++)
    for (const Branch& branch : branches)
      if (branch.at >= last_call) meet(branch), met++;
  for (const Branch& branch : branches) meet(branch);
  return wrong;
}

static Mispredictions sum(std::span<const int> wrong) {
  Mispredictions sum;
  for (int by : wrong) sum += {by & wrong_of_large ? 1.0 : 0, by & wrong_of_small ? 1.0 : 0, by & wrong_of_path ? 1.0 : 0};
  return sum;
}

// The simulated predictor that misses about as often as the core: a trace says of each branch whether it was foreseen.
static int likest(const Mispredictions& missed, const BranchCosts& core) {
  const double expected = mispredicted_on(core, missed);
  const std::pair<double, int> by[] = {{missed.large, wrong_of_large}, {missed.small, wrong_of_small}, {missed.path, wrong_of_path}};
  return std::ranges::min_element(by, {}, [&](const auto& one) { return std::abs(one.first - expected); })->second;
}

static std::vector<engine::TraceStep> steps_of(const Binary& binary, std::span<const Record> trace, const std::vector<int>& wrong, int predictor, bool addresses) {
  std::vector<engine::TraceStep> steps;
  for (std::size_t k = 0; k < trace.size(); k++) {
    const Instruction& instruction = binary.code.at(trace[k].pc);
    engine::TraceStep step{&instruction, false, (wrong[k] & predictor) != 0, {}, 0};
    step.taken = k + 1 < trace.size() && trace[k + 1].pc != trace[k].pc + static_cast<std::uint64_t>(instruction.size);
    if (addresses && trace[k].address) step.address = trace[k].address;
    steps.push_back(step);
  }
  return steps;
}

// Which loads read what one of the last stores wrote, as the profile of a run tells (data/runtime/reuse_tracker.h).
class Meetings {
 public:
  explicit Meetings(const Binary& binary) : binary_(binary) {}

  void meet(int block, int index, const Record& record) {
    const Instruction& instruction = binary_.code.at(record.pc);
    const InstructionForm& form = binary_.forms[static_cast<std::size_t>(instruction.form)];
    engine::StaticInstruction resolved;
    engine::describe_values(resolved, form, instruction);
    if (!record.address || resolved.on_stack) return;
    if (form.load) note(seen_[{block, index, false}], record.address, true);
    if (form.store) note(seen_[{block, index, true}], record.address, false);
    if (form.store) stores_.push_front(record.address), stores_.resize(std::min(stores_.size(), watched));
  }
  void put_into(Function& function) const {
    for (const auto& [place, seen] : seen_) {
      const auto [block, index, store] = place;
      Access access;
      access.index = index, access.store = store, access.meetings_seen = !store;
      double same_step = 0;
      for (const auto& [step, times] : seen.steps) same_step = std::max(same_step, times);
      access.kind = same_step > 0.8 * seen.executed ? AddressKind::regular : AddressKind::indexed;
      for (const auto& [back, times] : seen.aliased) access.aliases.push_back({static_cast<double>(back), times / seen.executed, 0});
      for (const auto& [back, times] : seen.met) access.meetings.push_back({static_cast<double>(back), times / seen.executed, 0});
      function.blocks[static_cast<std::size_t>(block)].accesses.push_back(access);
    }
  }

 private:
  static constexpr std::size_t watched = 48;
  struct Seen {
    double executed = 0;
    std::uint64_t last = 0;
    std::map<std::uint64_t, double> steps;
    std::map<std::ptrdiff_t, double> met, aliased;
  };
  void note(Seen& seen, std::uint64_t address, bool load) const {
    seen.executed++, seen.steps[address - std::exchange(seen.last, address)]++;
    if (!load) return;
    if (auto at = std::ranges::find(stores_, address); at != stores_.end()) seen.met[at - stores_.begin() + 1]++;
    constexpr std::uint64_t word = 8, page_words = 512;
    for (auto at = stores_.begin(); at != stores_.end() && *at / word != address / word; ++at)
      if ((*at / word - address / word) % page_words == 0) seen.aliased[at - stores_.begin() + 1]++;
  }
  const Binary& binary_;
  std::deque<std::uint64_t> stores_;  // the last one first
  std::map<std::tuple<int, int, bool>, Seen> seen_;  // by block, instruction, whether it stores
};

// Blocks and edges of one function as the trace counted them.
static Profile counted(const Binary& binary, std::span<const Record> trace, std::span<const int> wrong) {
  std::set<std::uint64_t> leaders{trace[0].pc};
  auto ends = [&](const Instruction& i) { return binary.forms[static_cast<std::size_t>(i.form)].branch || binary.forms[static_cast<std::size_t>(i.form)].ret; };
  for (std::size_t k = 0; k + 1 < trace.size(); k++) {
    const Instruction& here = binary.code.at(trace[k].pc);
    if (trace[k + 1].pc != here.address + static_cast<std::uint64_t>(here.size) || ends(here)) leaders.insert(trace[k + 1].pc);
  }
  std::map<std::uint64_t, int> number;
  for (auto pc : leaders) number.emplace(pc, static_cast<int>(number.size()));
  Function function;
  function.name = "kernel", function.blocks.resize(leaders.size());
  std::map<std::pair<int, int>, double> edges;
  Meetings meetings(binary);
  int current = -1, index = 0;
  for (std::size_t k = 0; k < trace.size(); k++, index++) {
    if (auto at = number.find(trace[k].pc); at != number.end()) {
      if (current >= 0 && k) edges[{current, at->second}]++;
      current = at->second, index = 0, function.blocks[static_cast<std::size_t>(current)].count.value++;
    }
    auto& block = function.blocks[static_cast<std::size_t>(current)];
    if (block.count.value == 1) block.code.push_back(binary.code.at(trace[k].pc));
    meetings.meet(current, index, trace[k]);
    if (wrong[k]) block.mispredicted = block.mispredicted.value_or(0) + sum(wrong.subspan(k, 1));
  }
  for (auto [pair, count] : edges) {
    Edge edge;
    edge.to = pair.second, edge.count.value = count;
    function.blocks[static_cast<std::size_t>(pair.first)].next.push_back(edge);
  }
  meetings.put_into(function);
  Profile profile;
  profile.program = "kernel", profile.forms = binary.forms, profile.machine = Graph{{function}};
  return profile;
}

// The single block that loops to itself and holds most executed instructions.
static double write_hottest_loop(const Profile& profile, const std::string& path, double total, double calls) {
  const Block* best = nullptr;
  double most = 0;
  int number = 0;
  for (const auto& block : profile.machine->functions[0].blocks) {
    bool loops = std::ranges::any_of(block.next, [&](const Edge& e) { return e.to == number; });
    double weight = block.count.value * static_cast<double>(block.code.size());
    if (loops && weight > most) best = &block, most = weight;
    number++;
  }
  if (!best) return 0;
  std::string text = fmt::format("# executions {}\n", best->count.value / calls);
  for (const auto& instruction : best->code) text += instruction.text + "\n";
  (void)write_file(path, text);
  return most / total;
}

static double trivial(const Binary& binary, std::span<const Record> trace, const CoreModel& core) {
  double loads = 0, stores = 0;
  for (const auto& record : trace) {
    const auto& form = binary.forms[static_cast<std::size_t>(binary.code.at(record.pc).form)];
    loads += form.load, stores += form.store;
  }
  return std::max({static_cast<double>(trace.size()) / core.front_end.rename_width.value, loads / 3, stores / 2});
}

static Status run(const std::string& path, const std::string& trace_path, const std::string& machine_path, const std::string& folder, bool traces_only) {
  TRY(auto machine, read_record<Machine>(machine_path));
  TRY(auto binary, read_binary(path, machine.core->llvm_cpu));
  TRY(auto bytes, read_file(trace_path));
  std::span<const Record> trace(reinterpret_cast<const Record*>(bytes.data()), bytes.size() / sizeof(Record));
  std::map<std::string, std::vector<std::size_t>> calls;
  std::map<std::string, std::size_t> ends;
  std::string current;
  for (std::size_t k = 0; k < trace.size(); k++) {
    if (auto at = binary.kernels.find(trace[k].pc); at != binary.kernels.end()) calls[current = at->second].push_back(k);
    if (!current.empty()) ends[current] = k + 1;
  }
  double simulated = 0, seconds = 0;
  for (const auto& [name, starts] : calls) {
    std::span<const Record> all = trace.subspan(starts[0], ends[name] - starts[0]);
    std::span<const Record> last = trace.subspan(starts.back(), ends[name] - starts.back());
    const auto wrong = mispredictions(binary, all, starts.back() - starts[0]);
    const auto of_last = sum(std::span(wrong).last(last.size()));
    const int predictor = likest(of_last, machine.core->branches);
    auto of_last_call = [&](bool addresses) -> Result<double> {
      auto steps = steps_of(binary, all, wrong, predictor, addresses);
      auto begin = std::chrono::steady_clock::now();
      TRY(auto time, engine::simulate(steps, binary.forms, *machine.core));
      seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), simulated += time.instructions;
      double cycles = 0;
      for (std::size_t k = steps.size() - last.size(); k < steps.size(); k++) cycles += time.shares[k].cycles;
      return cycles;
    };
    TRY(double recorded, of_last_call(true));
    if (traces_only) {
      fmt::print("{} {} {:.1f} 0 0 0 0 0 0\n", name, last.size(), recorded);
      continue;
    }
    TRY(double deduced, of_last_call(false));
    Profile profile = counted(binary, all, wrong);  // of all calls: the walk passes from one to the next
    TRY(auto walked, engine::simulate_program(profile, machine));
    walked.cycles /= static_cast<double>(starts.size());
    TRY(auto steps, bounds::Steps::make(profile, machine, engine::SimulationOptions().instructions));
    const double macs = std::min(steps->total_macs(), steps->total_window()) / static_cast<double>(starts.size());
    double covered = write_hottest_loop(profile, folder + "/" + name + ".s", static_cast<double>(all.size()), static_cast<double>(starts.size()));
    fmt::print("{} {} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.3f} {:.0f}\n", name, last.size(), recorded, deduced, walked.cycles, macs, trivial(binary, last, *machine.core), covered, mispredicted_on(machine.core->branches, of_last));
  }
  fmt::print(stderr, "{:.1f} million instructions simulated, {:.2f} million per second\n", simulated / 1e6, simulated / 1e6 / seconds);
  return {};
}

int main(int count, char** words) {
  if (count < 5 || count > 6) return fmt::print(stderr, "usage: bench_trace_time BINARY TRACE MACHINE_FILE LOOP_FOLDER [trace]\n"), 2;
  if (auto done = run(words[1], words[2], words[3], words[4], count == 6); !done) return fmt::print(stderr, "{}\n", done.error().message()), 3;
}

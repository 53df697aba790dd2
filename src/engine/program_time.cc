#include "engine/program_time.h"

#include <algorithm>
#include <utility>

#include "engine/memory/load_aliases.h"
#include "engine/memory/load_meetings.h"
#include "engine/resolve.h"
#include "engine/walk.h"

namespace perfcast::engine {
namespace {

// What the walk saw of one instruction. A block may be entered in its middle, behind a call: what it costs is summed
// over its instructions, each averaged over its own executions.
struct Seen {
  double times = 0;
  std::array<double, causes> by_cause{};
};

// Where a walk is and was before.
struct Trail {
  int here = -1, before = -1;  // blocks of the walk
  void enter(int block) { before = std::exchange(here, block); }
};

class Sampler {
 public:
  Sampler(WalkProgram& program, const Graph& graph, const std::vector<StaticInstruction>& code, const std::vector<InstructionClass>& classes,
          const CoreTables& tables, const SimulationOptions& options, LoadMeetings& meetings, LoadAliases& aliases)
      : program_(program), graph_(graph), code_(code), classes_(classes), options_(options), meetings_(meetings), aliases_(aliases),
        pipeline_(tables, register_units(code)), walker_(program), returned_(return_register(program.code)),
        visits_(program.blocks.size()), seen_(code.size()) {}

  // Walks from `block`; what happens in the first `unseen` instructions is not counted.
  void walk(int block, int unseen, int seen) {
    walker_.start(block);
    pipeline_.leave();
    approach(block, callers_passed);
    bool in_library = is_library(block_at(block));
    Trail trail;
    for (int k = 0; k < unseen + seen && !walker_.at_end(); k++) {
      WalkStep step = walker_.next();
      if (step.enters_block || step.block != trail.here) trail.enter(step.block);
      // What a library returns, memory it allocated above all, is not what it returned before.
      const bool came_from_library = std::exchange(in_library, is_library(block_at(step.block)));
      if (returned_ && came_from_library && !in_library) pipeline_.renew(*returned_);
      const StaticInstruction& instruction = code_[step.instruction];
      Happening happening;
      happening.taken = step.taken, happening.chosen = step.chosen, happening.mispredicted = step.mispredicted && options_.mispredictions;
      if (instruction.load && options_.extra_load_cycles) happening.extra_load_cycles = extra(trail, step.instruction);
      if (instruction.load) meet_stores(block_at(trail.here), step.instruction, happening);
      const StaticInstruction* next = step.behind ? &code_[*step.behind] : nullptr;
      Share share = pipeline_.step(instruction, happening, next);
      if (instruction.store && !instruction.variable()) meetings_.stored();
      if (happening.mispredicted && options_.extra_load_cycles) go_wrong(step, trail);
      if (returned_ && goes_unseen(step.instruction)) pipeline_.renew(*returned_);
      simulated_++;
      if (k < unseen) continue;
      visits_[static_cast<std::size_t>(step.block)] += step.enters_block;
      Seen& seen = seen_[step.instruction];
      seen.times++, seen.by_cause[static_cast<std::size_t>(share.cause)] += share.cycles;
    }
  }
  const std::vector<double>& visits() const { return visits_; }
  // A block in the run, from what was seen of its instructions; those never seen cost what the others do.
  BlockTime time_of(const WalkBlock& block, double visits) const {
    BlockTime time{block.function, block.block, block.count, 0, {}, {}, visits};
    double known = 0;
    for (std::size_t at = block.begin; at < block.end; at++) known += seen_[at].times > 0;
    double scale = known > 0 ? block.count * static_cast<double>(block.end - block.begin) / known : 0;
    for (std::size_t at = block.begin; at < block.end; at++) {
      ClassUse& use = time.uses[static_cast<std::size_t>(classes_[at])];
      use.instructions += block.count;
      if (seen_[at].times <= 0) continue;
      for (std::size_t c = 0; c < causes; c++) {
        double cycles = scale * seen_[at].by_cause[c] / seen_[at].times;
        time.by_cause[c] += cycles, use.by_cause[c] += cycles, time.cycles += cycles;
      }
    }
    return time;
  }
  // A block the walk never reached: as many cycles for each instruction.
  BlockTime guess_of(const WalkBlock& block, double per_instruction) const {
    BlockTime time{block.function, block.block, block.count, 0, {}, {}, 0};
    constexpr auto front_end = static_cast<std::size_t>(Cause::front_end);
    for (std::size_t at = block.begin; at < block.end; at++) {
      ClassUse& use = time.uses[static_cast<std::size_t>(classes_[at])];
      double cycles = block.count * per_instruction;
      use.instructions += block.count, use.by_cause[front_end] += cycles;
      time.by_cause[front_end] += cycles, time.cycles += cycles;
    }
    return time;
  }
  double simulated() const { return simulated_; }

 private:
  // What the core asks memory for while it is wrong about a branch.
  void go_wrong(const WalkStep& step, Trail trail) {
    if (step.instruction + 1 != block_at(step.block).end) return;
    BelievedWay way(walker_, step.block);
    pipeline_.begin_wrong_way();
    while (pipeline_.on_wrong_way()) {
      auto place = way.next();
      if (!place) break;
      if (place->block != trail.here || place->instruction == block_at(place->block).begin) trail.enter(place->block);
      const StaticInstruction& instruction = code_[place->instruction];
      const bool known = pipeline_.go_wrong(instruction, instruction.load ? extra(trail, place->instruction) : 0);
      if (place->mispredicted && known) way.turn_back(), pipeline_.turn_back();
    }
    pipeline_.end_wrong_way();
  }
  const WalkBlock& block_at(int block) const { return program_.blocks[static_cast<std::size_t>(block)]; }
  bool is_library(const WalkBlock& block) const { return !graph_.functions[static_cast<std::size_t>(block.function)].library_name.empty(); }
  // A call of code that nobody has seen.
  bool goes_unseen(std::size_t instruction) const {
    const int call = program_.call[instruction];
    return call != WalkProgram::no_call && program_.calls[static_cast<std::size_t>(call)].choice.empty();
  }
  // What was computed before the walk came here: how pointers and indices lie to each other. First where its function is
  // mostly called from, then the way from the function's entry.
  static constexpr int callers_passed = 3;
  void approach(int block, int callers) {
    const auto& sites = program_.callers[static_cast<std::size_t>(block_at(block).function)];
    if (callers > 0 && !sites.choice.empty()) {
      auto [caller, behind_call] = sites.places[sites.choice.heaviest()];
      approach(caller, callers - 1);
      pass(block_at(caller).begin, behind_call - 1, false);
    }
    for (int passed : way_to(program_, block)) pass(block_at(passed).begin, block_at(passed).end, block_at(passed).block == 0);
  }
  void pass(std::size_t begin, std::size_t end, bool begins) {
    for (std::size_t at = begin; at < end; at++) {
      pipeline_.pass(code_[at], begins);
      if (returned_ && code_[at].call) pipeline_.renew(*returned_);
    }
  }
  double extra(const Trail& trail, std::size_t instruction) const {
    const WalkBlock& block = block_at(trail.here);
    const bool known = trail.before >= 0 && block_at(trail.before).function == block.function;
    return options_.extra_load_cycles({block.function, block.block, static_cast<int>(instruction - block.begin), known ? block_at(trail.before).block : -1});
  }
  void meet_stores(const WalkBlock& block, std::size_t instruction, Happening& happening) {
    const int at = static_cast<int>(instruction - block.begin);
    if (const auto met = meetings_.draw(block.function, block.block, at)) (met->code_first ? happening.seen_back : happening.stores_back) = met->back;
    if (!happening.stores_back.value_or(0)) happening.aliases = aliases_.draw(block.function, block.block, at);
  }
  WalkProgram& program_;
  const Graph& graph_;
  const std::vector<StaticInstruction>& code_;
  const std::vector<InstructionClass>& classes_;
  const SimulationOptions& options_;
  LoadMeetings& meetings_;
  LoadAliases& aliases_;
  Pipeline pipeline_;
  Walker walker_;
  std::optional<int> returned_;  // the register
  std::vector<double> visits_;  // by block, from its beginning
  std::vector<Seen> seen_;      // by instruction
  double simulated_ = 0;
};

double weight_of(const WalkBlock& block) { return std::max(0.0, block.count) * static_cast<double>(block.end - block.begin); }

// Starts spread evenly over the executed instructions, then more for blocks that matter and were hardly seen.
void sample(Sampler& sampler, const WalkProgram& program, const SimulationOptions& options, double total) {
  double walks = std::max(1.0, options.instructions * 0.8 / (options.walk + options.warm_up));
  double step = total / walks, next = step / 2, passed = 0;
  for (std::size_t b = 0; b < program.blocks.size(); b++)
    for (passed += weight_of(program.blocks[b]); next < passed; next += step)
      sampler.walk(static_cast<int>(b), options.warm_up, options.walk);
  constexpr double enough = 10;
  std::vector<std::pair<double, int>> missed;
  for (std::size_t b = 0; b < program.blocks.size(); b++)
    if (weight_of(program.blocks[b]) > options.matters * total) missed.emplace_back(-weight_of(program.blocks[b]), static_cast<int>(b));
  std::ranges::sort(missed);
  for (auto [weight, block] : missed) {
    if (sampler.simulated() > options.instructions) break;
    auto visits = [&] { return sampler.visits()[static_cast<std::size_t>(block)]; };
    // A walk begins in the shadow of the one before: a loop is counted once the window has filled with it. Code that is
    // passed once must be counted at once.
    if (visits() < enough) sampler.walk(block, options.warm_up, options.walk / 4);
    if (visits() < 1) sampler.walk(block, 0, options.walk / 4);
  }
}

std::vector<InstructionClass> classes_of(const WalkProgram& program, const std::vector<InstructionForm>& forms) {
  std::vector<InstructionClass> by_form, classes;
  for (const InstructionForm& form : forms) by_form.push_back(class_of(form));
  for (const Instruction* instruction : program.code) classes.push_back(by_form[static_cast<std::size_t>(instruction->form)]);
  return classes;
}

void count_origins(CoreTime& time, const WalkProgram& program, const std::vector<StaticInstruction>& code) {
  for (const auto& block : program.blocks)
    for (std::size_t at = block.begin; at < block.end; at++) {
      Origin origin = code[at].origin;
      double share = block.count / time.instructions;
      (origin == Origin::pattern ? time.measured : origin == Origin::class_rule ? time.by_class : time.by_llvm) += share;
    }
}

}  // namespace

struct PreparedProgram::Parts {
  Parts(const Profile& profile, const Machine& machine)
      : graph(*profile.machine), clock_ghz(machine.core->clock_ghz.value), tables(*machine.core),
        program(walk_program(graph, profile.forms, machine.core->branches)), classes(classes_of(program, profile.forms)), meetings(profile), aliases(profile) {
    Resolver resolver(tables, profile.forms);
    code.reserve(program.code.size());
    for (const Instruction* instruction : program.code) code.push_back(resolver.resolve(*instruction));
    for (const auto& block : program.blocks) instructions += weight_of(block);
  }
  const Graph& graph;
  double clock_ghz;
  CoreTables tables;
  WalkProgram program;    // as before the first step
  std::vector<InstructionClass> classes;
  LoadMeetings meetings;  // the same
  LoadAliases aliases;    // the same
  std::vector<StaticInstruction> code;
  double instructions = 0;  // executed in the run
};

PreparedProgram::PreparedProgram() = default;
PreparedProgram::PreparedProgram(PreparedProgram&&) noexcept = default;
PreparedProgram::~PreparedProgram() = default;

Result<PreparedProgram> PreparedProgram::make(const Profile& profile, const Machine& machine) {
  if (!profile.machine) return unfit("the profile holds no machine code", profile.program, "analyze it again with --level all");
  if (!machine.core) return unfit("the machine file says nothing about its core", machine.name, "perfcast characterize");
  CHECK_OK(check_core(*machine.core));
  PreparedProgram prepared;
  prepared.parts_ = std::make_unique<Parts>(profile, machine);
  return prepared;
}

CoreTime simulate_program(const PreparedProgram& prepared, const SimulationOptions& options) {
  const auto& parts = prepared.parts();
  CoreTime time;
  time.instructions = parts.instructions;
  if (time.instructions <= 0) return time;
  WalkProgram program = parts.program;  // a walk leaves its traces in it
  LoadMeetings meetings = parts.meetings;
  LoadAliases aliases = parts.aliases;
  Sampler sampler(program, parts.graph, parts.code, parts.classes, parts.tables, options, meetings, aliases);
  sample(sampler, program, options, time.instructions);

  double seen_cycles = 0, seen_instructions = 0;
  for (std::size_t b = 0; b < program.blocks.size(); b++) {
    const WalkBlock& block = program.blocks[b];
    if (block.count <= 0 || sampler.visits()[b] <= 0) continue;
    BlockTime at = sampler.time_of(block, sampler.visits()[b]);
    seen_cycles += at.cycles, seen_instructions += weight_of(block);
    time.blocks.push_back(at);
  }
  double per_instruction = seen_instructions > 0 ? seen_cycles / seen_instructions : 1;
  for (std::size_t b = 0; b < program.blocks.size(); b++) {
    const WalkBlock& block = program.blocks[b];
    if (block.count <= 0 || sampler.visits()[b] > 0 || block.begin == block.end) continue;
    time.unvisited += weight_of(block) / time.instructions;
    time.blocks.push_back(sampler.guess_of(block, per_instruction));
  }
  for (const auto& block : time.blocks) {
    time.cycles += block.cycles;
    for (std::size_t c = 0; c < causes; c++) time.by_cause[c] += block.by_cause[c];
  }
  std::ranges::sort(time.blocks, {}, [](const BlockTime& b) { return std::pair(b.function, b.block); });
  count_origins(time, program, parts.code);
  time.seconds = time.cycles / (parts.clock_ghz * 1e9);
  time.simulated_instructions = sampler.simulated();
  return time;
}

Result<CoreTime> simulate_program(const Profile& profile, const Machine& machine, const SimulationOptions& options) {
  TRY(const PreparedProgram program, PreparedProgram::make(profile, machine));
  return simulate_program(program, options);
}

}  // namespace perfcast::engine

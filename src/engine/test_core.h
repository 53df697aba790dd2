// For the tests of this folder: a small core whose every number fits on paper, and instructions made by hand.
#pragma once

#include "engine/simulate.h"
#include "record/machine.h"
#include "record/profile.h"

namespace perfcast::engine {

inline constexpr double close = 0.02;  // cycles

inline Measurement number(double value) {
  Measurement m;
  m.value = value;
  return m;
}

// Four wide; two integer ports a b, one floating-point port f, loads on l, stores on s. Integer 1 cycle, "MUL" 3,
// "FADD" 4, loads 5.
inline CoreModel small_core() {
  CoreModel core;
  core.clock_ghz = number(1), core.front_end.rename_width = number(4), core.window.reorder_buffer = number(200);
  core.ports = {"a", "b", "f", "l", "s"};
  core.schedulers = {{"all", "a b f l s", number(60)}};
  auto rule = [](const char* opcode, double latency, const char* ports, const char* kind = "") {
    InstructionRule r;
    r.match.opcode = opcode, r.latency = number(latency), r.ports = {{PortNeed{ports, 1, 1}}}, r.kind = kind;
    return r;
  };
  core.instructions = {rule("^MUL", 3, "a"), rule("^FADD", 4, "f", "fadd"), rule("^DIV", 10, "a"), rule("^J", 1, "b"),
                       rule("^(ADD|SUB|CMP|MOV..rr|XOR|INC)", 1, "a b")};
  (*core.instructions[2].ports)[0].occupancy = 8;
  core.instructions[2].least_latency = number(10);  // whatever is divided
  core.memory.loads = {{{}, number(5), {{"l", 1, 1}}}};
  core.memory.stores = {{{}, {{"s", 1, 1}}, {}}};
  core.memory.forwarding = {{{}, {}, false, false, number(6), false, number(6)}};
  core.branches.misprediction = number(20);
  return core;
}

// Builds code in one block of memory, four bytes per instruction, with forms as they come.
class Code {
 public:
  std::vector<InstructionForm> forms;
  std::vector<Instruction> body;

  Instruction& op(const std::string& opcode, std::vector<int> defs, std::vector<int> uses) {
    InstructionForm form;
    form.opcode = opcode;
    return add(form, defs, uses);
  }
  Instruction& load(int to, int base, std::int64_t displacement, const std::string& opcode = "MOV64rm", int bytes = 8) {
    InstructionForm form;
    form.opcode = opcode, form.load = true, form.memory_bytes = bytes;
    Instruction& made = add(form, {to}, {base});
    made.uses[0].address = true, made.displacement = displacement;
    return made;
  }
  Instruction& store(int from, int base, std::int64_t displacement, const std::string& opcode = "MOV64mr", int bytes = 8) {
    InstructionForm form;
    form.opcode = opcode, form.store = true, form.memory_bytes = bytes;
    Instruction& made = add(form, {}, {base, from});
    made.uses[0].address = true, made.displacement = displacement;
    return made;
  }
  Instruction& branch(std::vector<int> uses = {}, const std::string& opcode = "JCC_1", bool conditional = true) {
    InstructionForm form;
    form.opcode = opcode, form.branch = true, form.conditional = conditional;
    return add(form, {}, uses);
  }
  Instruction& add(const InstructionForm& form, const std::vector<int>& defs, const std::vector<int>& uses) {
    forms.push_back(form);
    Instruction made;
    made.form = static_cast<int>(forms.size()) - 1, made.address = 0x1000 + 4 * body.size(), made.size = 4;
    made.text = "x %r";  // AT&T flavour: x86 value rules
    for (std::size_t k = 0; k < defs.size(); k++) made.defs.push_back({defs[k], static_cast<int>(k), false});
    for (std::size_t k = 0; k < uses.size(); k++) made.uses.push_back({uses[k], static_cast<int>(k), false});
    body.push_back(made);
    return body.back();
  }
  double cycles(const CoreModel& core, int iterations = 400) const {
    auto time = simulate_loop(body, forms, core, iterations);
    return time ? time->cycles_per_iteration : -1;
  }
};

inline Match opcode(const char* pattern) {
  Match match;
  match.opcode = pattern;
  return match;
}

// Programs made by hand.
inline Machine small_machine() {
  Machine machine;
  machine.name = "small", machine.core = small_core();
  return machine;
}

inline Block block(double count, std::vector<Instruction> code, std::vector<Edge> next) {
  Block b;
  b.count.value = count, b.code = std::move(code), b.next = std::move(next);
  return b;
}
inline Edge edge(int to, double count) {
  Edge e;
  e.to = to, e.count.value = count;
  return e;
}

}  // namespace perfcast::engine

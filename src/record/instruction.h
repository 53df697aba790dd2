// A decoded machine instruction, as plain data that the engine can cost without a compiler library at hand. The
// front end fills it from LLVM MC; `opcode` is LLVM's name, the key under which machine files hold measured data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace perfcast {

// What a compiler's scheduling tables say of an opcode: the fall-back when a machine file knows nothing better.
struct PortUse {
  std::string ports;  // the resource group as LLVM names it, "SPRPort00_01_05"
  int cycles = 1;
  bool operator==(const PortUse&) const = default;
};
template <class Fields>
void describe(Fields& f, PortUse& p) { f.need("ports", p.ports), f("cycles", p.cycles); }

// What is the same for every occurrence of one opcode and operand shape; stored once per profile.
struct InstructionForm {
  std::string opcode;        // "VADDPDYrm", "FMADDDrrr"
  bool load = false, store = false, branch = false, conditional = false, call = false, ret = false, indirect = false;
  bool nop = false;
  int vector_bits = 0;       // widest vector register it names; 0: general registers only
  bool floating = false;     // works on floating-point or vector registers
  int memory_bytes = 0;      // bytes read or written
  bool indexed = false;      // the address has an index register
  int scale = 1;             // ... times this
  bool write_back = false;   // the address register is updated
  int micro_ops = 1;         // LLVM's tables from here on
  std::vector<int> latency;  // per definition
  std::vector<PortUse> resources;
  std::vector<int> read_advance;  // per use: cycles it may come later than the others; empty: none may
  bool operator==(const InstructionForm&) const = default;
};
template <class Fields>
void describe(Fields& f, InstructionForm& i) {
  f.need("opcode", i.opcode);
  auto flag = [&](const char* key, bool& value) { if (Fields::reading || value) f(key, value); };
  flag("load", i.load), flag("store", i.store), flag("branch", i.branch), flag("conditional", i.conditional);
  flag("call", i.call), flag("ret", i.ret), flag("indirect", i.indirect), flag("nop", i.nop);
  flag("floating", i.floating), flag("indexed", i.indexed), flag("write_back", i.write_back);
  auto number = [&](const char* key, int& value, int usual) { if (Fields::reading || value != usual) f(key, value); };
  number("vector_bits", i.vector_bits, 0), number("memory_bytes", i.memory_bytes, 0), number("scale", i.scale, 1);
  number("micro_ops", i.micro_ops, 1);
  f("latency", i.latency), f("resources", i.resources), f("read_advance", i.read_advance);
}

// A register read or written. Registers are LLVM register units, so that a write of eax is seen by a read of rax.
struct RegisterUse {
  int unit = 0;
  int operand = 0;       // its place among the definitions or uses, for per-operand latencies
  bool address = false;  // used to form the address
  bool operator==(const RegisterUse&) const = default;
};

struct Instruction {
  int form = 0;                       // index into Profile::forms
  std::uint64_t address = 0;
  int size = 0;
  std::string text;                   // as an assembler would print it
  std::vector<RegisterUse> defs, uses;
  std::optional<std::int64_t> immediate, displacement;
  bool same_sources = false;          // both sources are one register: xor %eax,%eax
  int line = 0;                       // source line, of the block's file unless `file` is given
  int column = 0;                     // of conditional branches
  std::string file;
  bool operator==(const Instruction&) const = default;
};
// Written compactly: [unit, operand] or [unit, operand, 1] for an address.
Json shape_to_json(const RegisterUse& use);
void shape_from_json(const Json& json, RegisterUse& use, const std::string& place);
template <class Fields>
void describe(Fields& f, Instruction& i) {
  f.need("form", i.form), f("address", i.address), f("size", i.size), f("text", i.text);
  f("defs", i.defs), f("uses", i.uses), f("immediate", i.immediate), f("displacement", i.displacement);
  if (Fields::reading || i.same_sources) f("same_sources", i.same_sources);
  if (Fields::reading || i.line) f("line", i.line);
  if (Fields::reading || i.column) f("column", i.column);
  f("file", i.file);
}

}  // namespace perfcast

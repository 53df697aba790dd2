// What to measure on an instruction set: the table data/instructions/<isa>.txt as plain data. The head of each table
// explains its own notation; one table serves the generator of benchmarks, the fitting of the core and the tests.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace perfcast::instructions {

// One form: an instruction with the shape of its operands, and how to measure it. Templates that do not exist (a
// store has no chain) are empty.
struct Form {
  std::string name;        // "add.rr64"
  std::string opcodes;     // regular expression over LLVM's opcode names it speaks for; empty: a variant of another form
  std::string kind;        // class of instructions that behave alike: "fp-add"
  std::string chain;       // copies depend on each other
  std::string stream;      // copies are independent
  std::string accumulate;  // chain through the accumulator only
  std::string text;        // regular expression over the assembler text, where opcodes are not enough
  std::vector<std::string> minus;  // forms whose latency is part of the chain
  std::string partner;     // the other half of a round trip, of which only the sum can be measured
  std::string setup = "plain";
  int per = 1;             // latencies of this form in one copy of the chain
  bool dependent = false;  // copies of the stream depend on each other after all (flags, fixed registers)
  bool operator==(const Form&) const = default;
};

// A benchmark that is not about one form: loops, branches, renaming, forwarding, windows.
struct Case {
  std::string kind, name, body;
  std::vector<int> parameters;     // one benchmark each
  std::string setup = "plain";
  std::string before;              // placed before the function, outside its loop
  int per = 1;                     // results are divided by this
  int iterations = 0;              // at least so many per slice
  std::string load, store;         // of forwarding: the forms that load and store
  std::string text;                // ... and what is found in the text of such loads, where the form does not tell
  std::vector<std::string> minus;  // forms whose latency is part of the result
  bool late = false;               // of forwarding: so long after the store before that only the least latency shows
  bool after_long_chain = false;   // a long chain of square roots goes before the body
  bool operator==(const Case&) const = default;
};

struct Clock {
  int cycles = 1;  // per copy
  std::string chain;
  bool operator==(const Clock&) const = default;
};

struct Reference {
  std::string name;    // the form whose ports it uses
  std::string stream;
  bool operator==(const Reference&) const = default;
};

// An instruction that some cores eliminate as they do moves, and the case that shows it: two of them and an addition.
struct EliminatedMove {
  std::string shown_by, opcodes;
  bool operator==(const EliminatedMove&) const = default;
};
// A pair of neighbours that some cores make one slot, and the case that shows it: the pair with five fillers behind it.
struct Fusion {
  std::string shown_by;       // name of a benchmark
  std::string first, second;  // regular expressions over opcodes
  static constexpr int fillers = 5;
  bool operator==(const Fusion&) const = default;
};

// Results of this kind reach their own kind sooner than others. The case that shows what that means for the others: a chain of them, each
// with such a result, which is long there, as its other operand.
struct BesideChain {
  std::string shown_by, kind, chain;  // names of a benchmark, of a kind of instruction, and of the chain alone
  bool operator==(const BesideChain&) const = default;
};

// The latency of another result than the first (a remainder, the upper half of a product), and the chain through it that shows it.
struct OtherResult {
  std::string shown_by, form;  // names of a benchmark and of a form
  static constexpr int kept = -1;
  int definition = 0;          // its place among what the instruction writes; kept: the first, from what was there before
  bool operator==(const OtherResult&) const = default;
};

// Operands that let an instruction whose cycles depend on them be done soonest: a chain and a stream of it on these.
struct EasyOperands {
  std::string form, chain, stream;
  std::string setup = "plain";
  bool operator==(const EasyOperands&) const = default;
};

struct FormTable {
  std::string isa;
  std::map<std::string, std::vector<std::string>> registers;  // sets to take from in turn
  std::map<std::string, std::string> words;                   // prologue, loop, setup ..., by key
  std::vector<Form> forms;
  std::vector<Case> cases;
  std::vector<Clock> clocks;
  std::vector<Reference> references;
  std::vector<EliminatedMove> moves;
  std::vector<Fusion> fusions;
  std::vector<BesideChain> beside;
  std::vector<OtherResult> results;
  std::vector<EasyOperands> easy;
  std::string canary, filler;

  const Form* find(const std::string& name) const;
  const Case* case_of(const std::string& benchmark) const;
  const std::string& word(const std::string& key) const;  // empty when the table does not give it
};

// Reads a table; an error names the line.
Result<FormTable> parse_form_table(const std::string& text, const std::string& name);
// The bundled table of an instruction set.
Result<FormTable> bundled_form_table(const std::string& isa);
// "x86_64" or "aarch64", as this program was built.
std::string host_isa();

}  // namespace perfcast::instructions

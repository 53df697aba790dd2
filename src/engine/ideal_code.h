// The code an ideal compiler would make of essential operations on a machine: whole vectors, one instruction for each
// operation, spread over the ports at will. What the MA bound of the bounds room is made of; no program is needed,
// only the machine.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/operation_cost.h"
#include "engine/static_instruction.h"
#include "record/instruction.h"
#include "record/machine.h"

namespace perfcast::engine {

// Width of the vectors that the machine's instruction set and core offer, bits; 64: no vectors.
int vector_bits_of(const Machine& machine);

class IdealCode {
 public:
  // The machine has a core.
  explicit IdealCode(const Machine& machine);
  ~IdealCode();

  struct Demand {
    std::map<std::uint32_t, double> ports;  // cycles on any one port of the set
    double slots = 0;                       // of rename
    void add(const Demand& other, double times);
  };
  // One execution of "fma.f64" for one element: of whole vectors its share, else a scalar instruction.
  const Demand& of(const std::string& operation, bool whole_vectors = true);

  struct Bound {
    double cycles = 0;
    std::string by;     // port names, or "issue"
  };
  // Hall's theorem over the ports, and the width of rename.
  Bound bound(const Demand& demand) const;

  // Cycles in a chain of itself; of an addition, as a fused operation's sum where that is faster.
  double latency(const std::string& operation);
  // Cycles per element when as many chains as fit the registers run side by side: what a sum reaches in practice.
  double chained(const std::string& operation);
  // The ports that code already resolved asks for, `times` each.
  static Demand of_code(const StaticInstruction& instruction);
  int vector_bits() const { return vector_bits_; }

 private:
  struct Tables;
  struct Choice {
    InstructionForm form;
    double elements = 1;
    bool known = false;
  };
  // The widest first, scalars last; where the machine file may not know an instruction, its stand-in follows it.
  std::vector<Choice> choices(const std::string& operation, bool whole_vectors) const;
  Choice choose(const std::string& operation, bool whole_vectors) const;
  Demand measure(const std::string& operation, bool whole_vectors) const;
  double measure_latency(const std::string& operation);
  double measure_chained(const std::string& operation) const;
  const Machine& machine_;
  int vector_bits_;
  OperationCosts costs_;
  std::unique_ptr<Tables> tables_;
  std::map<std::pair<std::string, bool>, Demand> known_;
  std::map<std::string, double> latencies_, chained_;
};

}  // namespace perfcast::engine

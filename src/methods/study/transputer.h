// The instruction-level resource model of the T800 (Papaefstathiou et al. 1994, equation 7): what icc was on a processor
// that issues in order, with memory on and off the chip and a floating-point unit that overlaps with the rest.
#pragma once

namespace perfcast::study {

// The resource usage vector of a node.
struct TransputerUsage {
  double execution_cycles = 0;   // n_ex: frequency of each instruction times its cycles
  double internal_references = 0, external_references = 0;
  double instructions = 0;
  double overlapped_cycles = 0;  // in which floating-point unit and ALU both work
};

struct TransputerSystem {
  double off_chip_factor = 5;    // e, cycles of a reference to external memory
  double cycle_seconds = 40e-9;  // 25 MHz
};

// t = (n_ex + n_in_mem + e n_ex_mem + (e - 3)/2 n_inst - n_fpu_ovr) t_cyc
constexpr double transputer_seconds(const TransputerUsage& u, const TransputerSystem& s = {}) {
  return (u.execution_cycles + u.internal_references + s.off_chip_factor * u.external_references +
          (s.off_chip_factor - 3) / 2 * u.instructions - u.overlapped_cycles) *
         s.cycle_seconds;
}

}  // namespace perfcast::study

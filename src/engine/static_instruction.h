// An instruction with everything a machine's rules say about it worked out beforehand, so that the simulator's
// inner loop looks nothing up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace perfcast::engine {

enum class Part : std::uint8_t { compute, load, store_address, store_data, address_update };

struct MicroOp {
  std::uint32_t ports = 0;  // any one of these
  int occupancy = 1;        // cycles it keeps the port
  Part part = Part::compute;
  int result_after = 0;     // cycles until its integer result leaves the port; 0: none, or they never meet
};

struct Source {
  int unit = 0;
  bool address = false;      // needed to form the address, not for the computation
  bool accumulator = false;  // the operand that may come late
  double later = 0;          // cycles by which it may come after the others
};

struct Destination {
  int unit = 0;
  double latency = 1;           // from the start of the computing part; ignored for what a plain load brings
  bool address_update = false;  // the address register after a write-back: does not wait for the data
  bool flags = false;           // a second result beside the register (condition flags)
};

// Where the numbers of an instruction come from.
enum class Origin : std::uint8_t { pattern, class_rule, llvm };

// The value an instruction puts into a register or memory, as far as addresses need it: a linear form
// constant + scale_a * a + scale_b * b, a product, a shifted down by constant, a plain number, or "some
// function of the sources". See values.h.
struct ValueForm {
  enum class Kind : std::uint8_t { none, linear, product, shifted_down, masked, number, some_function } kind = Kind::none;
  int unit_a = -1, unit_b = -1;  // register units; memory_operand: what the instruction loads
  std::int64_t scale_a = 0, scale_b = 0, constant = 0;
  static constexpr int memory_operand = 1 << 20;
};
struct AddressForm {
  bool known = false;
  int base = -1, index = -1;
  std::int64_t scale = 1, displacement = 0;
  int update = -1;                     // register that is updated by `step`
  std::int64_t step = 0;
};

struct StaticInstruction {
  std::vector<MicroOp> micro_ops;
  std::vector<Source> sources;
  std::vector<Destination> results;
  int slots = 1;            // at rename
  bool comes_apart = false; // at rename, into more slots than it had in the front end
  int fetch_slots = 1;      // in the front end; also for what vanishes at rename
  std::uint64_t place = 0;  // where its bytes lie
  int size = 0;
  bool load = false, store = false, branch = false, conditional = false, call = false, ret = false, indirect = false;
  bool leaves_return = false, takes_return = false;  // a call or return whose return address lies in memory
  bool computes = false;    // has a computing part of its own
  bool updates_address = false;  // a load or store that takes a port to move its address register on
  bool zero_idiom = false, eliminated = false, folded = false;
  bool writes_integer = false, writes_vector = false;
  bool on_stack = false;    // its address is told from the stack pointer: spills, pushes, variables of unoptimised code
  bool variable() const { return on_stack && address.index < 0; }  // not an element of an array there, which a profile watches
  bool moves_stack = false, names_stack = false;  // x86-64: the stack pointer, as a push, pop, call or return does, or as an operand
  double load_latency = 0;
  int memory_bytes = 0;
  int kind = 0;             // for bypasses; 0: none
  int upper_half = -1;      // the register with the upper half of a dividend of twice the width
  std::uint32_t fuses_first = 0, fuses_second = 0;           // fusion rules it fits
  std::uint32_t forwards_load = 0, forwards_store = 0;       // forwarding rules it fits
  AddressForm address;
  std::vector<int> value_units;        // registers that get `values`, in order
  std::vector<ValueForm> values;       // of registers; for a store, of memory
  Origin origin = Origin::llvm;
};

// Whether two neighbours become one slot: a comparison and its branch, or, on some cores, a move or load and the operation
// that changes what it brought.
inline bool fuse(const StaticInstruction& first, const StaticInstruction& second) {
  if (!(first.fuses_first & second.fuses_second)) return false;
  auto overwritten = [&](const Destination& result) { return result.unit == first.results.front().unit; };
  return second.branch || (!first.results.empty() && std::ranges::any_of(second.results, overwritten));
}

}  // namespace perfcast::engine

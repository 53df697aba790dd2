// For the tests of this room: a machine and a program whose numbers fit on paper.
#pragma once

#include <gtest/gtest.h>

#include "engine/test_core.h"
#include "methods/tree/tree.h"

namespace perfcast::tree {

using engine::Code, engine::number, engine::small_core;

// Two levels of memory: L1 of 100 lines at 5 ns, DRAM at 105 ns with 10 ns per streamed line.
inline Machine small_machine() {
  Machine machine;
  machine.name = "small", machine.core = small_core();
  MemoryLevel near, far;
  near.name = "L1", near.capacity_bytes = number(6400), near.latency_ns = number(5);
  far.name = "DRAM", far.latency_ns = number(105), far.read_ns = {{"1", number(10)}}, far.write_ns = {{"1", number(10)}};
  far.random_read_ns = number(20);
  machine.memory = MemoryModel{};
  machine.memory->levels = {near, far};
  machine.system = SystemCosts{};
  machine.system->page_fault_ns = number(1000), machine.system->process_start_ns = number(1e6);
  machine.core->branches.misprediction = number(20);
  return machine;
}

// A loop with a load, a multiplication chain, a packed addition and a branch; half its loads come from DRAM.
inline Profile small_profile(double iterations = 1e6, double far_share = 0.5) {
  Code code;
  code.load(1, 2, 0), code.op("MUL64rr", {3}, {3, 1});
  InstructionForm packed;
  packed.opcode = "FADDv2f64", packed.floating = true, packed.vector_bits = 128;
  code.add(packed, {10}, {11, 12});
  code.branch({3});
  Profile profile;
  profile.program = "small", profile.forms = code.forms;
  Function main;
  main.name = "main";
  Block block;
  block.name = "loop", block.count.value = iterations, block.code = code.body, block.loop = 0, block.from = "loop";
  Edge back;
  back.to = 0, back.count.value = iterations - 1;
  block.next = {back};
  block.mispredicted = iterations / 100;
  Loop loop;
  loop.entries.value = 1, loop.iterations.value = iterations;
  main.blocks = {block}, main.loops = {loop};
  profile.machine = Graph{{main}};
  Block ir = block;
  ir.code.clear(), ir.mispredicted.reset(), ir.from.reset();
  Access access;
  access.count = iterations, access.bytes = 8;
  access.lines = {{10, 1 - far_share, 0}, {1e6, far_share, 1}};
  ir.accesses = {access};
  Function ir_main = main;
  ir_main.blocks = {ir};
  profile.ir = Graph{{ir_main}};
  profile.run.page_faults = 1000;
  return profile;
}

inline UseTree small_tree(const TreeOptions& options = {}) {
  auto tree = make_tree(small_profile(), small_machine(), options);
  EXPECT_TRUE(tree) << tree.error().message();
  return *tree;
}

}  // namespace perfcast::tree

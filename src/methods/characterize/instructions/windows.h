// The size of a structure from a window test: a long chain, then n instructions that fill the structure, over and
// over. While it holds the n and the next chain's beginning, two chains overlap; beyond, the time per round steps up.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "methods/characterize/instructions/described_forms.h"
#include "methods/characterize/instructions/form_table.h"
#include "methods/characterize/instructions/run_benchmarks.h"
#include "record/core.h"

namespace perfcast::instructions {

struct WindowPoint {
  int n = 0;
  double cycles = 0;
};
// Where the time steps up, between two of the points; none when there is no step of at least a tenth of the
// last time. Of several steps (three chains overlap, then two) the highest is the one from two chains to one.
std::optional<double> step_position(const std::vector<WindowPoint>& points);

struct HeldSlots {
  double longer = 0;   // cycles from when an instruction could retire until its slot is free
  double retired = 0;  // in a cycle; 0: as many as there are
};
// From loops of n products in a chain, each with three fillers, that begin anew in every iteration: the window keeps iterations
// apart. What the engine needs to give them back; nothing where it cannot.
std::optional<HeldSlots> held_slots(const std::vector<WindowPoint>& loops, const DescribedForm& product, const DescribedForm& filler, CoreModel core);

// The points of the window test `name` ("alu.wait"), by rising n.
std::vector<WindowPoint> window_points(const FormTable& table, const Timings& timings, const std::string& name);

}  // namespace perfcast::instructions

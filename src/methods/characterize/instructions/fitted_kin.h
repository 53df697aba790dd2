// For the tests of what is fitted: timings of a made-up processor, and the core that comes of them.
#pragma once

#include <gtest/gtest.h>

#include "methods/characterize/instructions/described_forms.h"
#include "methods/characterize/instructions/families.h"
#include "methods/characterize/instructions/fitting.h"

namespace perfcast::instructions {

inline Timing steady(double cycles) { return {.cycles = cycles, .spread = 0, .kept = 16, .taken = 16}; }

// What a processor of that family is fitted with.
struct GoldenCove {
  Result<DescribedForms> described = bundled_described_forms("x86_64");
  Result<FormTable> table = bundled_form_table("x86_64");
  Result<CoreModel> frame = frame_of({"emerald-rapids", ""}, "x86_64");
  bool read() const { return described && table && frame; }
  FittedCore fitted(const Timings& timings) const { return fit_core(*frame, Frame::family, *table, *described, timings); }
};

class FittedKin : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(kin.read()); }
  const GoldenCove kin;
};

}  // namespace perfcast::instructions

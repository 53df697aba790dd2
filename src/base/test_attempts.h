// For tests of time on real hardware: whoever else is on the machine may spoil one measurement, hardly five in a row. What fails is
// tried again, and has failed when it fails each time.
#pragma once

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace perfcast {

template <typename Body>
void some_attempt_succeeds(const Body& body) {
  constexpr int attempts = 5;
  for (int i = 1; i < attempts; i++) {
    testing::TestPartResultArray results;
    {
      testing::ScopedFakeTestPartResultReporter kept(testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &results);
      body();
    }
    bool failed = false;
    for (int k = 0; k < results.size(); k++) failed |= results.GetTestPartResult(k).failed();
    if (!failed) return;
  }
  body();  // its failures are the test's
}

}  // namespace perfcast

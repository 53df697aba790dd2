#include "frontends/library_calls.h"

#include <gtest/gtest.h>

namespace perfcast {

TEST(LibraryCalls, AFewThatAreSoonDoneAreNotTraced) {
  EXPECT_FALSE(worth_tracing({}, 1e9, Seconds{1}));
  EXPECT_FALSE(worth_tracing({{"printf", 3}, {"atoi", 1}}, 1e9, Seconds{1}));
  EXPECT_FALSE(worth_tracing({{"_FortranAioBeginExternalListOutput", 2}, {"_FortranAioOutputReal64", 5}}, 1e9, Seconds{1}));
  EXPECT_FALSE(worth_tracing({{"_ZNSo9_M_insertIdEERSoT_", 2}}, 1e9, Seconds{1}));
  EXPECT_TRUE(worth_tracing({{"sin", 1e8}}, 1e9, Seconds{1}));
  EXPECT_TRUE(worth_tracing({{"printf", 1000}}, 1e9, Seconds{1}));
}

TEST(LibraryCalls, OneThatMayDoAnyAmountOfWorkIsTraced) {
  EXPECT_TRUE(worth_tracing({{"qsort", 1}}, 1e9, Seconds{1}));
  EXPECT_TRUE(worth_tracing({{"_FortranAioOutputDescriptor", 1}}, 1e9, Seconds{1}));
  EXPECT_TRUE(worth_tracing({{"_ZNSo5writeEPKcl", 1}}, 1e9, Seconds{1}));
  EXPECT_TRUE(worth_tracing({{"_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE", 1}}, 1e9, Seconds{1}));
}

TEST(LibraryCalls, TimeThatTheProgramsOwnCodeCannotHaveTakenIsLookedFor) {
  EXPECT_TRUE(worth_tracing({{"printf", 3}}, 1e6, Seconds{1}));
  EXPECT_FALSE(worth_tracing({}, 1e6, Seconds{1}));
  EXPECT_FALSE(worth_tracing({{"printf", 3}}, 1e6, {}));  // nobody knows
}

TEST(LibraryCalls, PatienceGrowsWithTheRunUpToMinutes) {
  EXPECT_EQ(patience_for(Seconds{0.001}).value, 6);
  EXPECT_GT(patience_for(Seconds{1}).value, patience_for(Seconds{0.5}).value);
  EXPECT_EQ(patience_for(Seconds{600}).value, patience_for(Seconds{100}).value);
}

TEST(LibraryCalls, WhatTakesNoTimeIsNotWaitedFor) {
  EXPECT_TRUE(worth_awaiting("qsort", 1));
  EXPECT_TRUE(worth_awaiting("qsort", 0.3));
  EXPECT_FALSE(worth_awaiting("qsort", 0.001));
  EXPECT_FALSE(worth_awaiting("printf", 1));
  EXPECT_FALSE(worth_awaiting("__powidf2", 1));
}

TEST(LibraryCalls, MoreOfThemIsTracedWhereTheyTakeMore) {
  EXPECT_GT(time_to_trace(0.1), time_to_trace(0.01));
  EXPECT_EQ(time_to_trace(0.5), time_to_trace(1));
}

}  // namespace perfcast

#include "base/process.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "base/cores.h"
#include "base/run_tidily.h"

namespace perfcast {
namespace {
RunRequest shell(const std::string& script) {
  RunRequest request;
  request.command = {"sh", "-c", script};
  request.limits.time = {20};
  return request;
}
}  // namespace

TEST(Process, OutputErrorsAndCode) {
  auto outcome = run_program(shell("echo out; echo err >&2; exit 3"));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->output, "out\n");
  EXPECT_EQ(outcome->errors, "err\n");
  EXPECT_EQ(outcome->code, 3);
  EXPECT_EQ(outcome->how_it_ended(), "exited with code 3");
}

TEST(Process, MissingProgramIsAnError) {
  RunRequest request;
  request.command = {"perfcast-no-such-program"};
  EXPECT_FALSE(run_program(request));
}

TEST(Process, SignalIsTold) {
  auto outcome = run_program(shell("kill -SEGV $$"));
  EXPECT_EQ(outcome->ending, Ending::signalled);
  EXPECT_EQ(outcome->code, SIGSEGV);
}

TEST(Process, TimeLimitEndsTheWholeGroup) {
  auto request = shell("sleep 60 & sleep 60");
  request.limits.time = {0.2};
  auto outcome = run_program(request);
  EXPECT_EQ(outcome->ending, Ending::timed_out);
  EXPECT_LT(outcome->wall.value, 5);
}

TEST(Process, OutputLimit) {
  auto request = shell("yes");
  request.limits.output = {100000};
  EXPECT_EQ(run_program(request)->ending, Ending::too_much_output);
}

TEST(Process, AChildLeftBehindDoesNotHoldUsUp) {
  auto outcome = run_program(shell("sleep 30 & exit 0"));
  EXPECT_TRUE(outcome->ok());
  EXPECT_LT(outcome->wall.value, 5);
}

TEST(Process, EnvironmentFolderAndInput) {
  auto request = shell("echo $GREETING; pwd; cat");
  request.environment["GREETING"] = "hello";
  request.folder = "/";
  EXPECT_EQ(run_program(request)->output, "hello\n/\n");
}

TEST(Process, NamesThatCannotBeLookedUpAreNoPrograms) {
  const std::string too_long(5000, 'a');
  EXPECT_FALSE(find_program(too_long));
  EXPECT_FALSE(find_program("/" + too_long));
}

TEST(Process, ClosedPipesStillWaitForTheEnd) {
  auto outcome = run_program(shell("exec >&- 2>&-; sleep 0.2; exit 4"));
  EXPECT_EQ(outcome->code, 4);
}

TEST(Process, WhatACompilerLeavesBehindGoesAway) {
  auto outcome = run_tidily(shell("echo half > $TMPDIR/cc1.s; echo $TMPDIR; kill -9 $$"));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->ending, Ending::signalled);
  const std::string folder = outcome->output.substr(0, outcome->output.find('\n'));
  ASSERT_FALSE(folder.empty());
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(Process, WhoBeginsOnACoreMayLeaveIt) {
  auto allowed = [](const RunRequest& request) { return run_program(request)->output; };
  RunRequest anywhere = shell("grep Cpus_allowed_list /proc/self/status"), begins = anywhere, stays = anywhere;
  begins.first_core = stays.core = allowed_cores().back();
  EXPECT_EQ(allowed(begins), allowed(anywhere));
  EXPECT_TRUE(allowed(stays).ends_with("\t" + std::to_string(*stays.core) + "\n"));
}

}  // namespace perfcast

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/files.h"
#include "frontends/mpi/fold.h"
#include "frontends/mpi/record_messages.h"
#include "record/check.h"

namespace perfcast::mpi {
namespace {

Step call(int site, double seconds, double bytes = 0) {
  Step s;
  s.act = Act::send, s.site = site, s.seconds = seconds, s.bytes = bytes, s.to = {PeerKind::relative, 1};
  return s;
}

TEST(Fold, RepetitionsBecomeLoops) {
  Folder folder;
  folder.add(call(9, 1));
  for (int i = 0; i < 100; i++) folder.add(call(1, i % 2 ? 3 : 1)), folder.add(call(2, 5));
  folder.add(call(8, 1));
  auto steps = folder.finish();
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[1].act, Act::loop);
  EXPECT_EQ(steps[1].times, 100);
  ASSERT_EQ(steps[1].body.size(), 2u);
  EXPECT_DOUBLE_EQ(steps[1].body[0].seconds, 2);  // the mean
}

TEST(Fold, NestedLoops) {
  Folder folder;
  for (int i = 0; i < 10; i++) {
    for (int k = 0; k < 4; k++) folder.add(call(1, 1));
    folder.add(call(2, 1));
  }
  auto steps = folder.finish();
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].times, 10);
  ASSERT_EQ(steps[0].body.size(), 2u);
  EXPECT_EQ(steps[0].body[0].times, 4);
}

TEST(Fold, ManySizesAreAveragedWhenTooLong) {
  std::vector<Step> steps;
  for (int i = 0; i < 100; i++) steps.push_back(call(1, 1, i));
  EXPECT_EQ(fold(steps, 1000).size(), 100u);
  auto coarse = fold(steps, 10);
  ASSERT_EQ(coarse.size(), 1u);
  EXPECT_EQ(coarse[0].times, 100);
  EXPECT_DOUBLE_EQ(coarse[0].body[0].bytes, 49.5);
}

#include "../../../data/runtime/mpi_record.h"

// A rank's file with these events, as the recorder lays it out.
std::string trace_of(record_head head, const std::vector<record_event>& events) {
  head.magic = RECORD_MAGIC, head.events = events.size();
  std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
  bytes.append(record_sites * sizeof(record_site), '\0');
  for (const auto& event : events) bytes.append(reinterpret_cast<const char*>(&event), sizeof event);
  return bytes;
}
Result<std::vector<CodePlace>> nowhere(const std::string&, const std::vector<unsigned long long>&) { return unfit("no places here"); }

// The recorder's files are mapped into the program, which may write anywhere.
TEST(Traces, WhatTheProgramOverwroteIsLeftOut) {
  record_head head{};
  head.rank = 0, head.ranks = 2, head.begin = 1, head.end = 2, head.ended = 1;
  record_event good{};
  good.act = act_send, good.to = 1, good.from = record_nobody, good.bytes = 8, good.group = 7;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<record_event> events(7, good);
  events[1].seconds = nan, events[2].bytes = -1, events[3].act = 99, events[4].requests = 13, events[5].to = 2;
  events[6].requests = 1, events[6].request[0] = -1;
  auto skeleton = skeleton_of(trace_of(head, events), "site 0 MPI_Send 10 /app main\ngroup 7 0 5\nsite 99999 x\n", nowhere);
  ASSERT_TRUE(skeleton) << skeleton.error().message();
  ASSERT_EQ(skeleton->programs.size(), 1u);
  EXPECT_EQ(skeleton->programs[0].steps.size(), 1u);
  EXPECT_EQ(skeleton->groups.size(), 1u);  // rank 5 of two is in none
  EXPECT_TRUE(check_skeleton(*skeleton));
  to_json_value(*skeleton);
  for (double* number : {&head.begin, &head.end, &head.compute, &head.inside, &head.faults}) {
    const double before = std::exchange(*number, nan);
    EXPECT_FALSE(skeleton_of(trace_of(head, events), "", nowhere));
    *number = before;
  }
  EXPECT_FALSE(skeleton_of(trace_of(head, events).substr(0, 5000), "", nowhere));
}

// Programs are compiled and run where MPI is installed.
class Recorded : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_mpi()) GTEST_SKIP() << "no MPI here";
  }
  Result<Skeleton> record(const std::string& body, int ranks, const std::string& compiler = "mpicc", const std::string& name = "p.c") {
    TRY(TemporaryFolder folder, TemporaryFolder::make("mpi-test"));
    CHECK_OK(write_file(folder.file(name), body));
    RunRequest build;
    build.command = {compiler, "-g", "-O1", folder.file(name), "-o", folder.file("p")};
    TRY(RunOutcome built, run_program(build));
    if (!built.ok()) return unfit(built.errors);
    RecordOptions options;
    options.command = {folder.file("p")}, options.ranks = ranks, options.limits.time = Seconds{60};
    return record_messages(options);
  }
  static std::string c_program(const std::string& body) {
    return "#include <mpi.h>\n#include <stdlib.h>\nint main(int c, char **v) {\n int r, n; static double b[100000];\n MPI_Init(&c, &v);\n"
           " MPI_Comm_rank(MPI_COMM_WORLD, &r); MPI_Comm_size(MPI_COMM_WORLD, &n);\n" + body + " MPI_Finalize();\n return 0;\n}\n";
  }
  static const CallSite* site(const Skeleton& s, const std::string& call) {
    for (const auto& c : s.sites)
      if (c.call == call) return &c;
    return nullptr;
  }
};

TEST_F(Recorded, ARingWithAReduction) {
  auto s = record(c_program(" for (int i = 0; i < 50; i++) {\n"
                            "  MPI_Sendrecv(b, 100, MPI_DOUBLE, (r + 1) % n, 3, b + 200, 100, MPI_DOUBLE, (r + n - 1) % n, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
                            "  double x = r, y; MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);\n }\n"), 3);
  ASSERT_TRUE(s) << s.error().message();
  EXPECT_EQ(s->ranks, 3);
  ASSERT_EQ(s->programs.size(), 1u);  // all do the same
  ASSERT_GE(s->programs[0].steps.size(), 1u);
  EXPECT_EQ(s->programs[0].steps[0].times, 50);
  EXPECT_EQ(s->programs[0].steps[0].body[0].act, Act::exchange);
  EXPECT_EQ(s->programs[0].steps[0].body[0].to, (Peer{PeerKind::relative, 1}));
  const CallSite* exchange = site(*s, "MPI_Sendrecv");
  ASSERT_TRUE(exchange);
  EXPECT_EQ(exchange->calls, 150);
  EXPECT_EQ(exchange->bytes, 150 * 800.0);
  EXPECT_EQ(exchange->function, "main");
  EXPECT_GT(exchange->at.line, 0);
}

// The ends of a line: rank 0 receives from nobody, rank 1 sends to nobody.
TEST_F(Recorded, NothingTravelsToNobody) {
  auto s = record(c_program(" int up = r + 1 < n ? r + 1 : MPI_PROC_NULL, down = r ? r - 1 : MPI_PROC_NULL; MPI_Request q[2];\n"
                            " MPI_Irecv(b, 100, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, q); MPI_Isend(b + 200, 100, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, q + 1);\n"
                            " MPI_Waitall(2, q, MPI_STATUSES_IGNORE);\n"), 2);
  ASSERT_TRUE(s) << s.error().message();
  for (const char* call : {"MPI_Irecv", "MPI_Isend"}) {
    ASSERT_TRUE(site(*s, call)) << call;
    EXPECT_EQ(site(*s, call)->calls, 2) << call;
    EXPECT_EQ(site(*s, call)->bytes, 800) << call;
  }
}

TEST_F(Recorded, AnExchangeUnderTwoTags) {
  auto s = record(c_program(" MPI_Sendrecv(b, 1, MPI_INT, 1 - r, 1 + r, b + 9, 1, MPI_INT, 1 - r, 2 - r, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"), 2);
  ASSERT_TRUE(s) << s.error().message();
  ASSERT_EQ(s->programs.size(), 2u);
  EXPECT_EQ(s->programs[0].steps[0].tag, 1);
  EXPECT_EQ(s->programs[0].steps[0].from_tag, 2);
  EXPECT_EQ(s->programs[1].steps[0].from_tag, 1);
}

TEST_F(Recorded, RequestsAndRootsAndAnySource) {
  auto s = record(c_program(" MPI_Request q[2];\n MPI_Irecv(b, 10, MPI_INT, (r + 1) % n, 0, MPI_COMM_WORLD, q);\n"
                            " MPI_Isend(b + 50, 10, MPI_INT, (r + 1) % n, 0, MPI_COMM_WORLD, q + 1);\n MPI_Waitall(2, q, MPI_STATUSES_IGNORE);\n"
                            " MPI_Bcast(b, 1000, MPI_BYTE, 0, MPI_COMM_WORLD);\n"
                            " if (r == 0) for (int i = 1; i < n; i++) MPI_Recv(b, 10, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
                            " else MPI_Send(b, 5, MPI_INT, 0, 1, MPI_COMM_WORLD);\n"), 2);
  ASSERT_TRUE(s) << s.error().message();
  ASSERT_EQ(s->programs.size(), 2u);
  const auto& steps = s->programs[0].steps;
  ASSERT_GE(steps.size(), 5u);
  EXPECT_EQ(steps[2].act, Act::wait);
  EXPECT_EQ(steps[2].requests, (std::vector<int>{1, 0}));
  EXPECT_EQ(steps[3].to, (Peer{PeerKind::absolute, 0}));
  EXPECT_EQ(steps[4].from.kind, PeerKind::any);
  EXPECT_EQ(steps[4].bytes, 20);  // what came, not what there was room for
  bool told = false;
  for (const auto& gap : s->gaps) told = told || gap.what.find("any rank") != std::string::npos;
  EXPECT_TRUE(told);
}

TEST_F(Recorded, ARankThatDiesLeavesWhatItDid) {
  auto s = record(c_program(" MPI_Barrier(MPI_COMM_WORLD);\n if (r == 1) abort();\n MPI_Barrier(MPI_COMM_WORLD);\n"), 2);
  ASSERT_TRUE(s) << s.error().message();
  EXPECT_FALSE(s->totals[1].ended);
  EXPECT_EQ(s->totals[1].calls, 1);
  EXPECT_FALSE(s->gaps.empty());
}

TEST_F(Recorded, OneSidedIsTold) {
  auto s = record(c_program(" MPI_Win w;\n MPI_Win_create(b, 800, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &w);\n MPI_Win_fence(0, w);\n"
                            " if (r == 0) MPI_Put(b, 10, MPI_DOUBLE, 1, 0, 10, MPI_DOUBLE, w);\n MPI_Win_fence(0, w);\n MPI_Win_free(&w);\n"), 2);
  ASSERT_TRUE(s) << s.error().message();
  ASSERT_TRUE(site(*s, "MPI_Put"));
  EXPECT_EQ(site(*s, "MPI_Put")->bytes, 80);
  EXPECT_FALSE(s->gaps.empty());
}

// What comes counts, not the room for it; a cancelled receive waits for nobody; whoever probed a message receives it from its sender.
TEST_F(Recorded, WhatReallyComes) {
  auto s = record(c_program(" MPI_Request q; MPI_Message m; MPI_Status st;\n"
                            " if (r == 0) { MPI_Send(b, 10, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); MPI_Send(b, 20, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD); }\n"
                            " else {\n  MPI_Irecv(b, 1000, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &q); MPI_Wait(&q, MPI_STATUS_IGNORE);\n"
                            "  MPI_Mprobe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &m, &st); MPI_Mrecv(b, 1000, MPI_DOUBLE, &m, &st);\n"
                            "  MPI_Irecv(b, 7, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, &q); MPI_Cancel(&q); MPI_Wait(&q, &st);\n }\n"), 2);
  ASSERT_TRUE(s) << s.error().message();
  ASSERT_TRUE(site(*s, "MPI_Irecv") && site(*s, "MPI_Mrecv"));
  EXPECT_EQ(site(*s, "MPI_Irecv")->bytes, 80);
  EXPECT_EQ(site(*s, "MPI_Mrecv")->bytes, 160);
  const auto& steps = s->programs[1].steps;
  ASSERT_GE(steps.size(), 6u);
  EXPECT_EQ(steps[3].act, Act::receive);
  EXPECT_EQ(steps[3].from, (Peer{PeerKind::relative, 1}));
  EXPECT_EQ(steps[4].from.kind, PeerKind::none);
}

// A message to and from each neighbour; a collective is a request like others.
TEST_F(Recorded, NeighboursAndNonblockingCollectives) {
  auto s = record(c_program(" int sizes[] = {n}, round[] = {1}; MPI_Comm ring; MPI_Request q; double x = r, y;\n"
                            " MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, round, 0, &ring);\n"
                            " for (int i = 0; i < 10; i++) {\n  MPI_Iallreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, ring, &q);\n"
                            "  MPI_Neighbor_alltoall(b, 100, MPI_DOUBLE, b + 500, 100, MPI_DOUBLE, ring);\n  MPI_Wait(&q, MPI_STATUS_IGNORE);\n }\n"), 3);
  ASSERT_TRUE(s) << s.error().message();
  ASSERT_TRUE(site(*s, "MPI_Neighbor_alltoall"));
  EXPECT_EQ(site(*s, "MPI_Neighbor_alltoall")->calls, 30);
  EXPECT_EQ(site(*s, "MPI_Neighbor_alltoall")->bytes, 30 * 1600);
  ASSERT_EQ(s->programs.size(), 1u);
  const auto loop = std::ranges::find(s->programs[0].steps, Act::loop, &Step::act);
  ASSERT_NE(loop, s->programs[0].steps.end());
  ASSERT_EQ(loop->body.size(), 8u);  // the collective, the call, two receives, two sends, two waits
  EXPECT_TRUE(loop->body[0].later);
  EXPECT_EQ(loop->body[2].from, (Peer{PeerKind::relative, -1}));
  EXPECT_EQ(loop->body[5].to, (Peer{PeerKind::relative, 1}));
  EXPECT_EQ(loop->body[6].requests, (std::vector<int>{3, 2, 1, 0}));
  EXPECT_EQ(loop->body[7].requests, (std::vector<int>{4}));
  EXPECT_TRUE(s->gaps.size() == 1 && s->gaps[0].what.find("processors") != std::string::npos) << s->gaps[0].what;
}

// Waiting in a call that is rarely seen is not computing, and what is not costed is told.
TEST_F(Recorded, RareCallsAreNoComputation) {
  auto s = record(c_program(" MPI_Comm half; volatile double x = 0; if (r == 0) for (int i = 0; i < 20000000; i++) x += i;\n"
                            " for (int i = 0; i < 300; i++) { MPI_Comm_split(MPI_COMM_WORLD, r, 0, &half); MPI_Barrier(half); MPI_Comm_free(&half); }\n"
                            " MPI_File f; MPI_File_open(MPI_COMM_SELF, \"/dev/null\", MPI_MODE_WRONLY, MPI_INFO_NULL, &f); MPI_File_close(&f);\n"), 2);
  ASSERT_TRUE(s) << s.error().message();
  ASSERT_TRUE(site(*s, "MPI_Comm_split"));
  EXPECT_EQ(site(*s, "MPI_Comm_split")->calls, 600);
  EXPECT_GT(s->totals[0].compute, 4 * s->totals[1].compute);
  EXPECT_EQ(s->groups.size(), 3u);  // all, and each rank alone
  EXPECT_TRUE(std::ranges::any_of(s->gaps, [](const Gap& g) { return g.what.find("MPI_File_open") != std::string::npos; }));
}

// Nor is it in those that only the list of all calls knows.
TEST_F(Recorded, NoCallIsComputation) {
  auto s = record(c_program(" MPI_Comm all; volatile double x = 0; if (r == 0) for (int i = 0; i < 50000000; i++) x += i;\n"
                            " MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &all); MPI_Barrier(all);\n"), 2);
  ASSERT_TRUE(s) << s.error().message();
  ASSERT_TRUE(site(*s, "MPI_Comm_dup_with_info"));
  EXPECT_EQ(site(*s, "MPI_Comm_dup_with_info")->calls, 2);
  EXPECT_GT(s->totals[0].compute, 4 * s->totals[1].compute);
  EXPECT_TRUE(std::ranges::any_of(s->gaps, [](const Gap& g) { return g.what.find("MPI_Comm_dup_with_info") != std::string::npos; }));
  if (!find_program("mpifort")) GTEST_SKIP() << "no mpifort";
  auto f = record("program p\n use mpi\n integer :: ierr, r, i, c, n(1)\n logical :: round(1)\n double precision, volatile :: x\n x = 0\n n = 2\n round = .true.\n"
                  " call MPI_Init(ierr)\n call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)\n if (r == 0) then\n  do i = 1, 50000000\n   x = x + i\n  end do\n end if\n"
                  " call MPI_Cart_create(MPI_COMM_WORLD, 1, n, round, .false., c, ierr)\n call MPI_Barrier(c, ierr)\n call MPI_Finalize(ierr)\nend program\n", 2, "mpifort", "p.f90");
  ASSERT_TRUE(f) << f.error().message();
  ASSERT_TRUE(site(*f, "MPI_Cart_create"));
  EXPECT_GT(f->totals[0].compute, 4 * f->totals[1].compute);
}

// One computes while the other waits: the mean of both would hide that they take turns.
TEST_F(Recorded, RanksThatTakeTurnsAreTwoPrograms) {
  auto s = record(c_program(" volatile double x = 0;\n for (int turn = 0; turn < 2; turn++) {\n"
                            "  if (turn == r) for (int i = 0; i < 20000000; i++) x += i;\n  MPI_Barrier(MPI_COMM_WORLD);\n }\n"), 2);
  ASSERT_TRUE(s) << s.error().message();
  EXPECT_EQ(s->programs.size(), 2u);
}

TEST_F(Recorded, FortranToo) {
  if (!find_program("mpifort")) GTEST_SKIP() << "no mpifort";
  auto s = record("program p\n use mpi\n integer :: ierr, r, n, q, st(MPI_STATUS_SIZE)\n double precision :: b(100)\n b = 0\n"
                  " call MPI_Init(ierr)\n call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)\n call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)\n"
                  " if (r == 0) then\n  call MPI_Send(b, 100, MPI_DOUBLE_PRECISION, 1, 7, MPI_COMM_WORLD, ierr)\n"
                  " else if (r == 1) then\n  call MPI_Recv(b, 100, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, st, ierr)\n end if\n"
                  " call MPI_Allreduce(MPI_IN_PLACE, b, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)\n"
                  " call MPI_Iallreduce(MPI_IN_PLACE, b, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, q, ierr)\n call MPI_Wait(q, st, ierr)\n"
                  " call MPI_Finalize(ierr)\nend program\n", 2, "mpifort", "p.f90");
  ASSERT_TRUE(s) << s.error().message();
  ASSERT_TRUE(site(*s, "MPI_Send"));
  EXPECT_EQ(site(*s, "MPI_Send")->bytes, 800);
  ASSERT_TRUE(site(*s, "MPI_Allreduce"));
  EXPECT_EQ(site(*s, "MPI_Allreduce")->bytes, 32);
  EXPECT_GT(site(*s, "MPI_Send")->at.line, 0);
  ASSERT_TRUE(site(*s, "MPI_Iallreduce"));
  EXPECT_EQ(site(*s, "MPI_Iallreduce")->calls, 2);
}

TEST_F(Recorded, AProgramWithoutMpiIsRefused) {
  RecordOptions options;
  options.command = {"true"};
  auto s = record_messages(options);
  ASSERT_FALSE(s);
  EXPECT_NE(s.error().what.find("no MPI call"), std::string::npos);
}

}  // namespace
}  // namespace perfcast::mpi

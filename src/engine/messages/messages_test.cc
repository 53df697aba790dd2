#include <gtest/gtest.h>

#include "engine/messages/message_time.h"
#include "engine/messages/replay.h"

namespace perfcast::engine {
namespace {

// 1 us + 1 ns/B, from 1000 bytes on 3 us + 0.5 ns/B; sending a small message keeps the sender for 0.25 us.
MessagePath path() {
  MessagePath p;
  p.name = "round";
  p.regimes = {{"eager", 0, 1000, 1}, {"rendezvous", 1000, 3000, 0.5}};
  p.send_ns.emplace().value = 250;
  p.receive_ns.emplace().value = 250;
  return p;
}

// Equation 5 by hand: alpha 10, beta 2, tau 0.5, alpha2 3 us; packets of 100 bytes with 4 bytes of header.
TEST(Messages, EquationFiveByHand) {
  PacketLaw law{100, 4, 10e3, 2e3, 500, 3e3, 0};
  EXPECT_NEAR(packet_seconds(law, 60, 1), (10 + 1 * (2 + 0.5 * 64)) * 1e-6, 1e-12);
  EXPECT_NEAR(packet_seconds(law, 60, 3), (10 + 3 * (2 + 0.5 * 64)) * 1e-6, 1e-12);
  EXPECT_NEAR(packet_seconds(law, 100, 2), (10 + 2 * (2 + 0.5 * 104)) * 1e-6, 1e-12);
  EXPECT_NEAR(packet_seconds(law, 300, 2), (10 + 2 * 52 + 2 * (3 + 52)) * 1e-6, 1e-12);
}

TEST(Messages, TheRegimeIsChosenBySize) {
  EXPECT_NEAR(message_seconds(path(), 0), 1e-6, 1e-15);
  EXPECT_NEAR(message_seconds(path(), 500), 1.5e-6, 1e-15);
  EXPECT_NEAR(message_seconds(path(), 2000), 4e-6, 1e-15);
}

TEST(Messages, ClosedFormsByHand) {
  auto p = path();
  EXPECT_NEAR(collective_closed_form(p, Act::barrier, 0, 8), 3e-6, 1e-12);
  EXPECT_NEAR(collective_closed_form(p, Act::broadcast, 8, 16), 4 * 1.008e-6, 1e-12);
  EXPECT_DOUBLE_EQ(collective_closed_form(p, Act::allreduce, 8, 1), 0);
  p.collectives["allreduce"]["2"] = {{"", 0, 2000, 0}};
  EXPECT_NEAR(collective_seconds(p, Act::allreduce, 8, 2), 2e-6, 1e-12);
  // With other numbers of ranks the closed form, as much off as it was with two.
  double two = collective_closed_form(p, Act::allreduce, 8, 2), eight = collective_closed_form(p, Act::allreduce, 8, 8);
  EXPECT_NEAR(collective_seconds(p, Act::allreduce, 8, 8), eight * 2e-6 / two, 1e-12);
}

Step step(Act act, double seconds, double bytes, Peer to = {}, Peer from = {}) {
  Step s;
  s.act = act, s.seconds = seconds, s.bytes = bytes, s.to = to, s.from = from;
  return s;
}
Peer relative(int offset) { return {PeerKind::relative, offset}; }
Peer absolute(int rank) { return {PeerKind::absolute, rank}; }

// Little data goes in few steps, much of it in small pieces.
TEST(Collectives, TheWayFollowsFromTheSize) {
  const MessagePath p = path();
  EXPECT_EQ(collective_plan(p, Act::allgather, 8, 256).way, CollectiveWay::doubling);
  EXPECT_EQ(collective_plan(p, Act::broadcast, 8, 256).way, CollectiveWay::tree);
  EXPECT_EQ(collective_plan(p, Act::broadcast, 1e6, 256).way, CollectiveWay::halving);
  EXPECT_EQ(collective_plan(p, Act::allreduce, 8, 256).way, CollectiveWay::doubling);
  EXPECT_NE(collective_plan(p, Act::allreduce, 1e6, 256).way, CollectiveWay::doubling);
  EXPECT_EQ(collective_plan(p, Act::alltoall, 1e8, 16).way, CollectiveWay::pairwise);
}

TEST(Replay, AReceiverWaitsForItsMessage) {
  Skeleton s;
  s.ranks = 2;
  s.programs = {{{0}, {step(Act::send, 10e-6, 500, absolute(1))}}, {{1}, {step(Act::receive, 2e-6, 500, {}, absolute(0))}}};
  auto r = replay(s, path());
  ASSERT_TRUE(r) << r.error().message();
  EXPECT_NEAR(r->ranks[0].end, 10.5e-6, 1e-12);   // its own part: 0.25 + half of 0.5 us
  EXPECT_NEAR(r->ranks[1].end, 11.5e-6, 1e-12);   // the whole message after it began
  EXPECT_NEAR(r->ranks[1].waiting, 9.0e-6, 1e-9);
  EXPECT_NEAR(r->ranks[1].computation, 2e-6, 1e-15);
}

TEST(Replay, ARendezvousHoldsTheSender) {
  Skeleton s;
  s.ranks = 2;
  s.programs = {{{0}, {step(Act::send, 1e-6, 2000, absolute(1))}}, {{1}, {step(Act::receive, 20e-6, 2000, {}, absolute(0))}}};
  auto r = replay(s, path());
  ASSERT_TRUE(r);
  EXPECT_NEAR(r->ranks[0].end, 24e-6, 1e-12);
  EXPECT_NEAR(r->ranks[1].end, 24e-6, 1e-12);
}

TEST(Replay, LoopsAndExchanges) {
  Skeleton s;
  s.ranks = 4;
  Step loop;
  loop.act = Act::loop, loop.times = 10;
  loop.body = {step(Act::exchange, 5e-6, 100, relative(1), relative(-1)), step(Act::allreduce, 0, 8)};
  s.programs = {{{0, 1, 2, 3}, {loop}}};
  auto r = replay(s, path());
  ASSERT_TRUE(r) << r.error().message();
  EXPECT_EQ(r->messages, 80);
  EXPECT_NEAR(r->ranks[2].computation, 50e-6, 1e-12);
  // Everyone is alike: computation, one message, one allreduce each time.
  double one = 5e-6 + 1.1e-6 + collective_closed_form(path(), Act::allreduce, 8, 4);
  EXPECT_NEAR(r->seconds, 10 * one, 1e-9);
}

TEST(Replay, RequestsAreWaitedFor) {
  Skeleton s;
  s.ranks = 2;
  Step wait;
  wait.act = Act::wait, wait.requests = {1, 0};
  s.programs = {{{0, 1}, {step(Act::ireceive, 0, 100, {}, relative(1)), step(Act::isend, 0, 100, relative(1)), wait}}};
  auto r = replay(s, path());
  ASSERT_TRUE(r) << r.error().message();
  EXPECT_NEAR(r->seconds, 1.1e-6, 1e-9);
}

// Three messages that came while their receiver computed: it has still to take each of them.
TEST(Replay, ReceivesCostTheirReceiverHoweverLateItWaits) {
  Skeleton s;
  s.ranks = 2;
  Step wait;
  wait.act = Act::wait, wait.requests = {2, 1, 0}, wait.seconds = 100e-6;
  const Step send = step(Act::send, 0, 500, absolute(1)), ask = step(Act::ireceive, 0, 500, {}, absolute(0));
  s.programs = {{{0}, {send, send, send}}, {{1}, {ask, ask, ask, wait}}};
  auto r = replay(s, path());
  ASSERT_TRUE(r) << r.error().message();
  EXPECT_NEAR(r->ranks[1].end, 101.5e-6, 1e-12);  // 0.25 + half of 0.5 us for each
  EXPECT_NEAR(r->ranks[1].communication, 1.5e-6, 1e-12);
  EXPECT_NEAR(r->ranks[1].waiting, 0, 1e-12);
  // As much as if it had asked for one after the other.
  const Step take = step(Act::receive, 0, 500, {}, absolute(0)), work = step(Act::compute, 100e-6, 0);
  s.programs[1].steps = {work, take, take, take};
  auto blocking = replay(s, path());
  ASSERT_TRUE(blocking);
  EXPECT_NEAR(blocking->seconds, r->seconds, 1e-12);
}

// Requests are numbered as the program started them: those to nobody count, an exchange starts none.
TEST(Replay, RequestsKeepTheirNumbersBesideNobodyAndExchanges) {
  Skeleton s;
  s.ranks = 2;
  Step wait;
  wait.act = Act::wait, wait.requests = {1};  // the receive, not what was sent to nobody after it
  Step exchange = step(Act::exchange, 0, 100, relative(1), relative(1));
  exchange.tag = 5, exchange.from_tag = 5;
  s.programs = {{{0}, {step(Act::ireceive, 0, 100, {}, absolute(1)), step(Act::isend, 0, 100), exchange, wait}},
                {{1}, {exchange, step(Act::send, 50e-6, 100, absolute(0))}}};
  auto r = replay(s, path());
  ASSERT_TRUE(r) << r.error().message();
  EXPECT_NEAR(r->ranks[0].end, 1.1e-6 + 50e-6 + 1.1e-6, 1e-12);
}

TEST(Replay, AnExchangeMayReceiveUnderAnotherTag) {
  Skeleton s;
  s.ranks = 2;
  Step up = step(Act::exchange, 0, 100, relative(1), relative(1)), down = up;
  up.tag = 1, up.from_tag = 2, down.tag = 2, down.from_tag = 1;
  s.programs = {{{0}, {up}}, {{1}, {down}}};
  auto r = replay(s, path());
  ASSERT_TRUE(r) << r.error().message();
  EXPECT_NEAR(r->seconds, 1.1e-6, 1e-12);
}

// Sent messages are counted, nobody's (MPI_PROC_NULL) and receives are not.
TEST(Replay, MessagesAreCountedOnce) {
  Skeleton s;
  s.ranks = 2;
  Step wait;
  wait.act = Act::wait, wait.requests = {1, 0};
  s.programs = {{{0}, {step(Act::isend, 0, 100), step(Act::isend, 0, 100, absolute(1)), step(Act::ireceive, 0, 100, {}, absolute(1)), wait, step(Act::allreduce, 0, 8)}},
                {{1}, {step(Act::ireceive, 0, 100), step(Act::ireceive, 0, 100, {}, absolute(0)), step(Act::isend, 0, 100, absolute(0)), wait, step(Act::allreduce, 0, 8)}}};
  auto r = replay(s, path());
  ASSERT_TRUE(r) << r.error().message();
  EXPECT_EQ(r->messages, 4);
}

TEST(Replay, WhoWaitsForWhomForEverIsTold) {
  Skeleton s;
  s.ranks = 2;
  s.programs = {{{0, 1}, {step(Act::receive, 0, 8, {}, relative(1))}}};
  auto r = replay(s, path());
  ASSERT_FALSE(r);
  EXPECT_NE(r.error().what.find("rank 1 in receive"), std::string::npos);
}

TEST(Replay, AnyRankTakesTheFirst) {
  Skeleton s;
  s.ranks = 3;
  Step take = step(Act::receive, 0, 8, {}, {PeerKind::any, 0});
  s.programs = {{{0}, {take, take}}, {{1}, {step(Act::send, 50e-6, 8, absolute(0))}}, {{2}, {step(Act::send, 5e-6, 8, absolute(0))}}};
  auto r = replay(s, path());
  ASSERT_TRUE(r) << r.error().message();
  EXPECT_NEAR(r->seconds, 51.008e-6, 1e-9);
  EXPECT_FALSE(r->remarks.empty());
}

TEST(Replay, AMillionMessagesBetweenManyRanks) {
  Skeleton s;
  s.ranks = 1024;
  RankProgram all;
  for (int i = 0; i < s.ranks; i++) all.ranks.push_back(i);
  Step loop;
  loop.act = Act::loop, loop.times = 100;
  loop.body = {step(Act::exchange, 1e-6, 100, relative(1), relative(-1))};
  all.steps = {loop};
  s.programs = {all};
  auto r = replay(s, path());
  ASSERT_TRUE(r);
  EXPECT_EQ(r->messages, 102400);
  EXPECT_NEAR(r->seconds, 100 * 2.1e-6, 1e-9);
}

// Messages that wait are found by their tag, however many came before; of those that fit, the first is taken.
TEST(Replay, MessagesAreTakenInAnotherOrderThanTheyCome) {
  constexpr int many = 20'000;
  Skeleton s;
  s.ranks = 2;
  auto tagged = [](Step one, int tag) { return one.tag = tag, one; };
  auto repeated = [](std::vector<Step> body) {
    Step loop;
    loop.act = Act::loop, loop.times = many, loop.body = std::move(body);
    return loop;
  };
  const Step send = step(Act::send, 0, 8, absolute(1)), take = step(Act::receive, 0, 8, {}, absolute(0));
  s.programs = {{{0}, {repeated({tagged(send, 1), tagged(send, 2)})}}, {{1}, {repeated({tagged(take, 2)}), repeated({tagged(take, 1)})}}};
  auto r = replay(s, path());
  ASSERT_TRUE(r) << r.error().message();
  EXPECT_EQ(r->messages, 2 * many);
  // A receive of any tag takes what came first, and leaves the message that the next one asks for.
  s.programs = {{{0}, {tagged(send, 2), tagged(send, 1)}}, {{1}, {step(Act::compute, 1e-3, 0), tagged(take, -1), tagged(take, 1)}}};
  auto any = replay(s, path());
  EXPECT_TRUE(any) << any.error().message();
}

TEST(Replay, MessagesThatNobodyReceivesAreTold) {
  Skeleton s;
  s.ranks = 2;
  const Step send = step(Act::send, 0, 8, absolute(1));
  s.programs = {{{0}, {send, send, send}}, {{1}, {step(Act::receive, 0, 8, {}, absolute(0))}}};
  auto r = replay(s, path());
  ASSERT_TRUE(r) << r.error().message();
  ASSERT_EQ(r->remarks.size(), 1u);
  EXPECT_EQ(r->remarks[0], "2 messages are sent that nobody receives");
}

// Begun by one rank late and waited for by the other late: both compute meanwhile.
TEST(Replay, ACollectiveThatIsWaitedForLater) {
  Skeleton s;
  s.ranks = 2;
  Step begin = step(Act::barrier, 3e-3, 0), end = step(Act::wait, 1e-3, 0);
  begin.later = true, end.requests = {0};
  Step early = begin, late = end;
  early.seconds = 1e-3, late.seconds = 3e-3;
  s.programs = {{{0}, {begin, end}}, {{1}, {early, late}}};
  auto r = replay(s, path());
  ASSERT_TRUE(r) << r.error().message();
  const double cost = collective_seconds(path(), Act::barrier, 0, 2);
  EXPECT_NEAR(r->seconds, 4e-3 + cost, 1e-12);  // taking turns it would be 6 ms
  EXPECT_NEAR(r->ranks[0].waiting, 0, 1e-12);
  s.groups = {{0, 1}, {0}, {1}};  // each alone
  for (auto& program : s.programs)
    for (Step& one : program.steps) one.group = 1 + program.ranks[0];
  auto alone = replay(s, path());
  ASSERT_TRUE(alone) << alone.error().message();
  EXPECT_NEAR(alone->seconds, 4e-3, 1e-12);
}

TEST(Skeleton, WrittenAndReadAgain) {
  Skeleton s;
  s.ranks = 2, s.groups = {{0, 1}};
  Step loop;
  loop.act = Act::loop, loop.times = 3, loop.body = {step(Act::exchange, 1e-6, 100, relative(-1), {PeerKind::any, 0})};
  s.programs = {{{0, 1}, {loop, step(Act::broadcast, 0, 8, absolute(0))}}};
  Skeleton back;
  from_json_value(to_json_value(s), back, "");
  EXPECT_EQ(s, back);
}

}  // namespace
}  // namespace perfcast::engine

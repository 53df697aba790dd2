#include "methods/characterize/messages/messages.h"

#include <gtest/gtest.h>

#include <cmath>

#include "methods/characterize/messages/message_fit.h"

namespace perfcast::characterize {
namespace {

std::vector<SizeTime> planted(double (*law)(double)) {
  std::vector<SizeTime> points;
  for (double b : {0.0, 1.0, 8.0, 64.0, 256.0, 512.0}) points.push_back({b, law(b)});
  for (double b = 1024; b <= 4 << 20; b *= 2) points.push_back({b, law(b)}), points.push_back({1.5 * b, law(1.5 * b)});
  return points;
}

TEST(MessageFit, PlantedRegimesComeBack) {
  auto points = planted([](double b) { return b < 4096 ? 200 + 0.34 * b : 1730 + 0.075 * b; });
  RegimeFit fit = fit_regimes(points);
  ASSERT_EQ(fit.regimes.size(), 2u);
  EXPECT_NEAR(fit.regimes[0].startup_ns, 200, 1e-6);
  EXPECT_NEAR(fit.regimes[0].per_byte_ns, 0.34, 1e-9);
  EXPECT_EQ(fit.regimes[1].from_bytes, 4096);
  EXPECT_NEAR(fit.regimes[1].startup_ns, 1730, 1e-3);
  EXPECT_LT(fit.error, 1e-9);
}

TEST(MessageFit, OneLineStaysOne) {
  auto points = planted([](double b) { return (1000 + 0.1 * b) * (1 + 0.03 * std::sin(b)); });
  EXPECT_EQ(fit_regimes(points).regimes.size(), 1u);
}

TEST(MessageFit, CoefficientsAreNeverNegative) {
  auto points = planted([](double b) { return b < 10000 ? 1000.0 : 0.2 * b; });
  for (const auto& r : fit_regimes(points).regimes) {
    EXPECT_GE(r.startup_ns, 0);
    EXPECT_GE(r.per_byte_ns, 0);
  }
}

TEST(MessageFit, ThePacketLawWhereItHolds) {
  auto points = planted([](double b) { return b <= 4096 ? 1000 + 0.5 * b : 1000 + 0.5 * 4096 + (b / 4096 - 1) * (300 + 0.5 * 4096); });
  auto law = fit_packets(points);
  ASSERT_TRUE(law);
  EXPECT_EQ(law->packet_bytes, 4096);
  EXPECT_NEAR(law->prepare_ns, 1000, 1e-3);
  EXPECT_NEAR(law->prepare_packet_ns, 300, 1);
  // A second slope below the first would need a packet of negative cost.
  EXPECT_FALSE(fit_packets(planted([](double b) { return b < 4096 ? 200 + 0.34 * b : 1730 + 0.02 * b; })));
}

TEST(Messages, WhatTheBenchmarkPrints) {
  std::string printed;
  for (double b : {0, 8, 64, 512, 1024, 2048, 8192}) printed += "p2p " + std::to_string(static_cast<int>(b)) + " " + std::to_string(1000 + b) + " " + std::to_string(1000 + b) + "\n";
  printed += "send 250 260\nreceive 300 310\nrendezvous 4096\nallreduce 2 8 2000 2100\nallreduce 2 64 2100 2200\nallreduce 2 512 2200 2300\n";
  auto path = path_of(printed, "shared memory");
  ASSERT_TRUE(path) << path.error().message();
  EXPECT_EQ(*path->rendezvous_bytes, 4096);
  EXPECT_NEAR(path->send_ns->value, 251, 1);
  EXPECT_TRUE(path->collectives.at("allreduce").contains("2"));
  EXPECT_FALSE(path_of("nothing\n", "x"));
}

TEST(Threads, WhatTheBenchmarkPrints) {
  auto t = threads_of("fork_join 1 100 110\nfork_join 2 900 1000\nbandwidth 1 10 11\nbandwidth 2 15 16\natomic 1 5 6\nfalse_sharing 2 20 25\n");
  ASSERT_TRUE(t);
  EXPECT_EQ(t->processors, 2);
  EXPECT_NEAR(t->bandwidth_gb_per_s.at("1").value, 10.9, 0.01);
  EXPECT_TRUE(t->atomic_ns && t->false_sharing_ns);
  EXPECT_FALSE(threads_of(""));
}

}  // namespace
}  // namespace perfcast::characterize

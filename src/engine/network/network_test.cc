#include "engine/network/network.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "expr/algebra.h"
#include "expr/parse.h"

namespace perfcast::engine {
namespace {

TEST(Network, EveryBundledOneIsSound) {
  auto all = list_networks();
  ASSERT_GE(all.size(), 5u);
  for (const auto& named : all) {
    auto network = find_network(named.name);
    ASSERT_TRUE(network) << named.name << ": " << network.error().message();
    EXPECT_EQ(network->name, named.name);
    for (const char* pattern : {"neighbour", "broadcast", "reduction", "multireduce", "random", "point_to_point"}) {
      double before = -1;
      for (double p : {2.0, 4.0, 16.0, 64.0, 1024.0}) {
        auto seconds = pattern_seconds(*network, pattern, p, 1000, {{"startup", 1e-5}, {"per_byte", 1e-9}, {"per_hop", 1e-7}});
        ASSERT_TRUE(seconds) << named.name << " " << pattern;
        EXPECT_GT(*seconds, 0) << named.name << " " << pattern;
        EXPECT_GE(*seconds, before) << "more processors make no pattern cheaper: " << named.name << " " << pattern << " P=" << p;
        before = *seconds;
      }
    }
  }
}

// Clement's table of ComStart for a hypercube.
TEST(Network, HypercubeAsPrinted) {
  Network cube = find_network("hypercube").value();
  const std::pair<const char*, const char*> printed[] = {{"neighbour", "1"},      {"neighbour_write", "2"}, {"broadcast", "log2(P)"},
                                                         {"random", "log2(P)"},   {"random_read", "2*P"},   {"reduction", "log2(P)"},
                                                         {"multireduce", "P*log2(P)"}, {"point_to_point", "1"}};
  for (auto [pattern, startups] : printed)
    EXPECT_TRUE(expr::equal(pattern_counts(cube, pattern)->startups, expr::parse(startups).value())) << pattern;
  // Gauss: two broadcasts and a reduction of 12 bytes and a broadcast of 8N per column: X_St = 4 N log2 P.
  expr::Expr total = 0;
  for (auto [pattern, bytes] : {std::pair("broadcast", "12"), {"broadcast", "12"}, {"broadcast", "8*N"}, {"reduction", "12"}}) {
    auto counts = pattern_counts(cube, pattern).value();
    total = total + expr::symbol("N") * substitute(counts.bytes, std::map<std::string, expr::Expr>{{"bytes", expr::parse(bytes).value()}});
  }
  EXPECT_TRUE(expr::equal(total, expr::parse("8*N^2*log2(P) + 36*N*log2(P)").value()));
}

// As MPI libraries do it, and as the closed form of recorded messages has it (message_time.cc).
TEST(Network, ShortReductionsForAllDoubleAndLongOnesHalve) {
  Network cube = find_network("hypercube").value();
  const std::map<std::string, double> starts{{"startup", 1}, {"per_byte", 0}}, bytes{{"startup", 0}, {"per_byte", 1}};
  EXPECT_DOUBLE_EQ(*pattern_seconds(cube, "allreduce", 16, 8, starts), 4);
  EXPECT_DOUBLE_EQ(*pattern_seconds(cube, "allreduce", 16, 8, bytes), 32);
  EXPECT_DOUBLE_EQ(*pattern_seconds(cube, "allreduce", 16, 16000, starts), 8);
  EXPECT_DOUBLE_EQ(*pattern_seconds(cube, "allreduce", 16, 16000, bytes), 30000);
}

TEST(Network, SharedEthernetLosesToTheCubeWhenLarge) {
  Network cube = find_network("hypercube").value(), cable = find_network("shared-ethernet").value();
  std::map<std::string, double> same{{"startup", 1e-4}, {"per_byte", 1e-7}};
  EXPECT_LT(*pattern_seconds(cube, "broadcast", 64, 8000, same), *pattern_seconds(cable, "broadcast", 64, 8000, same));
}

TEST(Network, BadFilesAreNamed) {
  auto folder = TemporaryFolder::make("network").value();
  std::string path = folder.file("mine.network.json");
  auto written = [&](const std::string& startups) {
    EXPECT_TRUE(write_file(path, R"({"format":"perfcast.network","version":1,"name":"mine","patterns":{"ring":{"startups":")" + startups + R"(","bytes":"bytes"}}})"));
    return find_network(path);
  };
  EXPECT_TRUE(written("P - 1"));
  auto bad = written("P -");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().where.find("ring, startups"), std::string::npos);
  EXPECT_FALSE(written("Q"));
  EXPECT_FALSE(find_network("token-ring"));
  EXPECT_FALSE(pattern_seconds(find_network("mesh").value(), "gossip"));
  EXPECT_TRUE(pattern_seconds(find_network("mesh").value(), "neighbor"));
}

}  // namespace
}  // namespace perfcast::engine

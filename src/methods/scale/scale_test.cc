#include "methods/scale/scale.h"

#include <gtest/gtest.h>

#include <cmath>

#include "expr/parse.h"
#include "expr/print.h"
#include "methods/scale/block_terms.h"
#include "methods/scale/model.h"
#include "methods/scale/steps.h"
#include "methods/scale/uneven.h"
#include "record/messages.h"
#include "record/skeleton.h"

namespace perfcast::scale {
namespace {

TEST(Steps, FindPlantedOnes) {
  std::vector<double> sizes, values, weights;
  for (double x = 16; x < 40000; x *= std::sqrt(2.0)) {
    sizes.push_back(x), weights.push_back(1);
    values.push_back(1 + 2 / (1 + std::pow(300 / x, 4)) + 5 / (1 + std::pow(5000 / x, 8)));
  }
  StepFit fit = fit_steps(sizes, values, weights, expr::symbol("N"));
  for (std::size_t k = 0; k < sizes.size(); k++)
    EXPECT_NEAR(expr::evaluate(fit.expression, {{"N", sizes[k]}}).value(), values[k], 0.1);
  EXPECT_LE(fit.step_at.size(), 5u);
  EXPECT_NEAR(expr::evaluate(fit.expression, {{"N", 1e7}}).value(), 8, 0.2);
}

// A model made by hand: N^3 operations divided among P, a broadcast per column.
TimeModel gauss() {
  TimeModel model;
  model.parameters = {"N", "P"}, model.recorded = {{"N", 100}};
  model.costs = {{"startup", 1e-4}, {"per_byte", 1e-8}, {"per_hop", 0}};
  ModelTerm work;
  work.name = "gauss.c:10", work.kind = "computation", work.parallel = true;
  work.count = expr::parse("N^3").value(), work.core = expr::parse("1e-9*N^3/P").value(), work.memory = expr::parse("1e-10*N^3/P/(1 + (500/N)^4)").value();
  ModelTerm serial;
  serial.name = "gauss.c:5", serial.kind = "computation", serial.count = expr::parse("N^2").value(), serial.core = expr::parse("1e-9*N^2").value();
  ModelTerm send;
  send.name = "broadcast", send.kind = "communication", send.count = expr::parse("N").value(), send.other = expr::parse("N*log2(P)*(startup + 8*N*per_byte)").value();
  model.terms = {work, serial, send};
  return model;
}

TEST(Views, SpeedupScaleupAndScaledSpeedup) {
  auto views = scaling_views(gauss(), {{"N", 1000}, {"P", 1}});
  ASSERT_EQ(views.size(), 3u);
  EXPECT_EQ(views[1].name, "speedup");
  EXPECT_NEAR(views[1].metric[0], 1, 1e-12);
  EXPECT_LT(views[1].metric.back(), std::exp2(10));
  // Communication takes over as processors are added, and less so when the problem grows with them.
  EXPECT_GT(views[1].shares.at("broadcast").back(), views[1].shares.at("broadcast")[1]);
  EXPECT_GT(views[2].metric.back(), views[1].metric.back());
  for (std::size_t k = 0; k < views[1].settings.size(); k++) {
    double all = 0;
    for (const auto& [name, shares] : views[1].shares) all += shares[k];
    EXPECT_NEAR(all, 1, 0.01);
  }
}

TEST(Sensitivity, OfTheEquationsOwnSymbols) {
  auto all = sensitivities(gauss(), {}, {}, {{"N", 1000}, {"P", 16}}, {"startup", "P", "N"}).value();
  ASSERT_EQ(all.size(), 3u);
  for (const auto& s : all)
    if (s.parameter == "startup") EXPECT_NEAR(s.derivative, 1000 * 4, 1e-6);  // dt/dstartup = N log2 P (figure 6.12)
  for (std::size_t k = 1; k < all.size(); k++) EXPECT_GE(std::abs(all[k - 1].elasticity), std::abs(all[k].elasticity));
  Surface surface = sensitivity_surface(gauss(), "startup", {{"N", 100}, {"P", 2}});
  EXPECT_EQ(surface.values.size(), surface.y_values.size());
  EXPECT_GT(surface.values.back().back(), surface.values[1][0]);
}

TEST(Sensitivity, NamesNobodyKnowsAreRefused) {
  auto none = sensitivities(gauss(), {}, {}, {{"N", 1000}, {"P", 16}}, {"N", "foo"});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message().find("foo"), std::string::npos);
  EXPECT_NE(none.error().try_this.find("startup"), std::string::npos);
}

TEST(BlockTerms, BelowTheRecordedSizeABlockCostsWhatItDidThere) {
  const expr::Expr each = cycles_each(9, 5, {{"N", 100}});
  EXPECT_DOUBLE_EQ(value_at(each, {{"N", 2}}), 9);
  EXPECT_DOUBLE_EQ(value_at(each, {{"N", 100}}), 9);
  EXPECT_DOUBLE_EQ(value_at(each, {{"N", 400}}), 6);
  EXPECT_NEAR(value_at(each, {{"N", 1e9}}), 5, 1e-6);
}

// Every process faults on its own code; of the data it touches its part.
TEST(PageFaults, AreThoseOfOneProcessor) {
  ParallelPlan plan;
  const expr::Expr faults = expr::parse("100 + 2*N").value();
  const expr::Expr alone = divided_faults(faults, plan, {{"N", 1000}});
  EXPECT_DOUBLE_EQ(value_at(alone, {{"N", 1000}, {"P", 1}}), 2100);
  EXPECT_DOUBLE_EQ(value_at(alone, {{"N", 1000}, {"P", 4}}), 600);
  plan.recorded_processors = 2;  // the recorded run was one of two ranks
  EXPECT_DOUBLE_EQ(value_at(divided_faults(faults, plan, {{"N", 1000}}), {{"N", 1000}, {"P", 2}}), 2100);
}

TEST(Calibrate, FindsFactorsOfCoreAndMemory) {
  TimeModel model = gauss();
  std::vector<EquationPoint> runs;
  for (double n : {100.0, 200.0, 400.0, 800.0, 1600.0}) {
    EquationPoint p;
    p.set = {{"N", n}, {"P", 1}};
    p.seconds = 1.3 * (expr::evaluate(model.part("computation"), p.set).value()) + 2 * expr::evaluate(model.part("memory"), p.set).value();
    runs.push_back(p);
  }
  Calibration c = calibrate(model, runs);
  EXPECT_NEAR(c.core, 1.3, 0.05);
  EXPECT_NEAR(c.memory, 2, 0.5);
  EXPECT_LT(c.spread, 0.03);
}

TEST(Calibrate, DisturbedRunsHardlyCount) {
  TimeModel model = gauss();
  const double expected = 1.1 * expr::evaluate(model.seconds(), {{"N", 8000}, {"P", 1}}).value();
  std::vector<EquationPoint> runs;
  for (double n : {100.0, 150.0, 220.0, 330.0, 500.0, 750.0}) {
    EquationPoint p;
    p.set = {{"N", n}, {"P", 1}};
    p.seconds = (n == 220 ? 2.5 : 1.1) * expr::evaluate(model.seconds(), p.set).value();
    runs.push_back(p);
  }
  Calibration c = calibrate(model, runs);
  EXPECT_NEAR(c.core, 1.1, 0.03);
  EXPECT_NEAR(expr::evaluate(model.seconds(), {{"N", 8000}, {"P", 1}}).value() / expected, 1, 0.03);
}

TEST(Offers, CheapestAndFastest) {
  CostFile cost;
  cost.prices_per_hour = {{"m", 3600}};
  cost.processors = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
  auto all = offers(gauss(), "m", cost, {{"N", 1000}, {"P", 1}});
  ASSERT_EQ(all.size(), 11u);
  EXPECT_EQ(all.front().processors, 1);  // nothing is cheaper than not sending at all
  for (std::size_t k = 1; k < all.size(); k++) EXPECT_LE(all[k - 1].price, all[k].price);
}

// Threads: the work of regions is divided, each entry costs a fork and a join.
TEST(RecordedPlan, OfThreads) {
  Profile profile;
  profile.program = "p", profile.run.parameters = {{"N", 100}}, profile.machine.emplace();
  Function main, region, helper;
  main.name = "main", region.name = "main.omp_outlined", region.calls.expression = "N", region.calls.value = 100, helper.name = "helper";
  region.blocks.emplace_back().calls.push_back({"helper", 1});
  profile.machine->functions = {main, region, helper};
  ThreadProfile threads;
  threads.threads = 2;
  threads.regions.push_back({"main.omp_outlined", "static", {"p.c", 7}, 100, 0, 0, 0, {1, 1}, 1});
  profile.parallel = to_json_value(threads);
  Machine machine;
  machine.name = "m";
  ThreadCosts costs;
  costs.processors = 4, costs.fork_join_ns["2"].value = 1000, costs.fork_join_ns["4"].value = 1500;
  costs.bandwidth_gb_per_s["1"].value = 10, costs.bandwidth_gb_per_s["4"].value = 20;
  machine.threads = to_json_value(costs);
  auto plan = recorded_plan(profile, machine);
  ASSERT_TRUE(plan && *plan);
  EXPECT_EQ((*plan)->parallel, (std::vector<std::string>{"helper", "main.omp_outlined"}));
  EXPECT_EQ((*plan)->bandwidth_gain, 2);
  ASSERT_EQ((*plan)->communications.size(), 1u);
  EXPECT_EQ((*plan)->communications[0].times, "N");
  EXPECT_NEAR(expr::evaluate(expr::parse((*plan)->communications[0].seconds).value(), {{"P", 4}}).value(), 1.5e-6, 1e-12);
  EXPECT_FALSE(recorded_plan(Profile{}, machine)->has_value());
  EXPECT_TRUE((*plan)->remarks.empty());
  // The network carries nothing of it.
  for (const StaticAnswer& answer : static_answers(gauss(), **plan, 1e-9, {{"N", 100}, {"P", 1}})) EXPECT_EQ(answer.messages, 0);
  threads.regions[0].seconds = {3, 1};
  profile.parallel = to_json_value(threads);
  plan = recorded_plan(profile, machine);
  ASSERT_EQ((*plan)->remarks.size(), 1u);
  EXPECT_NE((*plan)->remarks[0].find("1.50 at 2"), std::string::npos);
  EXPECT_EQ((*plan)->uneven, "1 + 1*(1 - 1/P)");
}

// A triangle in blocks: the busiest of P has (2P - 1)/P^2 of it. One that does half alone: 1/2 + 1/(2P).
TEST(RecordedPlan, UnevenWork) {
  EXPECT_EQ(uneven_form({}), "1");
  EXPECT_EQ(uneven_form({{2, 1.05}, {4, 1.08}}), "1");
  EXPECT_EQ(uneven_form({{2, 1.5}}), "1 + 1*(1 - 1/P)");
  EXPECT_EQ(uneven_form({{2, 1.5}, {4, 1.75}, {8, 1.875}}), "1 + 1*(1 - 1/P)");
  EXPECT_EQ(uneven_form({{2, 1.5}, {4, 2.5}, {8, 4.5}}), "1 + 0.5*(P - 1)");
  EXPECT_EQ(uneven_form({{2, 2}}), "1 + 1*(P - 1)");
}

// Ranks: each call that communicates is a pattern, with its expressions.
TEST(RecordedPlan, OfRanks) {
  Profile profile;
  MessageProfile messages;
  Skeleton& run = messages.runs.emplace_back();
  run.ranks = 2;
  CallSite bcast{"MPI_Bcast", "main", {"p.c", 3}, 200, 800, 0, "all", "N", "8*N"}, receive = bcast, odd = bcast;
  receive.call = "MPI_Recv", odd.call = "MPI_Sendrecv", odd.calls_is = odd.bytes_is = "";
  run.sites = {bcast, receive, odd};
  profile.messages = to_json_value(messages);
  auto plan = recorded_plan(profile, Machine{});
  ASSERT_TRUE(plan && *plan);
  EXPECT_EQ((*plan)->recorded_processors, 2);
  EXPECT_EQ((*plan)->uneven, "1");
  ASSERT_EQ((*plan)->communications.size(), 2u);
  EXPECT_EQ((*plan)->communications[0].pattern, "broadcast");
  EXPECT_EQ((*plan)->communications[0].bytes, "8*N");
  EXPECT_EQ((*plan)->communications[1].times, "100");
  EXPECT_GE((*plan)->remarks.size(), 2u);
}

// One rank alone sends nothing: what is sent is what most ranks sent, with the forms that the first recording has.
TEST(RecordedPlan, OfOneRankAndMore) {
  Profile profile;
  MessageProfile messages;
  CallSite halo{"MPI_Sendrecv", "main", {"p.c", 3}, 10, 0, 0, "none", "N/10", ""}, reduce{"MPI_Allreduce", "main", {"p.c", 5}, 30, 240, 0, "all", "", ""};
  messages.runs.resize(2);
  messages.runs[0].ranks = 1, messages.runs[0].sites = {halo};
  halo.calls = 30, halo.bytes = 24000, halo.calls_is = "";
  messages.runs[1].ranks = 3, messages.runs[1].sites = {halo, reduce};
  profile.messages = to_json_value(messages);
  auto plan = recorded_plan(profile, Machine{});
  ASSERT_TRUE(plan && *plan);
  EXPECT_EQ((*plan)->recorded_processors, 1);
  ASSERT_EQ((*plan)->communications.size(), 2u);
  EXPECT_EQ((*plan)->communications[0].times, "N/10");
  EXPECT_EQ((*plan)->communications[0].bytes, "800");
  EXPECT_EQ((*plan)->communications[1].times, "10");
}

TEST(Scale, SaysWhyCountsAreNoExpressions) {
  Profile refused;
  refused.program = "p", refused.scaling.emplace().remarks = {"50 of 51 sizes were refused"};
  EXPECT_NE(has_expressions(refused).error().message().find("50 of 51"), std::string::npos);
}

TEST(Scale, RefusesProfilesWithoutExpressions) {
  Profile plain;
  plain.program = "p";
  auto answer = scale(plain, Machine{});
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().try_this.find("--param"), std::string::npos);
}

}  // namespace
}  // namespace perfcast::scale

#include <gtest/gtest.h>

#include "report/markdown.h"
#include "report/record_tables.h"

namespace perfcast::report {
namespace {

TEST(RecordTables, ListsAndWhatIsInsideThem) {
  Json record = Json::parse(R"({"program": "p", "predictions": [
      {"model": "icc", "seconds": 0.1, "interval": [0.05, 0.2], "parts": [{"name": "a,b", "seconds": 0.1}]},
      {"model": "hllc", "seconds": 2, "parts": []}]})");
  auto tables = tables_in(record);
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(tables[0].name, "predictions");
  EXPECT_EQ(tables[0].table.csv(), "model,seconds,interval.0,interval.1\nicc,0.1,0.05,0.2\nhllc,2,,\n");
  EXPECT_EQ(tables[1].name, "predictions.parts");
  EXPECT_EQ(tables[1].table.csv(), "predictions.model,name,seconds\nicc,\"a,b\",0.1\n");
}

TEST(RecordTables, EntriesThatAreAlike) {
  auto tables = tables_in(Json::parse(R"({"models": {"icc": {"mape": 0.1, "within": {"10": 0.5}}, "hllc": {"mape": 1}}})"));
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].table.csv(), "name,mape,within.10\nicc,0.1,0.5\nhllc,1,\n");
}

TEST(Markdown, ASummaryOfAPrediction) {
  Prediction prediction;
  prediction.program = "heat";
  ModelPrediction p;
  p.machine = "toy", p.seconds = 2, p.interval = {1, 3};
  p.parts = {{"core", 1.5, {}, {}}, {"a|b", 0.5, {}, {}}};
  prediction.predictions = {p};
  EXPECT_EQ(prediction_markdown(prediction),
            "### heat\n\n| machine | model | predicted | interval |\n| --- | ---: | ---: | ---: |\n| toy | icc | 2 s | 1 s – 3 s |\n"
            "\nWhere the time goes, icc on toy:\n\n| resource | time | share |\n| --- | ---: | ---: |\n| core | 1.5 s | 75.0 % |\n"
            "| a\\|b | 500 ms | 25.0 % |\n");
}

}  // namespace
}  // namespace perfcast::report

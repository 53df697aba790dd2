// What a program will take on machines, by one or several models; with an interval, always.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/gap.h"
#include "record/made_by.h"
#include "record/record_file.h"

namespace perfcast {

// The ladder of resource models (Papaefstathiou ch. 3), from a design sketch to timing.
enum class Model { dbc, poc, hllc, intcc, icc, ct };
template <>
struct EnumWords<Model> {
  static constexpr std::pair<Model, const char*> words[] = {{Model::dbc, "dbc"},   {Model::poc, "poc"},
                                                            {Model::hllc, "hllc"}, {Model::intcc, "intcc"},
                                                            {Model::icc, "icc"},   {Model::ct, "ct"}};
};

// A contribution to the time: an operation, a function, a resource.
struct Part {
  std::string name;
  double seconds = 0;
  std::optional<double> count, sd;  // how often, and the standard deviation of `seconds`
  bool operator==(const Part&) const = default;
};
template <class Fields>
void describe(Fields& f, Part& p) {
  f.need("name", p.name), f.need("seconds", p.seconds), f("count", p.count), f("sd", p.sd);
}

struct ModelPrediction {
  Model model = Model::icc;
  std::string machine;
  double seconds = 0;
  std::array<double, 2> interval{0, 0};
  double confidence = 0.9;
  std::optional<double> sd;
  std::vector<Part> parts;                          // by the model's own resources; they add up to `seconds`
  std::map<std::string, std::vector<Part>> views;   // other breakdowns: "function", "line", "region"
  double estimated_share = 0;                       // of the time, costed from defaults or not measured here
  std::vector<Gap> gaps;
  std::vector<std::string> remarks;                 // what is missing and what was used instead
  bool operator==(const ModelPrediction&) const = default;
};
template <class Fields>
void describe(Fields& f, ModelPrediction& p) {
  f.need("model", p.model), f.need("machine", p.machine), f.need("seconds", p.seconds);
  f.need("interval", p.interval), f("confidence", p.confidence), f("sd", p.sd), f.need("parts", p.parts);
  f("views", p.views), f("estimated_share", p.estimated_share), f("gaps", p.gaps), f("remarks", p.remarks);
}

// Timed here: the median of undisturbed runs.
struct MeasuredTime {
  double seconds = 0;
  std::array<double, 2> interval{0, 0};
  int runs = 0, disturbed = 0;
  std::string how;  // "median of undisturbed runs", or "low quantile: most runs were disturbed"
  bool operator==(const MeasuredTime&) const = default;
};
template <class Fields>
void describe(Fields& f, MeasuredTime& m) {
  f.need("seconds", m.seconds), f.need("interval", m.interval), f.need("runs", m.runs), f("disturbed", m.disturbed);
  f("how", m.how);
}

struct Prediction {
  static constexpr const char* format = "perfcast.prediction";
  static constexpr int version = 1;
  std::string program;
  MadeBy made_by;
  std::vector<ModelPrediction> predictions;
  std::optional<MeasuredTime> measured;
  std::vector<std::string> refused;  // models that could not answer, and why
  bool operator==(const Prediction&) const = default;
};
template <class Fields>
void describe(Fields& f, Prediction& p) {
  f.need("program", p.program), f("made_by", p.made_by), f.need("predictions", p.predictions);
  f("measured", p.measured), f("refused", p.refused);
}

PERFCAST_RECORD_FILE(extern, Prediction)

}  // namespace perfcast

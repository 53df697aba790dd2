// What a template means: its time by closed forms, its formula, its ranks' programs.
#include "methods/parallel/templates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/messages/message_time.h"
#include "engine/network/network.h"
#include "expr/print.h"

namespace perfcast::parallel {
namespace {

using expr::Expr;
using Values = std::map<std::string, double>;

// Parameters given, defaults, and the template's own names.
Result<Values> values_of(const Template& t, const TemplateUse& use) {
  Values values;
  for (const auto& p : t.parameters) {
    auto it = use.values.find(p.name);
    if (it != use.values.end()) values[p.name] = it->second;
    else if (p.value) values[p.name] = *p.value;
    else return unfit("the template " + t.name + " needs " + p.name + (p.remark.empty() ? "" : ": " + p.remark), t.file, "--set " + p.name + "=VALUE");
  }
  if (!(values.at("P") >= 1 && values.at("P") <= 1e9) || values.at("P") != std::floor(values.at("P"))) return wrong_usage("P is a whole number, 1 at least");
  for (const auto& [name, expression] : t.sets) {
    TRY(values[name], expr::evaluate(expression, values));
  }
  for (const auto& [expression, why] : t.wholes) {
    TRY(double value, expr::evaluate(expression, values));
    if (std::abs(value - std::round(value)) > 1e-9 * std::max(1.0, std::abs(value)))
      return unfit(fmt::format("the template {} needs a whole {}{}, not {:g} (P = {:g})", t.name, expr::text(expression), why.empty() ? "" : " (" + why + ")", value, values.at("P")), t.file);
  }
  return values;
}

// Names of patterns in network files.
const char* pattern_name(const std::string& kind) {
  static const std::map<std::string, const char*> names = {
      {"message", "neighbour"}, {"send", "neighbour"}, {"receive", "neighbour"}, {"broadcast", "broadcast"}, {"reduce", "reduction"},
      {"allreduce", "allreduce"}, {"alltoall", "all_to_all"}, {"gather", "gather"}, {"scatter", "scatter"}, {"allgather", "allgather"},
      {"barrier", "barrier"}};
  auto it = names.find(kind);
  return it == names.end() ? "point_to_point" : it->second;
}

struct Costing {
  const Template& pattern;
  const Values& values;
  const MessagePath& path;
  const Network* network;
  double work;

  Result<double> seconds(const Term& term) const {
    TRY(double times, expr::evaluate(term.times, values));
    if (times <= 0) return 0.0;
    if (term.kind == "compute") return times * work;
    TRY(double bytes, expr::evaluate(term.bytes, values));
    if (!(bytes >= 0)) return unfit(fmt::format("the template {} has messages of {} = {:g} bytes", pattern.name, expr::text(term.bytes), bytes), pattern.file);
    double ranks = values.at("P");
    if (term.among_given) {
      TRY(ranks, expr::evaluate(term.among, values));
    }
    if (ranks <= 1) return 0.0;
    TRY(double one, message(term.kind, bytes, ranks));
    return times * one;
  }

  Result<double> message(const std::string& kind, double bytes, double ranks) const {
    if (network) {
      const auto& first = path.regimes;
      Values costs;
      if (!first.empty()) costs = {{"startup", 1e-9 * first.front().startup_ns}, {"per_byte", 1e-9 * first.back().per_byte_ns}};
      return engine::pattern_seconds(*network, pattern_name(kind), ranks, bytes, costs);
    }
    if (kind == "message") return engine::message_seconds(path, bytes);
    if (kind == "send") return engine::send_seconds(path, bytes);
    if (kind == "receive") return engine::receive_seconds(path, bytes);
    return engine::collective_seconds(path, *from_word<Act>(kind), bytes, ranks);
  }

  Result<std::pair<double, double>> sum(const std::vector<Term>& terms) const {  // computation, messages
    std::pair<double, double> total{0, 0};
    for (const auto& term : terms) {
      TRY(double one, seconds(term));
      (term.kind == "compute" ? total.first : total.second) += one;
    }
    return total;
  }
};

std::string term_text(const Term& term) {
  std::string times = expr::text(term.times), factor = times == "1" ? "" : (times.find_first_of("+- ") == times.npos ? times : "(" + times + ")") + "*";
  if (term.kind == "compute") return factor + "W";
  return factor + term.kind + "(" + expr::text(term.bytes) + (term.among_given ? "; among " + expr::text(term.among) : "") + ")";
}

}  // namespace

std::optional<std::string> unknown_setting(const Template& pattern, const std::map<std::string, double>& values) {
  for (const auto& [name, value] : values)
    if (std::ranges::find(pattern.parameters, name, &TemplateParameter::name) == pattern.parameters.end()) return name;
  return {};
}

Result<TemplateTime> template_time(const Template& t, const TemplateUse& use, const MessagePath& path, const Network* network) {
  TRY(Values values, values_of(t, use));
  if (path.regimes.empty() && !network) return unfit("no message costs are known", path.name, "perfcast characterize --messages");
  Costing costing{t, values, path, network, use.work_seconds};
  TemplateTime time;
  if (values.at("P") == 1) return TemplateTime{use.work_seconds, use.work_seconds, 0, 0, false};
  TRY(double share, expr::evaluate(t.computation, values));
  if (!(share >= 0)) return unfit(fmt::format("the template {} gives a rank {} = {:g} of the work", t.name, expr::text(t.computation), share), t.file);
  time.computation = share * use.work_seconds;
  TRY(auto communication, costing.sum(t.communication));
  TRY(auto waiting, costing.sum(t.waiting));
  TRY(auto bottleneck, costing.sum(t.bottleneck));
  time.communication = communication.second + communication.first;
  time.waiting = waiting.first + waiting.second;
  time.seconds = time.computation + time.communication + time.waiting;
  const double least = bottleneck.first + bottleneck.second;
  if (least > time.seconds) {
    time.waiting += least - time.seconds;
    time.seconds = least, time.bottleneck = true;
  }
  return time;
}

std::string template_formula(const Template& t) {
  std::string text = "t = (" + expr::text(t.computation) + ")*W";
  for (const auto* terms : {&t.communication, &t.waiting})
    for (const auto& term : *terms) text += " + " + term_text(term);
  std::string least;
  for (const auto& term : t.bottleneck) least += (least.empty() ? "" : " + ") + term_text(term);
  if (!least.empty()) text += ", at least " + least;
  std::string names;
  for (const auto& [name, expression] : t.sets) names += (names.empty() ? "" : ", ") + name + " = " + expr::text(expression);
  return text + (names.empty() ? "" : "  where " + names);
}

namespace {

// One rank's program.
class Generator {
 public:
  Generator(const Template& t, Values values, double work, Skeleton& skeleton) : template_(t), values_(std::move(values)), work_(work), skeleton_(skeleton) {}

  Result<std::vector<Step>> steps_of(int rank) {
    values_["rank"] = rank;
    pending_ = 0;
    std::vector<Step> steps;
    CHECK_OK(body(template_.skeleton, steps));
    flush(steps);
    return steps;
  }

 private:
  Result<double> value(const Expr& e) { return expr::evaluate(e, values_); }

  // Computation that no call follows.
  void flush(std::vector<Step>& steps) {
    if (pending_ <= 0) return;
    Step step;
    step.seconds = pending_, pending_ = 0;
    steps.push_back(step);
  }

  Status body(const std::vector<SkeletonLine>& lines, std::vector<Step>& steps) {
    for (const auto& line : lines) CHECK_OK(one(line, steps));
    return {};
  }

  static bool uses(const std::vector<SkeletonLine>& lines, const std::string& name) {
    return std::ranges::any_of(lines, [&](const SkeletonLine& l) {
      for (const auto& v : l.values)
        if (expr::depends_on(v, name)) return true;
      for (const Expr* e : {&l.bytes, &l.tag, &l.count, &l.first, &l.stride})
        if (expr::depends_on(*e, name)) return true;
      return uses(l.body, name);
    });
  }

  Status one(const SkeletonLine& line, std::vector<Step>& steps) {
    if (++written_ > most_lines) return unfit("the skeleton is longer than ten million lines when its loops are written out", place(line));
    switch (line.kind) {
      case LineKind::compute: {
        TRY(double share, value(line.values[0]));
        pending_ += share * work_;
        return {};
      }
      case LineKind::when: {
        TRY(double left, value(line.values[0]));
        TRY(double right, value(line.values[1]));
        const double gap = left - right;
        const bool equal = std::abs(gap) < 1e-9;
        const bool holds = line.name == "<" ? gap < 0 && !equal : line.name == ">" ? gap > 0 && !equal : line.name == "<=" ? gap < 0 || equal
                           : line.name == ">=" ? gap > 0 || equal : line.name == "=" ? equal : !equal;
        return holds ? body(line.body, steps) : Status{};
      }
      case LineKind::loop: return loop(line, steps);
      case LineKind::call: return call(line, steps);
    }
    return {};
  }

  Status loop(const SkeletonLine& line, std::vector<Step>& steps) {
    TRY(double times, value(line.values[0]));
    times = std::floor(times + 1e-9);
    if (times < 1) return {};
    if (!line.name.empty() && uses(line.body, line.name)) {
      if (times > 1e6) return unfit("a loop over more than a million values", place(line));
      for (double i = 0; i < times; i++) {
        values_[line.name] = i;
        CHECK_OK(body(line.body, steps));
      }
      values_.erase(line.name);
      return {};
    }
    flush(steps);
    Step repeated;
    repeated.act = Act::loop, repeated.times = times;
    CHECK_OK(body(line.body, repeated.body));
    flush(repeated.body);
    if (!repeated.body.empty()) steps.push_back(std::move(repeated));
    return {};
  }

  Status call(const SkeletonLine& line, std::vector<Step>& steps) {
    Step step;
    step.act = *from_word<Act>(line.name);
    step.seconds = pending_, pending_ = 0;
    TRY(step.bytes, value(line.bytes));
    step.bytes = std::floor(step.bytes + 0.5);
    if (!(step.bytes >= 0 && step.bytes <= 1e60)) return unfit(fmt::format("a message of {:g} bytes", step.bytes), place(line));
    TRY(double tag, value(line.tag));
    if (!(std::abs(tag) < 1e9)) return unfit(fmt::format("{:g} is not a tag", tag), place(line));
    step.tag = static_cast<int>(tag);
    std::vector<Peer> peers;
    for (const auto& v : line.values) {
      TRY(double rank, value(v));
      const bool nobody = rank < -0.5 || rank > values_.at("P") - 0.5;
      if (nobody && step.act == Act::exchange) {
        peers.push_back({});
        continue;
      }
      if (nobody)
        return unfit(fmt::format("rank {:g} talks to rank {:g} of {:g}", values_.at("rank"), rank, values_.at("P")), place(line));
      peers.push_back({PeerKind::absolute, static_cast<int>(std::floor(rank + 0.5))});
    }
    if (step.act == Act::receive) step.from = peers.at(0);
    else if (!peers.empty()) step.to = peers[0];
    if (step.act == Act::exchange) step.from = peers.at(1);
    if (line.among) {
      TRY(step.group, group(line));
    }
    steps.push_back(std::move(step));
    return {};
  }

  Result<int> group(const SkeletonLine& line) {
    TRY(double count, value(line.count));
    TRY(double first, value(line.first));
    TRY(double stride, value(line.stride));
    const double last = first + (count - 1) * stride;
    if (!(count >= 0.5 && count <= values_.at("P") + 0.5 && std::min(first, last) > -0.5 && std::max(first, last) < values_.at("P") - 0.5))
      return unfit(fmt::format("{:g} ranks from {:g} in steps of {:g} are not among {:g}", count, first, stride, values_.at("P")), place(line));
    std::vector<int> members;
    members.reserve(static_cast<std::size_t>(std::lround(count)));
    for (double i = 0; i < std::floor(count + 0.5); i++) members.push_back(static_cast<int>(std::floor(first + i * stride + 0.5)));
    auto known = std::ranges::find(skeleton_.groups, members);
    if (known == skeleton_.groups.end()) known = skeleton_.groups.insert(skeleton_.groups.end(), members);
    return static_cast<int>(known - skeleton_.groups.begin());
  }

  std::string place(const SkeletonLine& line) const { return template_.file + ":" + std::to_string(line.line); }

  static constexpr long most_lines = 10'000'000;
  const Template& template_;
  Values values_;
  double work_, pending_ = 0;
  long written_ = 0;  // lines, of all ranks
  Skeleton& skeleton_;
};

}  // namespace

Result<Skeleton> template_skeleton(const Template& t, const TemplateUse& use) {
  if (t.skeleton.empty()) return unfit("the template " + t.name + " has no skeleton to replay", t.file);
  TRY(Values values, values_of(t, use));
  Skeleton skeleton;
  skeleton.ranks = static_cast<int>(values.at("P"));
  if (skeleton.ranks > 100'000) return wrong_usage("at most 100000 ranks are replayed");
  skeleton.groups.emplace_back();
  for (int i = 0; i < skeleton.ranks; i++) skeleton.groups[0].push_back(i);
  if (skeleton.ranks == 1) {  // one rank does all work and tells nobody
    Step work;
    work.seconds = use.work_seconds;
    skeleton.programs.push_back({{0}, {work}});
    return skeleton;
  }
  Generator generator(t, values, use.work_seconds, skeleton);
  for (int rank = 0; rank < skeleton.ranks; rank++) {
    TRY(std::vector<Step> steps, generator.steps_of(rank));
    skeleton.programs.push_back({{rank}, std::move(steps)});
  }
  return skeleton;
}

}  // namespace perfcast::parallel

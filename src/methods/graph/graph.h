// The software execution graph of a program that may not exist yet (Papaefstathiou et al. 1994, section 2): steps with a
// resource usage vector each, loops with counts, branches with probabilities. Written by hand in a design file, or
// read off an analysed profile; drawn, checked, turned into a timing formula (equation 1, table 3) and into a Profile
// that every model of `predict` can take.
//
//   design find_max                 # one per file
//   parameter N = 1000              # what counts, probabilities and usage may depend on
//   step assign: SRSL 1             # a step and what one execution needs: resource amount, ...
//   loop N:                         # what is indented below is done N times
//     step compare: CRSL 1, LOOV 1
//     branch:
//       when 0.01: step assign      # a step already described is named alone
//       else: ...
//   graph NAME:                     # a part of its own, used by `do NAME`
//   step relax with halo(N = N): flops 5*N^2        # run by a parallel template
//   step solve from solver.profile.json function solve   # analysed code in place of an estimate
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/profile.h"

namespace perfcast::graph {

enum class NodeKind { sequence, step, loop, branch, part };

// Analysed code that stands for a step: a profile, and a function or region of it (neither: all of it).
struct CodeReference {
  std::string profile, function, region;
  bool operator==(const CodeReference&) const = default;
};

struct Node {
  NodeKind kind = NodeKind::sequence;
  std::string name;                          // of a step or part
  std::string amount;                        // loop: iterations; a child of a branch: its probability; an expression
  std::map<std::string, std::string> usage;  // step: resource and amount, an expression
  std::string pattern;                       // step: the parallel template it is run by; empty: by one processor
  std::map<std::string, std::string> settings;  // of the template's parameters
  std::optional<CodeReference> code;
  int line = 0;
  std::vector<Node> children;
  bool operator==(const Node&) const = default;
};

struct Parameter {
  std::string name;
  double value = 0;        // with the values of the file
  std::string remark;
  std::string expression;  // in parameters before it: follows what these are set to
  bool operator==(const Parameter&) const = default;
};

struct Design {
  std::string name, file;
  std::vector<Parameter> parameters;
  Node root;
  std::map<std::string, Node> parts;  // `graph NAME:`
  bool has_parameter(const std::string& wanted) const;
};

Result<Design> parse_design(const std::string& text, const std::string& file);
Result<Design> read_design(const std::string& path);

// What is doubtful or wrong: probabilities beyond 1, names nobody defined, usage nobody has a cost for.
std::vector<std::string> check(const Design& design, const std::map<std::string, double>& set = {});

// t = t(assign) + N*(t(compare) + 0.01*t(assign)).
std::string timing_formula(const Design& design);

struct ProfileOptions {
  std::map<std::string, double> set;           // parameters other than in the file
  std::map<std::string, double> code_seconds;  // steps that analysed code stands for: seconds of one execution
};
// The design as a Profile of steps, counts as numbers and as expressions in the parameters.
Result<Profile> profile_of(const Design& design, const ProfileOptions& options = {});

// A step with the times it is executed, in the order of the file.
struct CountedStep {
  const Node* step = nullptr;
  double count = 0;
  std::string expression;
};
Result<std::vector<CountedStep>> counted_steps(const Design& design, const std::map<std::string, double>& set = {});

// The execution graph of one function of an analysed profile: loops with their mean iterations, blocks that are not
// executed every time with their probability. Blocks in a row are one step.
Result<Design> design_of(const Profile& profile, const std::string& level, const std::string& function);

// As a tree in text, or in Graphviz' language: steps are boxes, loops circles, branches diamonds.
std::string draw_text(const Design& design);
std::string draw_dot(const Design& design);

}  // namespace perfcast::graph

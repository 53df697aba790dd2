// Parallel templates: how the work of a step is spread over ranks and what they tell each other, as data (Papaefstathiou et
// al. 1994, section 2: the parallel template layer). A template is a small text file; users add their own.
//
//   template NAME
//   parameter N [= default]     # what it depends on; P is the number of ranks
//   set q = sqrt(P)             # a name for an expression
//   whole q                     # a square number of ranks: other values are refused, with this remark
//   computation SHARE           # of the whole work, what the slowest rank does
//   communication               # of the slowest rank, one line each: KIND TIMES bytes BYTES [among RANKS]
//   waiting                     # likewise, and `compute SHARE`: for others, beyond its own communication
//   bottleneck                  # likewise: what one rank must do at least, if that is more than all the above
//   skeleton                    # the same as a program of rank `rank`, for replaying
//     loop [NAME =] TIMES: / when A < B: / compute SHARE / send TO, receive FROM, exchange TO, FROM, broadcast ROOT,
//     reduce ROOT, gather ROOT, scatter ROOT, allreduce, allgather, alltoall, barrier; bytes BYTES [tag TAG]
//     [among COUNT from FIRST step STRIDE]. In an exchange a rank that does not exist is nobody: the edge of a grid.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "expr/expr.h"
#include "record/messages.h"
#include "record/network.h"
#include "record/skeleton.h"

namespace perfcast::parallel {

struct TemplateParameter {
  std::string name, remark;
  std::optional<double> value;  // default
};

// A use of a resource: computation of a share, or messages of a kind.
struct Term {
  std::string kind;             // "compute", "message", "send", "receive", "broadcast", ...
  expr::Expr times, bytes, among;
  bool among_given = false;
};

enum class LineKind { loop, when, compute, call };
struct SkeletonLine {
  LineKind kind = LineKind::call;
  std::string name;             // loop variable, comparison, or call
  std::vector<expr::Expr> values;  // iterations; both sides; share; peers
  expr::Expr bytes, tag, count, first, stride;
  bool among = false;
  int line = 0;
  std::vector<SkeletonLine> body;
};

struct Template {
  std::string name, summary, file;
  std::vector<TemplateParameter> parameters;
  std::vector<std::pair<std::string, expr::Expr>> sets;
  std::vector<std::pair<expr::Expr, std::string>> wholes;  // what must be a whole number, and why
  expr::Expr computation;
  std::vector<Term> communication, waiting, bottleneck;
  std::vector<SkeletonLine> skeleton;
};

struct NamedTemplate {
  std::string name, path, summary;
};
// The user's own (folder templates/ of the user's data) first, then the bundled ones.
std::vector<NamedTemplate> list_templates();
Result<Template> find_template(const std::string& name_or_file);
Result<Template> parse_template(const std::string& text, const std::string& file);

// A name among these values that is no parameter of the template; none: all are.
std::optional<std::string> unknown_setting(const Template& pattern, const std::map<std::string, double>& values);

// What the template is given: values of its parameters, the time of the whole work on one rank.
struct TemplateUse {
  std::map<std::string, double> values;
  double work_seconds = 0;
};

struct TemplateTime {
  double seconds = 0;
  double computation = 0, communication = 0, waiting = 0;  // of the slowest rank; they add up to `seconds`
  bool bottleneck = false;                                 // one rank decides
};

// By the closed form, messages by the path's laws, or on a network of closed forms (engine/network).
Result<TemplateTime> template_time(const Template& pattern, const TemplateUse& use, const MessagePath& path,
                                   const Network* network = nullptr);

// t = W*1/P + min(2, P - 1)*message(8*N): W is the time of the whole work on one rank.
std::string template_formula(const Template& pattern);

// The ranks' programs, to be replayed; computation in seconds.
Result<Skeleton> template_skeleton(const Template& pattern, const TemplateUse& use);

}  // namespace perfcast::parallel

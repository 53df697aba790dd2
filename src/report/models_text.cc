#include "report/models_text.h"

#include <fmt/format.h>

#include "base/text.h"

namespace perfcast::report {
namespace {

std::string stars(const std::optional<int>& n) { return n ? std::string(static_cast<std::size_t>(*n), '*') : "none"; }

std::string needs(const ModelFacts& f) {
  std::string text = f.code ? "code" : "nothing";
  if (f.compiler) text += ", compiler";
  if (f.system) text += ", system";
  return text;
}

std::string share(const std::optional<double>& error) { return error ? percent_text(*error) : "-"; }

}  // namespace

std::string models_text(const ModelOverview& o) {
  Table what({"model", "characterisation", "a block is", "costed by"});
  Table worth({"model", "detail", "access", "needs", "phase", "portable", "accuracy", "effort", "published error", "seen here"});
  for (const auto& s : o.models) {
    const ModelFacts& f = s.facts;
    what.add({word_of(f.model), f.title, f.block, f.costed_by});
    worth.add({word_of(f.model), f.detail, f.access, needs(f), f.phase, stars(f.portability), stars(f.accuracy), stars(f.effort),
               share(f.published_error), share(s.seen_error)});
  }
  std::string text = what.text() + "\n" + worth.text() +
                     "(* low, ** medium, *** high; published: mean error due to the model alone, Papaefstathiou et al. 1994, table 7)\n";
  if (!o.best && (o.models.empty() || !o.models.front().usable))
    return text + "\nName a program to see which model fits it: perfcast models PROGRAM [--machine M]\n";
  text += fmt::format("\nFor {}{}\n", o.program.empty() ? "this program" : o.program, o.machine.empty() ? "" : " on " + o.machine);
  for (const auto& s : o.models)
    text += fmt::format("  {:<6} {}\n", word_of(s.facts.model), *s.usable ? "can be used" : "needs " + s.missing);
  return text + (o.best ? fmt::format("Best: {} ({})\n", word_of(*o.best), o.why) : "None of them can be used.\n");
}

}  // namespace perfcast::report

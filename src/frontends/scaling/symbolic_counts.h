// Counts as expressions: the vectors of a block's counts over all runs become exact forms, forms in a hidden variable,
// or shares of something exact; and every Count of a graph gets its expression and how sure it is.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "expr/reconstruct.h"
#include "record/profile.h"

namespace perfcast::scaling {

// All counts of a graph in a fixed order: of functions' calls, blocks, edges, loops.
struct CountPlace {
  Count* count = nullptr;
  int function = 0, block = -1;  // block -1: calls of the function, or a loop
  double weight = 0;             // instructions or operations per execution; 0 for edges, loops, calls
};
std::vector<CountPlace> counts_of(Graph& graph);

// Distinct vectors of counts are looked at once, whatever graphs they come from.
class CountForms {
 public:
  CountForms(std::vector<std::string> names, std::vector<std::vector<double>> points);

  // `values[k]`: the count in run k. Remembers it; `about` and `weight` say what it is worth.
  void add(const std::vector<double>& values, double weight, const std::string& about, bool may_hide);
  // Finds forms for all that was added.
  void solve();

  struct Form {
    std::string expression;
    Certainty certainty = Certainty::unknown;
    double spread = 0;      // relative, of laws
    int checks = 0;
    double from = 0;
  };
  const Form& of(const std::vector<double>& values) const;
  const std::vector<HiddenVariable>& hidden() const { return hidden_; }

 private:
  struct Entry {
    double weight = 0;
    std::string about;
    bool may_hide = false;
    Form form;
    bool solved = false;
  };
  void find_exact();
  void find_hidden();
  void find_laws();
  std::vector<expr::Scale> exact_scales() const;

  std::vector<std::string> names_;
  std::vector<std::vector<double>> points_;
  expr::Reconstructor reconstructor_;
  std::map<std::vector<double>, Entry> entries_;
  std::vector<HiddenVariable> hidden_;
};

}  // namespace perfcast::scaling

// An equation as people read it: the terms that matter, the sizes asked for, what it is sensitive to.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "record/equation.h"

namespace perfcast::report {

// "N=512, P=4".
std::string set_text(const std::map<std::string, double>& set);

struct EquationView {
  std::size_t rows = 12;
  std::string as = "text";  // or "latex", "c": the equation alone
};

// "below 12 us", and why there is no limit.
std::string startup_limit_text(const StaticAnswer& answer);
std::string optimum_text(const OptimumRecord& optimum);
std::string equation_text(const Equation& equation, const EquationView& view = {});
// Machines side by side, and the cheapest and the fastest offer.
std::string equations_text(const std::vector<Equation>& equations, const EquationView& view = {});

}  // namespace perfcast::report

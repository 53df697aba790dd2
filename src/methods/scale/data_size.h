// One number for how large a setting is, as memory feels it: the parameters weighted by the powers with which what the program
// touches grows in each of them. A side of a grid has all of the weight beside a number of steps; two sides have half each.
#pragma once

#include "expr/expr.h"
#include "methods/scale/scale.h"

namespace perfcast::scale {

struct DataSize {
  Setting recorded;
  std::map<std::string, double> weights;  // together 1; where nothing is known, all the same

  double factor(const Setting& set) const;  // times the recorded size; parameters that are not set stay
  expr::Expr expression() const;            // the parameter itself, where there is one
};

DataSize data_size(const Profile& profile);

}  // namespace perfcast::scale

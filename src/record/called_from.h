// Where the calls of functions come from, through all callers between. How much one call does is not known: all of a
// function's count alike.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "record/profile.h"

namespace perfcast {

// By function, the part of its calls that begin in functions that `origin` holds of: 1 for these themselves. Those without any
// are left out. Functions that nobody calls by name belong to those who call through pointers, or routines outside; main begins
// elsewhere.
std::map<std::string, double> called_from(const Graph& code, const std::function<bool(const Function&)>& origin);

// A function with all that it calls: the part of every function's calls that is its own, and how often it is begun, without
// calls out of itself.
struct CallTree {
  std::map<std::string, double> parts;
  double begun = 0;
};
CallTree call_tree(const Graph& code, const std::string& function);

}  // namespace perfcast

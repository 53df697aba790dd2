#include "record/called_from.h"

#include <set>
#include <string_view>
#include <vector>

namespace perfcast {
namespace {

// Who calls a function, and what part of its calls; the origin and the code elsewhere stand for all that begins there.
constexpr int from_origin = -1, from_elsewhere = -2;
using Callers = std::map<int, double>;

Callers of_all(Callers callers) {
  double all = 0;
  for (const auto& [caller, calls] : callers) all += calls;
  for (auto& [caller, calls] : callers) calls /= all;
  return callers;
}

// What the system calls: its callers are nowhere in the code.
bool begins_by_itself(const Function& function) {
  return function.library || function.name == "main" || function.name == "_QQmain" || function.name.starts_with("_GLOBAL__") || function.name.starts_with("__cxx_global") ||
         function.name.starts_with("_start") || function.name.starts_with("_init") || function.name.starts_with("_fini");
}
// Programs call a routine of a library by its name, other libraries through a stub, and so did the program that was traced: the
// stub's callers are the routine's, its own call is not another one.
constexpr std::string_view stub = "@plt";
std::string routine_of(const std::string& callee) { return callee.ends_with(stub) ? callee.substr(0, callee.size() - stub.size()) : callee; }

// The loader and the thread library call routines for themselves when they start, seldom and with little to do.
bool starts_programs(const Function& function) {
  return function.library && (function.library_name.starts_with("libomp") || function.library_name.starts_with("libgomp") || function.library_name.starts_with("ld-linux"));
}
bool of_the_thread_library(const std::string& callee) { return callee.starts_with("__kmpc_") || callee.starts_with("omp_") || callee.starts_with("GOMP_"); }

// The calls each function gets of the others, by number; its own do not count. Where no call was counted all places are alike. A
// function of the program that nobody calls by name is called through pointers, by those who call so; where nobody does, by the
// routines outside that are called, as qsort calls its comparison.
std::vector<Callers> callers_in(const Graph& code, const std::function<bool(const Function&)>& origin) {
  std::map<std::string, int> number;
  for (std::size_t i = 0; i < code.functions.size(); i++) number.emplace(code.functions[i].name, static_cast<int>(i));
  std::vector<Callers> counted(code.functions.size()), places(code.functions.size());
  Callers through_pointers, outside;
  for (const Function& function : code.functions) {
    if (starts_programs(function)) continue;
    for (const Block& block : function.blocks)
      for (const Call& call : block.calls) {
        const std::string routine = routine_of(call.callee);
        const auto callee = number.find(number.contains(routine) ? routine : call.callee);
        if (routine == routine_of(function.name)) continue;
        const int caller = origin(function) ? from_origin : number.at(function.name);
        if (callee == number.end()) {
          if (const double calls = block.count.value * call.per_execution; calls > 0 && !of_the_thread_library(call.callee))
            (call.callee == "*" ? through_pointers : outside)[caller] += calls;
          continue;
        }
        places[static_cast<std::size_t>(callee->second)][caller] += 1;
        if (const double calls = block.count.value * call.per_execution; calls > 0) counted[static_cast<std::size_t>(callee->second)][caller] += calls;
      }
  }
  for (std::size_t i = 0; i < counted.size(); i++) {
    if (origin(code.functions[i])) counted[i] = {{from_origin, 1}};
    else if (const Callers& unnamed = through_pointers.empty() ? outside : through_pointers; places[i].empty() && !unnamed.empty() && !begins_by_itself(code.functions[i]))
      counted[i] = of_all(unnamed);
    else if (places[i].empty()) counted[i] = {{from_elsewhere, 1}};
    else counted[i] = of_all(counted[i].empty() ? places[i] : counted[i]);
  }
  return counted;
}

}  // namespace

std::map<std::string, double> called_from(const Graph& code, const std::function<bool(const Function&)>& origin) {
  std::map<std::string, double> parts;
  // One after the other, each caller is replaced by its own callers, until all calls begin in the origin or elsewhere.
  // Functions that call each other and that nobody else calls are elsewhere.
  std::vector<Callers> callers = callers_in(code, origin);
  std::vector<std::set<std::size_t>> callees(callers.size());
  auto add = [&](std::size_t callee, int caller, double part) {
    callers[callee][caller] += part;
    if (caller >= 0) callees[static_cast<std::size_t>(caller)].insert(callee);
  };
  for (std::size_t i = 0; i < callers.size(); i++)
    for (const auto& [caller, part] : callers[i]) add(i, caller, 0);
  for (std::size_t i = 0; i < callers.size(); i++) {
    callers[i].erase(static_cast<int>(i)), callees[i].erase(i);
    callers[i] = callers[i].empty() ? Callers{{from_elsewhere, 1}} : of_all(callers[i]);
    for (const std::size_t callee : callees[i]) {
      const double through = callers[callee].at(static_cast<int>(i));
      callers[callee].erase(static_cast<int>(i));
      for (const auto& [caller, part] : callers[i]) add(callee, caller, through * part);
    }
  }
  for (std::size_t i = 0; i < callers.size(); i++)
    if (const auto part = callers[i].find(from_origin); part != callers[i].end() && part->second > 0)
      parts[code.functions[i].name] = callers[i].contains(from_elsewhere) ? part->second : 1;
  return parts;
}

CallTree call_tree(const Graph& code, const std::string& function) {
  CallTree tree{called_from(code, [&](const Function& f) { return f.name == function; }), 0};
  for (const Function& f : code.functions) {
    if (f.name == function) tree.begun += f.calls.value;
    const auto part = tree.parts.find(f.name);
    if (part == tree.parts.end()) continue;
    for (const Block& block : f.blocks)
      for (const Call& call : block.calls)
        if (call.callee == function) tree.begun -= part->second * block.count.value * call.per_execution;
  }
  return tree;
}

}  // namespace perfcast

// The operations of expressions (Saavedra tables 4.2-4.5): by type, precision and storage of the operands.
#include <algorithm>

#include "frontends/flang/walker.h"

namespace perfcast::flang {

using Kind = Expr::Kind;

std::string type_code(const Type& type) {
  switch (type.category) {
    case Category::integer:
      return type.kind == 1 ? "IB" : type.kind == 2 ? "IH" : type.kind == 4 ? "IS" : "IL";
    case Category::logical: return "IS";
    case Category::real:
    case Category::complex: return type.kind <= 4 ? "RS" : "RD";
    default: return "";
  }
}

// Integers narrower than 32 bits are computed as such; only what changes register or representation has a name.
std::string conversion_name(const Type& from, const Type& to) {
  auto simple = [](const Type& type) {
    std::string code = type_code(type);
    return code == "IB" || code == "IH" ? std::string("IS") : code;
  };
  std::string a = simple(from), b = simple(to);
  if (a.empty() || b.empty() || a == b) return "";
  if (a == "IL" && b[0] == 'R') a = "IS";
  if (b == "IL" && a[0] == 'R') b = "IS";
  return "V" + a + b;
}

void Walker::add(const std::string& operation, double times) {
  if (!operation.empty() && times != 0) work_.back().usage[operation] += times;
}

void Walker::add_typed(char operation, const Type& type, bool global, double times) {
  auto code = type_code(type);
  if (code.empty()) return;
  add(operation + code + (global ? "G" : "L"), times * (type.category == Category::complex ? 2 : 1));
}

bool Walker::is_global(const Expr& e) {
  if (e.kind == Kind::operation && e.name == "convert") return is_global(e.parts[0]);
  return e.global;
}

bool Walker::is_plain(const Expr& e) {
  switch (e.kind) {
    case Kind::constant: case Kind::variable: case Kind::subscripted: case Kind::component: case Kind::part:
    case Kind::substring: case Kind::nothing: return true;
    case Kind::operation:
      return e.name == "convert" && conversion_name(e.parts[0].type, e.type).empty() && is_plain(e.parts[0]);
    default: return false;
  }
}

void Walker::value(const Expr& e) {
  switch (e.kind) {
    case Kind::constant: case Kind::nothing: return;
    case Kind::variable: case Kind::subscripted: case Kind::component: case Kind::part: case Kind::substring:
    case Kind::triplet: return place(e);
    case Kind::operation: return operation(e);
    case Kind::intrinsic: return intrinsic(e);
    case Kind::call: return call(e);
    case Kind::expansion:
      for (const auto& part : e.parts) value(part);
      return;
    case Kind::array: case Kind::implied_do: return evaluate_array(e);
    case Kind::structure:
      for (const auto& part : e.parts) {
        if (part.rank > 0) evaluate_array(part);
        else value(part), add_typed(is_plain(part) ? 'T' : 'S', part.type, false);
      }
      return;
  }
}

void Walker::place(const Expr& e) {
  switch (e.kind) {
    case Kind::subscripted: return subscripts(e, true);
    case Kind::component:
      place(e.parts[0]);
      if (e.indirect) add("DEREF");
      return;
    case Kind::part:
      return e.parts[0].rank > 0 ? array_operand(e.parts[0]) : value(e.parts[0]);
    case Kind::substring:
      place(e.parts[0]);
      for (std::size_t i = 1; i < e.parts.size(); i++) value(e.parts[i]);
      return;
    case Kind::variable:
      if (e.indirect) add("DEREF");
      return;
    case Kind::constant: case Kind::nothing: return;
    default: return value(e);
  }
}

// ARR1, ARR2, ARR3 by the dimensions; more are linear combinations of these (section 4.2.4). Indices known while
// compiling cost nothing. `element`: of a section, the bounds are computed once, outside.
void Walker::subscripts(const Expr& e, bool element) {
  place(e.parts[0]);
  bool known = !e.parts[0].indirect;
  in_index_++;
  for (std::size_t i = 1; i < e.parts.size(); i++) {
    const Expr& index = e.parts[i];
    known = known && index.kind == Kind::constant;
    if (index.kind == Kind::triplet)
      for (const auto& bound : index.parts) value(bound);
    else if (index.rank > 0) array_value(index);
    else value(index);
  }
  in_index_--;
  if (known || !element) return;
  for (std::size_t left = e.parts.size() - 1; left > 0;) {
    std::size_t now = std::min<std::size_t>(left, 3);
    add("ARR" + std::to_string(now));
    left -= now;
  }
}

void Walker::operation(const Expr& e) {
  if (e.name == "convert") return convert(e);
  if (e.name == "**") return power(e);
  bool global = false;
  for (const auto& part : e.parts) value(part), global = global || is_global(part);
  const Type& type = e.type;
  const Type& operand = e.parts[0].type;
  bool integer = type.category == Category::integer, complex = type.category == Category::complex;
  Type element{Category::real, type.kind};
  if (e.name == "compare") {
    if (operand.category == Category::character) add("memcmp");
    else add_typed('C', operand, global);
  } else if (e.name == "and" || e.name == "not") {
    add(global ? "ANDG" : "ANDL");
  } else if (e.name == "+" || e.name == "-" || e.name == "neg") {
    if (in_index_ && integer) return add("IADD");  // folded into the address (section 6.3)
    add_typed(e.name == "neg" ? 'N' : 'A', type, global);
  } else if (e.name == "*") {
    add_typed('M', complex ? element : type, global, complex ? 4 : 1);
    if (complex) add_typed('A', element, global, 2);
  } else if (e.name == "/") {  // of complex numbers: about twice a product, and two divisions
    add_typed('D', complex ? element : type, global, complex ? 2 : 1);
    if (complex) add_typed('M', element, global, 6), add_typed('A', element, global, 3);
  } else if (e.name == "min") {
    if (type.category == Category::character) add("memcmp");
    else add_typed('C', type, global);
  } else if (e.name == "concat") {
    add("memmove", 2);
  }
}

// X ** I is E, X ** Y is X; of integers a square is E and any other power X (section 4.2.2).
void Walker::power(const Expr& e) {
  const Expr &base = e.parts[0], &exponent = e.parts[1];
  value(base), value(exponent);
  bool global = is_global(base) || is_global(exponent);
  if (e.type.category == Category::complex) return add(e.type.kind <= 4 ? "cpowf" : "cpow");
  if (e.type.category == Category::integer) return add_typed(exponent.value == 2 ? 'E' : 'X', e.type, global);
  add_typed(exponent.type.category == Category::integer ? 'E' : 'X', e.type, global);
}

void Walker::convert(const Expr& e) {
  value(e.parts[0]);
  if (in_index_ && e.type.category == Category::integer && e.parts[0].type.category == Category::integer) return;
  add(conversion_name(e.parts[0].type, e.type), e.type.category == Category::complex ? 2 : 1);
}

void Walker::store(const Expr& target, const Expr& source) {
  value(source);
  place(target);
  bool global = is_global(target);
  if (target.type.category == Category::character) return add("memmove");
  if (target.type.category == Category::derived) {
    if (source.kind != Kind::structure) add("COPY", std::max(1, (target.type.kind + 7) / 8));
    return;
  }
  add_typed(is_plain(source) ? 'T' : 'S', target.type, global);
}

void Walker::call(const Expr& e) {
  OpenCall made;
  made.callee = made.routine = e.name;
  arguments(e, made.as_procedure);
  made.as_procedure["PROC"] += 1;
  for (const auto& [operation, times] : made.as_procedure) add(operation, times);
  work_.back().calls.push_back({e.name, 1});
  if (e.name != "*") work_.back().open.push_back(std::move(made));
}

// All arguments go by reference; values that were computed are put into memory for it.
void Walker::arguments(const Expr& e, std::map<std::string, double>& loads) {
  for (const auto& argument : e.parts) {
    if (argument.kind == Kind::nothing) continue;
    int outer = std::exchange(in_index_, 0);
    if (argument.rank > 0) {
      if (is_plain(argument)) argument.kind == Kind::subscripted ? subscripts(argument, false) : place(argument);
      else evaluate_array(argument);
    } else {
      value(argument);
      if (!is_plain(argument)) add_typed('S', argument.type, false);
    }
    in_index_ = outer;
    auto code = type_code(argument.type);
    loads[code == "RS" ? "AGRS" : code == "RD" ? "AGRD" : "AGIS"] += 1;
  }
}

}  // namespace perfcast::flang

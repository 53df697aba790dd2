// Intrinsic procedures: those of table 4.6 by precision, those that are an operator in disguise as that operator, the
// others as library routines by name.
#include <set>

#include "frontends/flang/walker.h"

namespace perfcast::flang {
namespace {

// Specific names of FORTRAN 77 and their generic ones.
const std::map<std::string, std::string>& generic_names() {
  static const std::map<std::string, std::string> names = {
      {"alog", "log"},     {"dlog", "log"},     {"clog", "log"},     {"dexp", "exp"},    {"cexp", "exp"},
      {"dsqrt", "sqrt"},   {"csqrt", "sqrt"},   {"dsin", "sin"},     {"csin", "sin"},    {"dcos", "cos"},
      {"ccos", "cos"},     {"dtan", "tan"},     {"alog10", "log10"}, {"dlog10", "log10"}, {"datan", "atan"},
      {"datan2", "atan2"}, {"dasin", "asin"},   {"dacos", "acos"},   {"dsinh", "sinh"},  {"dcosh", "cosh"},
      {"dtanh", "tanh"},   {"iabs", "abs"},     {"dabs", "abs"},     {"cabs", "abs"},    {"amod", "mod"},
      {"dmod", "mod"},     {"isign", "sign"},   {"dsign", "sign"},   {"idim", "dim"},    {"ddim", "dim"},
      {"max0", "max"},     {"amax1", "max"},    {"dmax1", "max"},    {"amax0", "max"},   {"max1", "max"},
      {"min0", "min"},     {"amin1", "min"},    {"dmin1", "min"},    {"amin0", "min"},   {"min1", "min"},
      {"idnint", "nint"},  {"dnint", "anint"},  {"dint", "aint"},    {"lshift", "shiftl"}, {"rshift", "shiftr"},
      {"and", "iand"},     {"or", "ior"},       {"xor", "ieor"},     {"dconjg", "conjg"}};
  return names;
}

const std::map<std::string, std::string>& in_the_paper() {
  static const std::map<std::string, std::string> names = {
      {"exp", "EXP"}, {"log", "LOG"}, {"sin", "SIN"}, {"tan", "TAN"}, {"sqrt", "SQR"}};
  return names;
}

// Answered from a descriptor or while compiling.
bool is_free(const std::string& name) {
  static const std::set<std::string> names = {
      "size", "shape", "lbound", "ubound", "len", "kind", "rank", "bit_size", "digits", "epsilon", "huge", "tiny",
      "precision", "range", "maxexponent", "minexponent", "radix", "selected_int_kind", "selected_real_kind", "real",
      "aimag", "imag", "cmplx", "dcmplx", "ichar", "iachar", "char", "achar", "loc", "c_loc", "storage_size", "int",
      "dble", "float", "sngl", "logical", "null", "is_contiguous", "__builtin_ieee_is_nan", "transfer"};
  return names.count(name) > 0;
}

}  // namespace

void Walker::routine(const Expr& e, const std::string& name) {
  for (const auto& part : e.parts) part.rank > 0 ? evaluate_array(part) : value(part);
  add(name);
}

void Walker::intrinsic(const Expr& e) {
  auto known = generic_names().find(e.name);
  const std::string& name = known == generic_names().end() ? e.name : known->second;
  if (reduction(e)) return;
  const Expr nothing;
  const Expr& first = e.parts.empty() ? nothing : e.parts[0];
  const Type type = first.type.category == Category::none ? e.type : first.type;
  bool complex = type.category == Category::complex, integer = type.category == Category::integer;
  bool single = type.kind <= 4;
  auto operands = [&] {
    bool global = false;
    for (const auto& part : e.parts) {
      part.rank > 0 ? evaluate_array(part) : value(part);
      global = global || is_global(part);
    }
    return global;
  };
  if (is_free(name)) {
    operands();
    if (name == "real" || name == "int" || name == "dble" || name == "float" || name == "sngl")
      add(conversion_name(complex ? Type{Category::real, type.kind} : type, e.type));
    return;
  }
  if (auto paper = in_the_paper().find(name); paper != in_the_paper().end() && !complex) {
    operands();
    return add(paper->second + (single ? "S" : "D"));
  }
  if (complex && name != "abs" && name != "conjg") return routine(e, "c" + name + (single ? "f" : ""));
  if (name == "abs") {
    bool global = operands();
    if (complex) add(single ? "hypotf" : "hypot");
    else if (integer) add_typed('C', type, global), add_typed('N', type, global);
    else add(single ? "fabsf" : "fabs");
  } else if (name == "mod" || name == "modulo") {
    bool global = operands();
    if (integer) add_typed('R', type, global);
    else add(single ? "fmodf" : "fmod");
    if (name == "modulo") add_typed('C', type, global), add_typed('A', type, global);
  } else if (name == "max" || name == "min") {
    bool global = operands();
    if (type.category == Category::character) add("memcmp", static_cast<double>(e.parts.size()) - 1);
    else add_typed('C', e.type, global, static_cast<double>(e.parts.size()) - 1);
  } else if (name == "sign" || name == "conjg") {
    bool global = operands();
    Type part{complex ? Category::real : type.category, type.kind};
    add_typed('N', part, global);
    if (name == "sign") add_typed('C', part, global);
  } else if (name == "dim") {
    bool global = operands();
    add_typed('A', type, global), add_typed('C', type, global);
  } else if (name == "dprod") {
    bool global = operands();
    add("VRSRD", 2), add_typed('M', e.type, global);
  } else if (name == "nint" || name == "aint" || name == "anint") {
    bool global = operands();
    Type whole{Category::integer, 4};
    if (name != "aint") add_typed('A', type, global);
    add(conversion_name(type, whole));
    if (name != "nint") add(conversion_name(whole, type));
  } else if (name == "floor" || name == "ceiling") {
    routine(e, (name == "floor" ? "floor" : "ceil") + std::string(single ? "f" : ""));
  } else if (name == "iand" || name == "ior" || name == "ieor" || name == "not" || name == "btest" || name == "ibset" ||
             name == "ibclr" || name == "popcnt" || name == "poppar" || name == "leadz" || name == "trailz" || name == "ibits") {
    bool global = operands();
    add_typed('B', type, global, name[0] == 'b' || name == "ibset" || name == "ibclr" ? 2 : 1);
  } else if (name == "ishft" || name == "ishftc" || name == "shiftl" || name == "shiftr" || name == "shifta") {
    bool global = operands();
    add_typed('H', type, global);
  } else if (name == "merge") {
    operands();
    add("BRAN");
  } else if (name == "present" || name == "allocated" || name == "associated") {
    add("CISL");
  } else if (type.category == Category::real && e.type.category == Category::real && first.rank == 0) {
    routine(e, name + (single ? "f" : ""));  // atan, cosh, erf...
  } else {
    routine(e, name);
  }
}

// Functions of whole arrays, as the loop they are.
bool Walker::reduction(const Expr& e) {
  static const std::map<std::string, int> kinds = {
      {"sum", 'A'}, {"product", 'M'}, {"maxval", 'C'}, {"minval", 'C'}, {"maxloc", 'C'}, {"minloc", 'C'}, {"count", 'K'},
      {"any", 'B'}, {"all", 'B'},     {"dot_product", 'P'}, {"matmul", 'Q'}, {"transpose", 'T'}, {"reshape", 'T'},
      {"spread", 'T'}, {"cshift", 'T'}, {"eoshift", 'T'}, {"pack", 'T'}, {"norm2", 'S'}};
  auto kind = kinds.find(e.name);
  if (kind == kinds.end() || e.parts.empty()) return false;
  bool global = is_global(e.parts[0]);
  for (const auto& part : e.parts) part.rank > 0 ? evaluate_array(part) : value(part);
  auto n = e.parts[0].elements;
  if (!n && e.parts[0].kind == Expr::Kind::operation)
    for (const auto& part : e.parts[0].parts) n = n ? n : part.elements;
  if (kind->second == 'Q' && e.parts.size() > 1) {
    const Expr &left = e.parts[0], &right = e.parts[1];
    if (!left.extents.empty() && right.elements && left.extents.back() > 0)
      n = *left.elements * *right.elements / left.extents.back();
    else n = std::nullopt;
  }
  const Type& type = e.parts[0].type;
  const std::string reference = "ARR" + std::to_string(std::min(3, std::max(1, e.parts[0].rank)));
  each_element(n, [&] {
    add(reference);
    switch (kind->second) {
      case 'K': add("BRAN"); break;
      case 'B': add("BRAN"); break;
      case 'P':
      case 'Q': add(reference), add_typed('M', type, global), add_typed('A', type, global); break;
      case 'S': add_typed('M', type, global), add_typed('A', type, global); break;
      case 'T': add(reference), add_typed('T', type, global); break;
      default: add_typed(static_cast<char>(kind->second), type, global);
    }
  }, e.name);
  return true;
}

}  // namespace perfcast::flang

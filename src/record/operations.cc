#include "record/operations.h"

#include <unordered_map>

namespace perfcast {
namespace {

using Group = OperationGroup;

struct Named {
  const char* code;
  const char* words;
};

constexpr Named paper_types[] = {{"RS", "single reals"}, {"RD", "double reals"}, {"IS", "32-bit integers"}};
constexpr Named c_integers[] = {{"IB", "8-bit integers"},           {"IH", "16-bit integers"},
                                {"IL", "64-bit integers"},          {"UB", "8-bit unsigned integers"},
                                {"UH", "16-bit unsigned integers"}, {"US", "32-bit unsigned integers"},
                                {"UL", "64-bit unsigned integers"}};
constexpr Named paper_operations[] = {{"S", "store"},         {"A", "add or subtract"}, {"M", "multiply"}, {"D", "divide"},
                                      {"E", "integer power"}, {"X", "real power"},      {"T", "memory transfer of"}};
constexpr Named c_integer_operations[] = {{"S", "store"},  {"A", "add or subtract"}, {"M", "multiply"},
                                          {"D", "divide"}, {"R", "remainder of"},    {"B", "and, or, xor, not of"},
                                          {"H", "shift"},  {"N", "negate"},          {"C", "compare"},
                                          {"T", "memory transfer of"}};
constexpr Named storages[] = {{"L", "local"}, {"G", "global"}};

class Builder {
 public:
  std::vector<SourceOperationKind> all;
  void add(std::string name, std::string meaning, Group group, const char* languages, bool in_paper = false) {
    std::string in = languages;
    all.push_back({std::move(name), std::move(meaning), group, in.find('f') != in.npos, in.find('c') != in.npos,
                   in.find('+') != in.npos, in_paper});
  }
};

void add_paper(Builder& b) {
  for (auto& storage : storages)
    for (auto& type : paper_types)
      for (auto& operation : paper_operations) {
        // C has no power operators; pow and friends are library routines there.
        bool power = *operation.code == 'E' || *operation.code == 'X';
        b.add(std::string(operation.code) + type.code + storage.code,
              std::string(operation.words) + " " + storage.words + " " + type.words, Group::arithmetic,
              power ? "f" : "fc+", true);
      }
  for (auto& storage : storages) {
    b.add(std::string("AND") + storage.code, std::string("and, or of ") + storage.words + " logicals", Group::logical, "f",
          true);
    for (auto& type : paper_types)
      b.add(std::string("C") + type.code + storage.code, std::string("compare ") + storage.words + " " + type.words,
            Group::logical, "fc+", true);
  }
  b.add("PROC", "call a procedure and return", Group::call, "fc+", true);
  b.add("AGRS", "load a single real argument", Group::call, "fc+", true);
  b.add("AGRD", "load a double real argument", Group::call, "fc+", true);
  b.add("AGIS", "load an integer argument", Group::call, "fc+", true);
  b.add("ARR1", "reference an array element, 1 dimension", Group::array, "fc+", true);
  b.add("ARR2", "reference an array element, 2 dimensions", Group::array, "fc+", true);
  b.add("ARR3", "reference an array element, 3 dimensions", Group::array, "fc+", true);
  b.add("IADD", "add inside an array index", Group::array, "fc+", true);
  b.add("GOTO", "go to", Group::control, "fc+", true);
  b.add("GCOM", "computed go to", Group::control, "f", true);
  b.add("LOIN", "start a loop with step 1", Group::control, "fc+", true);
  b.add("LOOV", "iterate a loop with step 1", Group::control, "fc+", true);
  b.add("LOIX", "start a loop with any step", Group::control, "f", true);
  b.add("LOOX", "iterate a loop with any step", Group::control, "f", true);
  for (auto& type : {Named{"S", "single"}, Named{"D", "double"}})
    for (auto& routine : {Named{"EXP", "exponential"}, Named{"LOG", "logarithm"}, Named{"SIN", "sine"},
                          Named{"TAN", "tangent"}, Named{"SQR", "square root"}})
      b.add(std::string(routine.code) + type.code, std::string(routine.words) + ", " + type.words, Group::intrinsic,
            "fc+", true);
}

void add_c(Builder& b) {
  for (auto& storage : storages) {
    for (auto& type : c_integers)
      for (auto& operation : c_integer_operations)
        b.add(std::string(operation.code) + type.code + storage.code,
              std::string(operation.words) + " " + storage.words + " " + type.words,
              *operation.code == 'C' ? Group::logical : Group::arithmetic, type.code == std::string("IL") ? "fc+" : "c+");
    for (auto& operation : {Named{"R", "remainder of"}, Named{"B", "and, or, xor, not of"}, Named{"H", "shift"},
                            Named{"N", "negate"}})
      b.add(std::string(operation.code) + "IS" + storage.code,
            std::string(operation.words) + " " + storage.words + " 32-bit integers", Group::arithmetic, "fc+");
    for (auto& type : {Named{"RS", "single reals"}, Named{"RD", "double reals"}})
      b.add(std::string("N") + type.code + storage.code, std::string("negate ") + storage.words + " " + type.words,
            Group::arithmetic, "fc+");
    for (auto& operation : {Named{"E", "integer power"}, Named{"X", "real power"}})
      b.add(std::string(operation.code) + "IL" + storage.code,
            std::string(operation.words) + " " + storage.words + " 64-bit integers", Group::arithmetic, "f");
    for (auto& operation : {Named{"S", "store"}, Named{"A", "add to or subtract"}, Named{"C", "compare"}, Named{"T", "memory transfer of"}})
      b.add(std::string(operation.code) + "PP" + storage.code,
            std::string(operation.words) + " " + storage.words + " pointers", Group::arithmetic, "c+");
  }
  b.add("VISRS", "convert integer to single real", Group::conversion, "fc+");
  b.add("VISRD", "convert integer to double real", Group::conversion, "fc+");
  b.add("VRSIS", "convert single real to integer", Group::conversion, "fc+");
  b.add("VRDIS", "convert double real to integer", Group::conversion, "fc+");
  b.add("VRSRD", "convert single to double real", Group::conversion, "fc+");
  b.add("VRDRS", "convert double to single real", Group::conversion, "fc+");
  b.add("VISIL", "widen an integer", Group::conversion, "fc+");
  b.add("VILIS", "narrow an integer", Group::conversion, "fc+");
  b.add("DEREF", "dereference a pointer", Group::memory, "fc+");
  b.add("MEMBER", "reach a member of a structure", Group::memory, "c+");
  b.add("ADDR", "take an address", Group::memory, "c+");
  b.add("COPY", "copy a structure, per 8 bytes", Group::memory, "fc+");
  b.add("ANDC", "short-circuit and, or", Group::logical, "c+");
  b.add("NOTC", "logical not", Group::logical, "c+");
  b.add("BRAN", "branch on a condition", Group::control, "fc+");
  b.add("COND", "conditional expression", Group::control, "c+");
  b.add("SWITCH", "switch", Group::control, "c+");
  b.add("CPTR", "call through a pointer", Group::call, "c+");
  b.add("CVIR", "virtual call", Group::call, "+");
  b.add("AGPP", "load a pointer argument, or one by reference", Group::call, "c+");
  b.add("AGIL", "load a 64-bit integer argument", Group::call, "c+");
  b.add("AGST", "load a structure argument, per 8 bytes", Group::call, "c+");
  b.add("THROW", "throw and catch an exception", Group::control, "+");
  for (auto name : {"pow", "log2", "exp2", "cbrt", "round", "trunc", "fmax", "fmin"})  // Fortran has operators, or none, for these
    b.add(name, std::string(name) + ", double", Group::library, "c+");
  for (auto name : {"atan", "atan2", "fabs", "floor", "ceil", "fmod", "cos", "acos", "asin", "sinh", "cosh", "tanh",
                    "log10", "hypot"})
    b.add(name, std::string(name) + ", double", Group::library, "fc+");
  for (auto name : {"powf", "log2f", "exp2f", "cbrtf", "roundf", "truncf", "fmaxf", "fminf"})
    b.add(name, std::string(name) + ", single", Group::library, "c+");
  for (auto name : {"atanf", "atan2f", "cosf", "acosf", "asinf", "sinhf", "coshf", "tanhf", "log10f", "hypotf", "fabsf",
                    "floorf", "ceilf", "fmodf"})
    b.add(name, std::string(name) + ", single", Group::library, "fc+");
  for (auto name : {"memcmp", "memmove"}) b.add(name, std::string("library routine ") + name, Group::library, "fc+");
  for (auto name : {"memcpy", "memset", "memchr", "strlen", "strcmp", "strncmp", "strcpy", "strncpy", "strchr", "malloc",
                    "free", "calloc", "realloc", "printf", "fprintf", "sprintf", "snprintf", "puts", "putchar", "rand", "qsort", "abs",
                    "isalpha", "tolower", "atoi", "strtol", "strtod"})
    b.add(name, std::string("library routine ") + name, Group::library, "c+");
  b.add("write", "write a line", Group::library, "f");
  b.add("allocate", "allocate an array", Group::library, "f");
  b.add("deallocate", "free an array", Group::library, "f");
  b.add("new", "allocate an object", Group::library, "+");
  b.add("delete", "free an object", Group::library, "+");
}

}  // namespace

const std::vector<SourceOperationKind>& source_operations() {
  static const std::vector<SourceOperationKind> all = [] {
    Builder builder;
    add_paper(builder);
    add_c(builder);
    return std::move(builder.all);
  }();
  return all;
}

const SourceOperationKind* find_operation(const std::string& name) {
  static const std::unordered_map<std::string, const SourceOperationKind*> index = [] {
    std::unordered_map<std::string, const SourceOperationKind*> map;
    for (const auto& operation : source_operations()) map[operation.name] = &operation;
    return map;
  }();
  auto it = index.find(name);
  return it == index.end() ? nullptr : it->second;
}

}  // namespace perfcast

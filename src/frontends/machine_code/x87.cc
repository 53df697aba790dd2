#include "frontends/machine_code/x87.h"

#include <regex>

namespace perfcast::machine_code {
namespace {

enum class Does { push, copy, store, store_register, exchange, top, top_and_next, into_next, compare, compare_next, into_top, into_register, twice, free, up, down };
struct Pattern {
  const char* opcode;
  Does does;
  int pops;
};

// The first that fits. Names are LLVM's: a P before the operands pops, FST0r works into the top, FrST0 into the operand.
constexpr Pattern patterns[] = {
    {"I?LD_F[0-9]+m|FBLDm|LD_F[01]|FLD(L2T|L2E|PI|LG2|LN2)", Does::push, 0},
    {"LD_Frr", Does::copy, 0},
    {"I?ST_F[0-9]+m", Does::store, 0},
    {"I?STT?_FP[0-9]+m|FBSTPm", Does::store, 1},
    {"ST_Frr", Does::store_register, 0},
    {"ST_FPrr", Does::store_register, 1},
    {"XCH_F", Does::exchange, 0},
    {"(SQRT|ABS|CHS)_F|FSIN|FCOS|FRNDINT|F2XM1|(ADD|MUL|SUBR?|DIVR?)_FI?[0-9]+m", Does::top, 0},
    {"FSCALE|FPREM1?", Does::top_and_next, 0},
    {"FYL2X(P1)?|FPATAN", Does::into_next, 1},
    {"FPTAN|FSINCOS|FXTRACT", Does::twice, 0},
    {"XAM_F|TST_F|FI?COM[0-9]+m", Does::compare, 0},
    {"FI?COMP[0-9]+m", Does::compare, 1},
    {"U?COM_(FI|F|FST0)r", Does::compare_next, 0},
    {"U?COM_(FIP|FP)r|COMP_FST0r", Does::compare_next, 1},
    {"UCOM_FPPr|FCOMPP", Does::compare_next, 2},
    {"(ADD|MUL|SUBR?|DIVR?)_FST0r|CMOV[A-Z]+_F", Does::into_top, 0},
    {"(ADD|MUL|SUBR?|DIVR?)_FrST0", Does::into_register, 0},
    {"(ADD|MUL|SUBR?|DIVR?)_FPrST0", Does::into_register, 1},
    {"FFREE", Does::free, 0},
    {"FINCSTP|FFREEP", Does::up, 1},
    {"FDECSTP", Does::down, 0},
};

X87Effect effect_of(Does does, int pops, int operand) {
  switch (does) {
    case Does::push: return {{}, {-1}, 1, pops};
    case Does::copy: return {{operand}, {-1}, 1, pops};
    case Does::store: return {{0}, {}, 0, pops};
    case Does::store_register: return {{0}, {operand}, 0, pops};
    case Does::exchange: return {{0, operand}, {0, operand}, 0, pops};
    case Does::top: return {{0}, {0}, 0, pops};
    case Does::top_and_next: return {{0, 1}, {0}, 0, pops};
    case Does::into_next: return {{0, 1}, {1}, 0, pops};
    case Does::compare: return {{0}, {}, 0, pops};
    case Does::compare_next: return {{0, operand}, {}, 0, pops};
    case Does::into_top: return {{0, operand}, {0}, 0, pops};
    case Does::into_register: return {{0, operand}, {operand}, 0, pops};
    case Does::twice: return {{0}, {0, -1}, 1, pops};
    case Does::free: case Does::up: return {{}, {}, 0, pops};
    case Does::down: return {{}, {}, 1, pops};
  }
  return {};
}

}  // namespace

X87Reading x87_effect(const std::string& opcode, int operand) {
  static const std::vector<std::pair<std::regex, const Pattern*>> compiled = [] {
    std::vector<std::pair<std::regex, const Pattern*>> made;
    for (const Pattern& pattern : patterns) made.emplace_back(std::regex(pattern.opcode), &pattern);
    return made;
  }();
  for (const auto& [expression, pattern] : compiled)
    if (std::regex_match(opcode, expression)) return {true, effect_of(pattern->does, pattern->pops, operand)};
  return {};
}

}  // namespace perfcast::machine_code

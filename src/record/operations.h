// The vocabulary of source operations: Saavedra's abstract machine (tables 4.2-4.6) and what C and C++ add.
//
// Arithmetic names are OPERATION TYPE STORAGE, as in the paper: ARSL adds single reals held locally.
//   operation  S store (assignment of a computed value)  A add, subtract  M multiply  D divide
//              E integer power  X real power  T memory transfer (assignment of a plain variable or constant)
//              C compare; and for C and C++  R remainder  B and, or, xor, not  H shift  N negate
//   type       RS RD single and double real; IS integer of 32 bits; for C and C++ also IB IH IL (8, 16, 64 bits),
//              unsigned UB UH US UL, P (as PP) pointer arithmetic
//   storage    L local, G global (COMMON, static, extern, module)
// Conversions are V + from + to: VISRD. Library routines are their C or Fortran name: "sin", "memcpy", "malloc".
#pragma once

#include <string>
#include <vector>

namespace perfcast {

enum class OperationGroup { arithmetic, logical, control, array, intrinsic, conversion, memory, call, library };

struct SourceOperationKind {
  std::string name, meaning;
  OperationGroup group;
  bool fortran = false, c = false, cxx = false;  // languages it is measured for
  bool in_paper = false;                         // one of the 74 of tables 4.2-4.6
};

// All of them, in the paper's order first.
const std::vector<SourceOperationKind>& source_operations();
// nullptr when there is no operation of this name.
const SourceOperationKind* find_operation(const std::string& name);

}  // namespace perfcast

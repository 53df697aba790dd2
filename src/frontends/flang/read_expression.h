// Flang's typed expressions become plain ones. Included only by the files that see Flang's headers.
#pragma once

#include "flang/Evaluate/expression.h"
#include "flang/Evaluate/fold.h"
#include "flang/Evaluate/shape.h"
#include "flang/Evaluate/tools.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"
#include "frontends/flang/tree.h"

namespace perfcast::flang {

// The name Flang gives a procedure in object code; "*" for one that is only known while running.
std::string linkage_name(const Fortran::semantics::Symbol& symbol);

class ExpressionReader {
 public:
  explicit ExpressionReader(Fortran::evaluate::FoldingContext& folding) : folding_(folding) {}
  Expr read(const Fortran::evaluate::Expr<Fortran::evaluate::SomeType>& expression);
  Expr read_call(const Fortran::evaluate::ProcedureRef& call);

 private:
  Fortran::evaluate::FoldingContext& folding_;
};

}  // namespace perfcast::flang

#include "frontends/clang_ast/meaning.h"

#include <clang/AST/StmtVisitor.h>

#include <algorithm>
#include <cmath>

namespace perfcast::clang_ast {

using namespace clang;

std::string type_code(const ASTContext& context, QualType type) {
  if (type.isNull() || type->isDependentType()) return {};
  type = type.getNonReferenceType().getCanonicalType();
  if (auto* atomic = type->getAs<AtomicType>()) type = atomic->getValueType().getCanonicalType();
  if (auto* complex = type->getAs<ComplexType>()) type = complex->getElementType().getCanonicalType();
  if (type->isAnyPointerType() || type->isNullPtrType() || type->isMemberPointerType() || type->isBlockPointerType() ||
      type->isArrayType() || type->isFunctionType())
    return "PP";
  if (type->isRealFloatingType()) return context.getTypeSize(type) <= 32 ? "RS" : "RD";
  if (auto* enumeration = type->getAs<EnumType>()) {
    if (!enumeration->getDecl()->isComplete()) return "IS";
    type = enumeration->getDecl()->getIntegerType().getCanonicalType();
  }
  if (!type->isIntegralOrEnumerationType() || type->isIncompleteType()) return {};
  auto bits = context.getTypeSize(type);
  std::string sign = type->isSignedIntegerOrEnumerationType() ? "I" : "U";
  return sign + (bits <= 8 ? "B" : bits <= 16 ? "H" : bits <= 32 ? "S" : "L");
}

namespace {
bool is_real(const std::string& code) { return code == "RS" || code == "RD"; }
int integer_width(const std::string& code) {  // rank, not bits
  return std::string("BHSL").find(code[1]) == std::string::npos ? 4 : static_cast<int>(std::string("BHSL").find(code[1]));
}
}  // namespace

std::string conversion_name(const std::string& from, const std::string& to) {
  if (from.empty() || to.empty() || from == to || from == "PP" || to == "PP") return {};
  if (is_real(from) && is_real(to)) return "V" + from + to;
  if (is_real(from)) return "V" + from + "IS";
  if (is_real(to)) return "VIS" + to;
  int change = integer_width(to) - integer_width(from);
  return change > 0 ? "VISIL" : change < 0 ? "VILIS" : "";
}

double eightbytes(const ASTContext& context, QualType type) {
  type = type.getNonReferenceType();
  if (type->isIncompleteType() || type->isDependentType() || type->isVariableArrayType()) return 1;
  if (auto* record = type->getAsCXXRecordDecl(); record && record->isEmpty()) return 0;
  return std::max(1.0, std::ceil(static_cast<double>(context.getTypeSizeInChars(type).getQuantity()) / 8));
}

const Expr* bare(const Expr* e) {
  for (;;) {
    const Expr* inner = e->IgnoreParens();
    if (auto* full = dyn_cast<FullExpr>(inner)) inner = full->getSubExpr();
    else if (auto* temporary = dyn_cast<MaterializeTemporaryExpr>(inner)) inner = temporary->getSubExpr();
    else if (auto* parameter = dyn_cast<SubstNonTypeTemplateParmExpr>(inner)) inner = parameter->getReplacement();
    else if (auto* cast = dyn_cast<CastExpr>(inner); cast && cast->getCastKind() == CK_NoOp) inner = cast->getSubExpr();
    else if (auto* list = dyn_cast<InitListExpr>(inner);
             list && list->getNumInits() == 1 && !list->getType()->isRecordType() && !list->getType()->isArrayType())
      inner = list->getInit(0);
    if (inner == e) return e;
    e = inner;
  }
}

namespace {
// Calls keep an expression from being folded without optimisation, even when it could be evaluated.
class HasCall : public ConstStmtVisitor<HasCall, bool> {
 public:
  bool VisitStmt(const Stmt* s) {
    return std::any_of(s->child_begin(), s->child_end(), [&](const Stmt* child) { return child && Visit(child); });
  }
  bool VisitUnaryExprOrTypeTraitExpr(const UnaryExprOrTypeTraitExpr*) { return false; }
  bool VisitCallExpr(const CallExpr* call) {
    auto* callee = call->getDirectCallee();
    return !callee || !callee->getBuiltinID() || VisitStmt(call);
  }
  bool VisitCXXConstructExpr(const CXXConstructExpr*) { return true; }
  bool VisitLambdaExpr(const LambdaExpr*) { return true; }
  bool VisitStmtExpr(const StmtExpr*) { return true; }
};
}  // namespace

bool is_constant(const ASTContext& context, const Expr* e) {
  if (e->isValueDependent() || e->isTypeDependent()) return false;
  e = bare(e);
  if (isa<IntegerLiteral, FloatingLiteral, CharacterLiteral, CXXBoolLiteralExpr, CXXNullPtrLiteralExpr, GNUNullExpr,
          StringLiteral>(e))
    return true;
  if (e->getType()->isVoidType() || e->isGLValue() || e->getType()->isRecordType()) return false;
  Expr::EvalResult result;
  if (!e->EvaluateAsRValue(result, context) || result.HasSideEffects) return false;
  return !HasCall().Visit(e);
}

std::optional<bool> constant_condition(const ASTContext& context, const Expr* condition) {
  // The compiler folds conditions even through calls.
  Expr::EvalResult result;
  if (condition->isValueDependent() || !condition->EvaluateAsRValue(result, context) || result.HasSideEffects) return {};
  bool value = false;
  if (!condition->EvaluateAsBooleanCondition(value, context)) return {};
  return value;
}

bool is_plain(const ASTContext& context, const Expr* e) {
  e = bare(e);
  if (is_constant(context, e)) return true;
  if (auto* cast = dyn_cast<CastExpr>(e)) {
    switch (cast->getCastKind()) {
      case CK_LValueToRValue: case CK_BitCast: case CK_ArrayToPointerDecay: case CK_FunctionToPointerDecay:
      case CK_IntegralToPointer: case CK_PointerToIntegral: case CK_DerivedToBase: case CK_UncheckedDerivedToBase:
      case CK_LValueBitCast: case CK_NullToPointer: case CK_AtomicToNonAtomic: case CK_NonAtomicToAtomic:
        return is_plain(context, cast->getSubExpr());
      case CK_IntegralCast:
        return conversion_name(type_code(context, cast->getSubExpr()->getType()), type_code(context, cast->getType()))
                   .empty() && is_plain(context, cast->getSubExpr());
      default: return false;
    }
  }
  if (auto* unary = dyn_cast<UnaryOperator>(e))
    return unary->getOpcode() == UO_Deref || unary->getOpcode() == UO_Extension || unary->getOpcode() == UO_AddrOf;
  return isa<DeclRefExpr, ArraySubscriptExpr, MemberExpr, CXXThisExpr, StringLiteral, PredefinedExpr,
             CompoundLiteralExpr>(e);
}

bool is_global(const Expr* e) {
  for (;;) {
    e = bare(e);
    if (auto* reference = dyn_cast<DeclRefExpr>(e)) {
      if (auto* binding = dyn_cast<BindingDecl>(reference->getDecl())) {
        if (!binding->getBinding()) return false;
        e = binding->getBinding();
        continue;
      }
      auto* variable = dyn_cast<VarDecl>(reference->getDecl());
      return variable && variable->hasGlobalStorage();
    }
    if (auto* member = dyn_cast<MemberExpr>(e)) {
      if (auto* variable = dyn_cast<VarDecl>(member->getMemberDecl())) return variable->hasGlobalStorage();
      e = member->getBase();
    } else if (auto* subscript = dyn_cast<ArraySubscriptExpr>(e)) {
      e = subscript->getBase();
    } else if (auto* unary = dyn_cast<UnaryOperator>(e)) {
      auto code = unary->getOpcode();
      if (code != UO_Deref && code != UO_AddrOf && code != UO_Extension && !unary->isIncrementDecrementOp()) return false;
      e = unary->getSubExpr();
    } else if (auto* cast = dyn_cast<CastExpr>(e)) {
      e = cast->getSubExpr();
    } else if (auto* binary = dyn_cast<BinaryOperator>(e)) {
      if (binary->isAssignmentOp()) e = binary->getLHS();
      else if (binary->getOpcode() == BO_Comma) e = binary->getRHS();
      else if (binary->getType()->isPointerType()) e = binary->getLHS()->getType()->isPointerType() ? binary->getLHS() : binary->getRHS();
      else return false;
    } else {
      return false;
    }
  }
}

std::pair<std::string, double> argument_load(const ASTContext& context, QualType type) {
  if (type->isReferenceType()) return {"AGPP", 1};
  if (auto* record = type->getAsCXXRecordDecl(); record && record->hasDefinition() && !record->canPassInRegisters())
    return {"AGPP", 1};
  if (type->isRecordType() || type->isVectorType()) return {"AGST", eightbytes(context, type)};
  double parts = type->isAnyComplexType() ? 2 : 1;
  auto code = type_code(context, type);
  if (code == "PP" || code == "RS" || code == "RD") return {"AG" + code, parts};
  if (code.empty()) return {"AGST", 1};
  return {code[1] == 'L' ? "AGIL" : "AGIS", parts};
}

std::string routine_name(const std::string& name) {
  static const std::pair<const char*, const char*> intrinsics[] = {
      {"exp", "EXP"}, {"log", "LOG"}, {"sin", "SIN"}, {"tan", "TAN"}, {"sqrt", "SQR"}};
  for (auto& [c, code] : intrinsics) {
    if (name == c) return std::string(code) + "D";
    if (name == std::string(c) + "f") return std::string(code) + "S";
  }
  return name;
}

double element_count(const ASTContext& context, QualType type) {
  auto* array = context.getAsConstantArrayType(type);
  return array ? static_cast<double>(context.getConstantArrayElementCount(array)) : 1;
}

}  // namespace perfcast::clang_ast

// Expressions: which operations they perform, and which parts are executed on their own condition.
#include <clang/AST/ExprConcepts.h>

#include "frontends/clang_ast/meaning.h"
#include "frontends/clang_ast/walker.h"

namespace perfcast::clang_ast {

using namespace clang;

void Walker::value(const Expr* e) {
  e = bare(e);
  if (is_constant(context_, e)) return;
  if (auto* x = dyn_cast<CXXRewrittenBinaryOperator>(e)) return value(x->getSemanticForm());
  if (auto* x = dyn_cast<BinaryOperator>(e)) return binary(x);
  if (auto* x = dyn_cast<UnaryOperator>(e)) return unary(x);
  if (auto* x = dyn_cast<CastExpr>(e)) return cast(x);
  if (auto* x = dyn_cast<CallExpr>(e)) return call(x);
  if (auto* x = dyn_cast<CXXConstructExpr>(e)) return construct(x);
  if (auto* x = dyn_cast<AbstractConditionalOperator>(e)) return conditional(x);
  if (auto* x = dyn_cast<CXXNewExpr>(e)) return new_object(x);
  if (auto* x = dyn_cast<CXXDeleteExpr>(e)) return delete_object(x);
  if (auto* x = dyn_cast<LambdaExpr>(e)) return lambda(x);
  if (auto* x = dyn_cast<CXXInheritedCtorInitExpr>(e)) return construct_inherited(x);
  if (auto* x = dyn_cast<InitListExpr>(e)) return initialise_list(x, false);
  if (auto* x = dyn_cast<CXXDefaultArgExpr>(e)) return value(x->getExpr());
  if (auto* x = dyn_cast<CXXDefaultInitExpr>(e)) return value(x->getExpr());
  if (auto* x = dyn_cast<CXXStdInitializerListExpr>(e)) return value(x->getSubExpr());
  if (auto* x = dyn_cast<GenericSelectionExpr>(e)) return value(x->getResultExpr());
  if (auto* x = dyn_cast<ChooseExpr>(e)) return value(x->getChosenSubExpr());
  if (auto* x = dyn_cast<PseudoObjectExpr>(e)) return value(x->getResultExpr());
  if (auto* x = dyn_cast<CompoundLiteralExpr>(e)) return initialise(x->getType(), x->getInitializer(), x->isFileScope());
  if (auto* x = dyn_cast<CXXBindTemporaryExpr>(e)) {
    value(x->getSubExpr());
    return destroy(x->getType());
  }
  if (auto* x = dyn_cast<StmtExpr>(e)) {
    int outer = block_;
    statement(x->getSubStmt());
    block_ = outer;
    return;
  }
  if (auto* x = dyn_cast<CXXThrowExpr>(e)) {
    add("THROW");
    if (x->getSubExpr()) initialise(x->getSubExpr()->getType(), x->getSubExpr(), false);
    return;
  }
  if (auto* x = dyn_cast<CXXTypeidExpr>(e)) {
    if (!x->isTypeOperand() && x->isPotentiallyEvaluated()) place(x->getExprOperand()), add("DEREF");
    return;
  }
  if (auto* x = dyn_cast<AtomicExpr>(e)) return atomic(x);
  if (auto* x = dyn_cast<VAArgExpr>(e)) {
    value(x->getSubExpr());
    return add("DEREF");
  }
  if (auto* x = dyn_cast<ArrayInitLoopExpr>(e)) {
    return add("COPY", eightbytes(context_, x->getType()));
  }
  if (auto* x = dyn_cast<CXXPseudoDestructorExpr>(e)) return value(x->getBase());
  if (isa<DeclRefExpr, MemberExpr, ArraySubscriptExpr>(e)) return place(e);
  if (isa<ImplicitValueInitExpr, CXXScalarValueInitExpr, OpaqueValueExpr, CXXThisExpr, UnaryExprOrTypeTraitExpr,
          StringLiteral, PredefinedExpr, NoInitExpr, SourceLocExpr, CXXNoexceptExpr, TypeTraitExpr, SizeOfPackExpr,
          OffsetOfExpr, AddrLabelExpr, RequiresExpr, ConceptSpecializationExpr, ImaginaryLiteral, ArrayInitIndexExpr,
          IntegerLiteral, FloatingLiteral, CharacterLiteral>(e))
    return;
  not_understood(e);
}

void Walker::place(const Expr* e) {
  e = bare(e);
  if (auto* x = dyn_cast<DeclRefExpr>(e)) return reference(x);
  if (auto* x = dyn_cast<ArraySubscriptExpr>(e)) return subscript(x);
  if (auto* x = dyn_cast<MemberExpr>(e)) return member(x);
  value(e);
  // A function that gives a reference gives an address: what it names must still be fetched.
  if (isa<CallExpr>(e) && e->isGLValue()) add("DEREF");
}

void Walker::reference(const DeclRefExpr* e) {
  const ValueDecl* declaration = e->getDecl();
  if (auto* binding = dyn_cast<BindingDecl>(declaration)) {
    if (binding->getBinding()) place(binding->getBinding());
    return;
  }
  if (auto* function = dyn_cast<FunctionDecl>(declaration)) return unit_.reach(function);  // its address is taken
  auto* variable = dyn_cast<VarDecl>(declaration);
  if (!variable) return;
  if (e->refersToEnclosingVariableOrCapture() && in_lambda_) add("DEREF"), add("MEMBER");
  if (variable->getType()->isReferenceType()) add("DEREF");
}

// ARR1, ARR2, ARR3 by the dimensions of one array; more are linear combinations of these (section 4.2.4).
void Walker::subscript(const ArraySubscriptExpr* e) {
  std::vector<const Expr*> indices;
  const Expr* base = e;
  while (true) {
    auto* level = dyn_cast<ArraySubscriptExpr>(bare(base));
    if (!level) break;
    indices.push_back(level->getIdx());
    base = bare(level->getBase());
    auto* decay = dyn_cast<CastExpr>(base);
    if (!decay || decay->getCastKind() != CK_ArrayToPointerDecay) break;
    base = decay->getSubExpr();
  }
  if (base->getType()->isVectorType() || base->getType()->isArrayType()) place(base);
  else value(base);
  bool known = true;  // all indices known while compiling: a plain address
  for (auto* index : indices) known = known && is_constant(context_, index);
  in_index_++;
  for (auto it = indices.rbegin(); it != indices.rend(); ++it) value(*it);
  in_index_--;
  if (known && base->getType()->isArrayType()) return;
  for (std::size_t left = indices.size(); left > 0;) {
    std::size_t now = std::min<std::size_t>(left, 3);
    add("ARR" + std::to_string(now));
    left -= now;
  }
}

void Walker::member(const MemberExpr* e) {
  if (isa<VarDecl>(e->getMemberDecl())) return value(e->getBase());  // a static member
  if (auto* method = dyn_cast<CXXMethodDecl>(e->getMemberDecl())) {
    e->isArrow() ? value(e->getBase()) : place(e->getBase());
    return unit_.reach(method);
  }
  if (e->isArrow()) value(e->getBase()), add("DEREF");
  else place(e->getBase());
  add("MEMBER");
  if (e->getMemberDecl()->getType()->isReferenceType()) add("DEREF");
}

namespace {
// Its value is already a truth, no comparison with zero is needed.
bool is_truth(const Expr* e) {
  e = bare(e);
  if (e->getType()->isBooleanType()) return true;
  if (auto* binary = dyn_cast<BinaryOperator>(e)) return binary->isComparisonOp() || binary->isLogicalOp();
  auto* unary = dyn_cast<UnaryOperator>(e);
  return unary && unary->getOpcode() == UO_LNot;
}
}  // namespace

// Testing a plain value against zero is part of the branch that asks; only comparisons that are written count.
void Walker::truth(const Expr* e) {
  e = bare(e);
  if (is_constant(context_, e)) return;
  auto* cast = dyn_cast<ImplicitCastExpr>(e);
  auto kind = cast ? cast->getCastKind() : CK_NoOp;
  bool tested = kind == CK_IntegralToBoolean || kind == CK_FloatingToBoolean || kind == CK_PointerToBoolean ||
                kind == CK_MemberPointerToBoolean;
  value(tested ? cast->getSubExpr() : e);
}

void Walker::binary(const BinaryOperator* e) {
  if (auto* compound = dyn_cast<CompoundAssignOperator>(e)) return compound_assign(compound);
  const Expr *left = e->getLHS(), *right = e->getRHS();
  switch (e->getOpcode()) {
    case BO_Assign: return assign(left, right);
    case BO_Comma: value(left); return value(right);
    case BO_LAnd:
    case BO_LOr: {
      auto known = constant_condition(context_, left);
      if (known) {  // the right side runs always, or never
        if (*known == (e->getOpcode() == BO_LAnd)) truth(right);
        return;
      }
      add("ANDC");
      truth(left);
      return part("operand", anchor(right), [&] { truth(right); });
    }
    case BO_PtrMemD: place(left); value(right); return add("MEMBER");
    case BO_PtrMemI: value(left); value(right); add("DEREF"); return add("MEMBER");
    default: break;
  }
  value(left);
  value(right);
  bool global = is_global(left) || is_global(right);
  if (e->isComparisonOp()) return add_typed('C', left->getType(), global);
  // The difference of two pointers counts as pointer arithmetic.
  bool pointers = left->getType()->isPointerType() && right->getType()->isPointerType();
  arithmetic(e->getOpcode(), pointers ? left->getType() : e->getType(), global);
}

void Walker::arithmetic(BinaryOperatorKind kind, QualType type, bool global) {
  if (type->isVectorType()) return unit_.gap("vector type " + type.getAsString(), {});
  if (type->isAnyComplexType()) return complex_arithmetic(kind, type, global);
  char operation = 0;
  switch (kind) {
    case BO_Add: case BO_Sub: case BO_AddAssign: case BO_SubAssign: operation = 'A'; break;
    case BO_Mul: case BO_MulAssign: operation = 'M'; break;
    case BO_Div: case BO_DivAssign: operation = 'D'; break;
    case BO_Rem: case BO_RemAssign: operation = 'R'; break;
    case BO_Shl: case BO_Shr: case BO_ShlAssign: case BO_ShrAssign: operation = 'H'; break;
    default: operation = 'B'; break;
  }
  // An integer addition inside an index is folded into the address (section 6.3).
  if (operation == 'A' && in_index_ && type->isIntegerType()) return add("IADD");
  add_typed(operation, type, global);
}

// (a+bi)(c+di) takes four products and two sums; a quotient about twice that and two divisions.
void Walker::complex_arithmetic(BinaryOperatorKind kind, QualType type, bool global) {
  QualType element = type->castAs<ComplexType>()->getElementType();
  bool product = kind == BO_Mul || kind == BO_MulAssign, quotient = kind == BO_Div || kind == BO_DivAssign;
  add_typed('A', element, global, quotient ? 3 : 2);
  if (product || quotient) add_typed('M', element, global, product ? 4 : 6);
  if (quotient) add_typed('D', element, global, 2);
}

void Walker::assign(const Expr* target, const Expr* source) {
  QualType type = target->getType();
  if (type->isRecordType()) {
    // `s = f()` and `s = (struct S){...}` build in place or copy once.
    source->isGLValue() ? place(source) : value(source);
    place(target);
    return add("COPY", eightbytes(context_, type));
  }
  value(source);
  place(target);
  add_typed(is_plain(context_, source) ? 'T' : 'S', type, is_global(target));
}

void Walker::compound_assign(const CompoundAssignOperator* e) {
  const Expr *target = e->getLHS(), *operand = e->getRHS();
  value(operand);
  place(target);
  bool global = is_global(target);
  auto own = type_code(context_, target->getType()), computed = type_code(context_, e->getComputationLHSType());
  add(conversion_name(own, computed));
  arithmetic(e->getOpcode(), e->getComputationLHSType(), global || is_global(operand));
  add(conversion_name(type_code(context_, e->getComputationResultType()), own));
  add_typed('S', target->getType(), global);
}

void Walker::unary(const UnaryOperator* e) {
  const Expr* operand = e->getSubExpr();
  QualType type = operand->getType();
  bool global = is_global(operand);
  if (e->isIncrementDecrementOp()) {
    place(operand);
    if (in_index_ && type->isIntegerType()) add("IADD");
    else add_typed('A', type, global);
    return add_typed('S', type, global);
  }
  switch (e->getOpcode()) {
    case UO_Deref:
      value(operand);
      return add("DEREF");
    case UO_AddrOf: {
      auto* inner = dyn_cast<UnaryOperator>(bare(operand));
      if (inner && inner->getOpcode() == UO_Deref) return value(inner->getSubExpr());
      if (auto* method = dyn_cast<DeclRefExpr>(bare(operand)); method && isa<FunctionDecl>(method->getDecl()))
        return reference(method);
      place(operand);
      return add("ADDR");
    }
    case UO_Minus: value(operand); return add_typed('N', e->getType(), global);
    case UO_Not: value(operand); return add_typed('B', e->getType(), global);
    case UO_LNot: truth(operand); return add("NOTC");
    case UO_Real:
    case UO_Imag: operand->isGLValue() ? place(operand) : value(operand); return add("MEMBER");
    case UO_Coawait: return not_understood(e);
    default: return value(operand);
  }
}

void Walker::cast(const CastExpr* e) {
  const Expr* inner = e->getSubExpr();
  switch (e->getCastKind()) {
    case CK_LValueToRValue: case CK_ArrayToPointerDecay: case CK_LValueBitCast: case CK_LValueToRValueBitCast:
      return place(inner);
    case CK_FunctionToPointerDecay: case CK_BuiltinFnToFnPtr: return place(inner);
    case CK_IntegralCast: case CK_IntegralToFloating: case CK_FloatingToIntegral: case CK_FloatingCast:
    case CK_BooleanToSignedIntegral: case CK_FloatingComplexCast: case CK_FloatingRealToComplex: {
      value(inner);
      bool computed_truth = is_truth(inner) && !isa<ImplicitCastExpr>(bare(inner));
      if (computed_truth) return;  // a comparison gives its 0 or 1 in any width
      return add(conversion_name(type_code(context_, inner->getType()), type_code(context_, e->getType())));
    }
    case CK_IntegralToBoolean: case CK_FloatingToBoolean: case CK_PointerToBoolean: case CK_MemberPointerToBoolean:
      value(inner);
      if (!is_truth(inner)) add_typed('C', inner->getType(), is_global(inner));
      return;
    case CK_Dynamic:
      value(inner);
      return add("__dynamic_cast");
    case CK_DerivedToBase: case CK_UncheckedDerivedToBase:
      inner->isGLValue() ? place(inner) : value(inner);
      for (auto* step : e->path())
        if (step->isVirtual()) add("MEMBER");
      return;
    case CK_VectorSplat: value(inner); return unit_.gap("vector value", e->getBeginLoc());
    default: return inner->isGLValue() ? place(inner) : value(inner);
  }
}

void Walker::conditional(const AbstractConditionalOperator* e) {
  auto arm = [&](const Expr* x) { x->isGLValue() ? place(x) : value(x); };
  if (auto known = constant_condition(context_, e->getCond())) return arm(*known ? e->getTrueExpr() : e->getFalseExpr());
  add("COND");
  if (auto* binary = dyn_cast<BinaryConditionalOperator>(e)) {
    truth(binary->getCommon());
  } else {
    truth(e->getCond());
    part("arm", anchor(e->getTrueExpr()), [&] { arm(e->getTrueExpr()); });
  }
  part("arm", anchor(e->getFalseExpr()), [&] { arm(e->getFalseExpr()); });
}

// A reference to an object, or to a temporary made for it.
void Walker::bind(const Expr* given) {
  const Expr* e = given->IgnoreParens();
  if (auto* full = dyn_cast<FullExpr>(e)) e = full->getSubExpr()->IgnoreParens();
  bool temporary = isa<MaterializeTemporaryExpr>(e) || e->isPRValue();
  if (!temporary) return place(e);
  if (bare(e)->getType()->isRecordType()) return value(e);
  initialise(bare(e)->getType(), e, false);
}

namespace {
const Expr* without_temporary(const Expr* e) {
  for (;;) {
    auto* cast = dyn_cast<CastExpr>(e);
    auto* temporary = dyn_cast<CXXBindTemporaryExpr>(e);
    bool converts = cast && (cast->getCastKind() == CK_ConstructorConversion || cast->getCastKind() == CK_UserDefinedConversion);
    if (!converts && !temporary) return e;
    e = bare(temporary ? temporary->getSubExpr() : cast->getSubExpr());
  }
}
}  // namespace

void Walker::initialise(QualType type, const Expr* given, bool global) {
  const Expr* e = bare(given);
  if (type->isReferenceType()) {
    bind(given);
    return add_typed('T', context_.VoidPtrTy, global);
  }
  if (type->isRecordType() || type->isArrayType()) {
    // The new object takes the place of the temporary, which is therefore not destroyed.
    e = without_temporary(e);
    if (isa<ImplicitValueInitExpr>(e)) return add("COPY", eightbytes(context_, type));
    if (auto* list = dyn_cast<InitListExpr>(e)) return initialise_list(list, global);
    if (isa<StringLiteral>(e)) return add("COPY", eightbytes(context_, type));
    if (e->isGLValue()) place(e);
    else value(e);
    auto* load = dyn_cast<CastExpr>(e);
    if (load && load->getCastKind() == CK_LValueToRValue) add("COPY", eightbytes(context_, type));
    return;
  }
  value(given);
  add_typed(is_plain(context_, given) ? 'T' : 'S', type, global);
}

// A list of constants is copied as a whole; otherwise each element is stored.
void Walker::initialise_list(const InitListExpr* list, bool global) {
  if (auto* semantic = list->getSemanticForm()) list = semantic;
  if (list->isTransparent() && list->getNumInits() == 1) return initialise(list->getType(), list->getInit(0), global);
  bool constant = true;
  for (auto* element : list->inits()) constant = constant && element && element->isConstantInitializer(context_, false);
  if (list->hasArrayFiller() && list->getArrayFiller() && !isa<ImplicitValueInitExpr>(list->getArrayFiller()))
    constant = constant && list->getArrayFiller()->isConstantInitializer(context_, false);
  if (constant) return add("COPY", eightbytes(context_, list->getType()));
  for (auto* element : list->inits())
    if (element && !isa<NoInitExpr>(element)) initialise(element->getType(), element, global);
  if (auto* filler = list->getArrayFiller()) {
    double all = element_count(context_, list->getType()), rest = all - list->getNumInits();
    if (rest > 0 && isa<ImplicitValueInitExpr>(filler)) add("COPY", eightbytes(context_, list->getType()) * rest / all);
    else if (rest > 0) value(filler);
  }
}

}  // namespace perfcast::clang_ast

// Statements open blocks; loops are in loops.cc.
#include <clang/AST/StmtOpenMP.h>

#include "frontends/clang_ast/meaning.h"
#include "frontends/clang_ast/walker.h"

namespace perfcast::clang_ast {

using namespace clang;

void Walker::body(const FunctionDecl* definition) {
  if (auto* constructor = dyn_cast<CXXConstructorDecl>(definition)) initialisers(constructor);
  auto* method = dyn_cast<CXXMethodDecl>(definition);
  in_lambda_ = method && method->getParent()->isLambda();
  const Stmt* statements = definition->getBody();
  if (auto* coroutine = dyn_cast_or_null<CoroutineBodyStmt>(statements)) {
    unit_.gap("coroutine: suspending and resuming are not counted", definition->getLocation());
    statements = coroutine->getBody();
  }
  if (statements) statement(statements);
  if (auto* destructor = dyn_cast<CXXDestructorDecl>(definition)) destroy_members(destructor);
}

void Walker::global_variable(const VarDecl* variable) { declaration(variable); }

void Walker::initialisers(const CXXConstructorDecl* constructor) {
  auto* record = constructor->getParent();
  int implicit = -1;  // one block for all that is not written out
  auto at_constructor = [&] {
    block_ = implicit >= 0 ? implicit : (implicit = open_block("initialiser", constructor->getLocation()));
  };
  int written = -1;
  for (auto* init : constructor->inits()) {
    if (!init->getInit()) continue;
    if (init->isWritten()) written = open_block("initialiser", init->getSourceLocation());
    else at_constructor();
    if (auto* field = init->getAnyMember()) initialise(field->getType(), init->getInit(), false);
    else value(init->getInit());
  }
  if (!record->isPolymorphic()) return;
  if (written >= 0) block_ = written;  // set on the way to the first initialiser
  else at_constructor();
  add_typed('T', context_.VoidPtrTy, false);  // the pointer to the virtual table
  unit_.reach_virtuals(record);
}

void Walker::destroy_members(const CXXDestructorDecl* destructor) {
  auto* record = destructor->getParent();
  part("destructor", destructor->getBody() ? destructor->getBody()->getEndLoc() : destructor->getLocation(), [&] {
    for (auto* field : record->fields()) destroy(field->getType());
    for (auto& base : record->bases()) destroy(base.getType());
  });
}

void Walker::statement(const Stmt* s) {
  if (!s) return;
  if (auto* x = dyn_cast<Expr>(s)) return expression_statement(x);
  switch (s->getStmtClass()) {
    case Stmt::NullStmtClass: return;
    case Stmt::CompoundStmtClass:
      for (auto* child : cast<CompoundStmt>(s)->body()) statement(child);
      return;
    case Stmt::DeclStmtClass:
      for (auto* declared : cast<DeclStmt>(s)->decls())
        if (auto* variable = dyn_cast<VarDecl>(declared)) declaration(variable);
      return;
    case Stmt::LabelStmtClass: flow_ = unknown; return statement(cast<LabelStmt>(s)->getSubStmt());
    case Stmt::CaseStmtClass:
    case Stmt::DefaultStmtClass: flow_ = unknown; return statement(cast<SwitchCase>(s)->getSubStmt());
    case Stmt::AttributedStmtClass: return statement(cast<AttributedStmt>(s)->getSubStmt());
    case Stmt::IfStmtClass: return if_statement(cast<IfStmt>(s));
    case Stmt::SwitchStmtClass: return switch_statement(cast<SwitchStmt>(s));
    case Stmt::ForStmtClass: return for_loop(cast<ForStmt>(s));
    case Stmt::WhileStmtClass: return while_loop(cast<WhileStmt>(s));
    case Stmt::DoStmtClass: return do_loop(cast<DoStmt>(s));
    case Stmt::CXXForRangeStmtClass: return range_loop(cast<CXXForRangeStmt>(s));
    case Stmt::GotoStmtClass: return jump("goto", s->getBeginLoc());
    case Stmt::BreakStmtClass:
      jump("break", s->getBeginLoc());
      if (in_switch_) function_.blocks.back().usage.clear();  // part of the switch
      return;
    case Stmt::ContinueStmtClass: return jump("continue", s->getBeginLoc());
    case Stmt::IndirectGotoStmtClass:
      open_block("goto", s->getBeginLoc());
      value(cast<IndirectGotoStmt>(s)->getTarget());
      add("SWITCH");
      flow_ = unknown;
      return;
    case Stmt::ReturnStmtClass: {
      open_block("return", s->getBeginLoc());
      auto* x = cast<ReturnStmt>(s);
      auto* in_place = x->getNRVOCandidate();
      if (x->getRetValue() && !(in_place && in_place->isNRVOVariable())) {
        const Expr* given = x->getRetValue();
        if (given->isGLValue()) bind(given);
        else if (given->getType()->isRecordType()) initialise(given->getType(), given, false);
        else value(given);
      }
      flow_ = unknown;
      return;
    }
    case Stmt::CXXTryStmtClass: return try_statement(cast<CXXTryStmt>(s));
    case Stmt::GCCAsmStmtClass:
    case Stmt::MSAsmStmtClass:
      open_block("asm", s->getBeginLoc());
      return unit_.gap("inline assembler", s->getBeginLoc());
    default: break;
  }
  if (auto* directive = dyn_cast<OMPExecutableDirective>(s)) {
    unit_.gap("OpenMP directive: the cost of its run-time library is not counted", s->getBeginLoc());
    if (isa<OMPLoopDirective>(directive)) parallel_ = directive->getEndLoc();
    if (directive->hasAssociatedStmt()) statement(directive->getRawStmt());
    parallel_ = {};
    return;
  }
  if (auto* loop = dyn_cast<OMPCanonicalLoop>(s)) return statement(loop->getLoopStmt());
  if (auto* captured = dyn_cast<CapturedStmt>(s)) return statement(captured->getCapturedStmt());
  open_block("other", s->getBeginLoc());
  not_understood(s);
}

void Walker::expression_statement(const Expr* e) {
  e = bare(e);
  if (auto* to_void = dyn_cast<CastExpr>(e); to_void && to_void->getCastKind() == CK_ToVoid)
    return expression_statement(to_void->getSubExpr());
  if (auto* comma = dyn_cast<BinaryOperator>(e); comma && comma->getOpcode() == BO_Comma) {
    expression_statement(comma->getLHS());
    return expression_statement(comma->getRHS());
  }
  const Expr* inner = e;
  if (auto* temporary = dyn_cast<CXXBindTemporaryExpr>(e)) inner = bare(temporary->getSubExpr());
  auto *binary = dyn_cast<BinaryOperator>(inner);
  auto *unary = dyn_cast<UnaryOperator>(inner);
  const char* kind = "expression";
  if ((binary && binary->isAssignmentOp()) || (unary && unary->isIncrementDecrementOp())) kind = "assign";
  else if (isa<CallExpr, CXXConstructExpr, CXXNewExpr, CXXDeleteExpr>(inner)) kind = "call";
  else if (isa<CXXThrowExpr>(inner)) kind = "throw";
  if (is_constant(context_, e)) return;
  flow_ = open_block(kind, anchor(e));
  int own = block_;
  value(e);
  auto& made = function_.blocks[static_cast<std::size_t>(own)];
  if (std::string(kind) == "expression" && own + 1 == static_cast<int>(function_.blocks.size()) && made.usage.empty() &&
      made.calls.empty()) {  // `(void)x;`
    function_.blocks.pop_back();
    flow_ = unknown;
  }
  if (isa<CXXThrowExpr>(inner)) flow_ = unknown;
}

void Walker::declaration(const VarDecl* variable) {
  if (variable->hasExternalStorage() || variable->isConstexpr()) return;
  const Expr* given = variable->getInit();
  QualType type = variable->getType();
  bool global = variable->hasGlobalStorage();
  auto at = anchor(variable);
  if (auto* array = context_.getAsVariableArrayType(type)) {
    flow_ = open_block("declaration", at);
    if (array->getSizeExpr()) value(array->getSizeExpr());
    add_typed('A', context_.VoidPtrTy, false);  // the stack pointer moves
  }
  if (!given) return;
  if (variable->isStaticLocal()) {
    if (variable->hasConstantInitialization() && type.isDestructedType() == QualType::DK_none) return;
    flow_ = open_block("declaration", at);
    add("BRAN");  // done already?
    return part("initialiser", anchor(given), [&] { initialise(type, given, true); });
  }
  if (!type->isRecordType() && !type->isArrayType() && !type->isReferenceType() &&
      variable->mightBeUsableInConstantExpressions(context_) && variable->evaluateValue()) {
    flow_ = open_block("declaration", at);
    return add_typed('T', type, global);
  }
  auto* constructed = dyn_cast<CXXConstructExpr>(bare(given));
  bool nothing = constructed && constructed->getConstructor()->isTrivial() && constructed->getNumArgs() == 0 &&
                 !constructed->requiresZeroInitialization();
  if (nothing && !type.isDestructedType()) return;
  flow_ = open_block("declaration", at);
  initialise(type, given, global);
  // Every object made is destroyed once: counted where it is made.
  if (!variable->isNRVOVariable() && !global) destroy(type);
  if (auto* parts = dyn_cast<DecompositionDecl>(variable))
    for (auto* binding : parts->bindings())
      if (auto* holder = binding->getHoldingVar()) declaration(holder);
}

void Walker::branch(const Stmt* s) {
  flow_ = unknown;
  statement(s);
}

namespace {
// Whether control can leave the statement otherwise than at its end.
bool can_leave(const Stmt* s, bool break_leaves = true, bool continue_leaves = true) {
  if (!s || isa<LambdaExpr>(s)) return false;
  if (isa<ReturnStmt, GotoStmt, IndirectGotoStmt, CXXThrowExpr>(s)) return true;
  if (isa<BreakStmt>(s)) return break_leaves;
  if (isa<ContinueStmt>(s)) return continue_leaves;
  if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(s)) break_leaves = continue_leaves = false;
  if (isa<SwitchStmt>(s)) break_leaves = false;
  for (auto* child : s->children())
    if (can_leave(child, break_leaves, continue_leaves)) return true;
  return false;
}
}  // namespace

void Walker::if_statement(const IfStmt* s) {
  if (s->getInit()) statement(s->getInit());
  if (s->isConstexpr()) {
    auto live = s->getNondiscardedCase(context_);
    if (live && *live) statement(*live);
    return;
  }
  if (s->isConsteval()) return branch(s->isNegatedConsteval() ? s->getThen() : s->getElse());
  if (s->getConditionVariable()) declaration(s->getConditionVariable());
  if (auto known = constant_condition(context_, s->getCond()))
    return statement(*known ? s->getThen() : s->getElse());
  int own = flow_ = open_block("if", anchor(s->getCond()));
  truth(s->getCond());
  add("BRAN");
  branch(s->getThen());
  branch(s->getElse());
  flow_ = can_leave(s->getThen()) || can_leave(s->getElse()) ? unknown : own;
}

void Walker::switch_statement(const SwitchStmt* s) {
  if (s->getInit()) statement(s->getInit());
  if (s->getConditionVariable()) declaration(s->getConditionVariable());
  int own = flow_ = open_block("switch", s->getBeginLoc());
  value(s->getCond());
  add("SWITCH");
  bool outer = std::exchange(in_switch_, true);
  branch(s->getBody());
  in_switch_ = outer;
  flow_ = can_leave(s) ? unknown : own;
}

void Walker::try_statement(const CXXTryStmt* s) {
  statement(s->getTryBlock());
  for (unsigned i = 0; i < s->getNumHandlers(); i++) branch(s->getHandler(i)->getHandlerBlock());
  flow_ = unknown;
}

void Walker::jump(const char* kind, SourceLocation at) {
  open_block(kind, at);
  add("GOTO");
  flow_ = unknown;
}

// Loops need it too.
bool leaves_loop(const Stmt* body) { return can_leave(body, false, false); }

}  // namespace perfcast::clang_ast

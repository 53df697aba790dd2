// Loops: a block for the start, the test and the step each. A loop that counts by one, `for (i = a; i < b; i++)`, is
// Saavedra's LOIN and LOOV: storing, stepping, comparing and branching are part of those two.
#include "frontends/clang_ast/meaning.h"
#include "frontends/clang_ast/walker.h"

namespace perfcast::clang_ast {

using namespace clang;

bool leaves_loop(const Stmt* body);  // statements.cc

namespace {

const VarDecl* integer_variable(const Expr* e) {
  e = e->IgnoreParenImpCasts();
  auto* reference = dyn_cast<DeclRefExpr>(e);
  auto* variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  return variable && variable->getType()->isIntegerType() ? variable : nullptr;
}

// The variable a step moves by one.
const VarDecl* stepped_by_one(const ASTContext& context, const Expr* step) {
  step = bare(step);
  if (auto* unary = dyn_cast<UnaryOperator>(step))
    return unary->isIncrementDecrementOp() ? integer_variable(unary->getSubExpr()) : nullptr;
  auto* compound = dyn_cast<CompoundAssignOperator>(step);
  if (!compound || (compound->getOpcode() != BO_AddAssign && compound->getOpcode() != BO_SubAssign)) return nullptr;
  auto amount = compound->getRHS()->isValueDependent() ? std::nullopt : compound->getRHS()->getIntegerConstantExpr(context);
  return amount && amount->isOne() ? integer_variable(compound->getLHS()) : nullptr;
}

// The parts of `a, b, c`.
void each_in_sequence(const Expr* e, const std::function<void(const Expr*)>& visit) {
  e = bare(e);
  auto* comma = dyn_cast<BinaryOperator>(e);
  if (!comma || comma->getOpcode() != BO_Comma) return visit(e);
  each_in_sequence(comma->getLHS(), visit);
  each_in_sequence(comma->getRHS(), visit);
}

// The bound the variable is compared with.
const Expr* bound_of(const Expr* test, const VarDecl* variable) {
  auto* compare = dyn_cast<BinaryOperator>(bare(test));
  if (!compare || !compare->isComparisonOp()) return nullptr;
  if (integer_variable(compare->getLHS()) == variable) return compare->getRHS();
  return integer_variable(compare->getRHS()) == variable ? compare->getLHS() : nullptr;
}

}  // namespace

void Walker::loop(SourceLocation at, int entry, const std::function<void()>& walk) {
  auto outer = loop_;
  std::size_t index = function_.loops.size();
  Loop made;
  made.at = unit_.location(at);
  made.parent = outer;
  made.header = static_cast<int>(function_.blocks.size());
  if (entry == unknown) made.entries.certainty = Certainty::unknown;
  function_.loops.push_back(made);
  loop_ = static_cast<int>(index);
  bool outer_switch = std::exchange(in_switch_, false);
  walk();
  in_switch_ = outer_switch;
  loop_ = outer;
  // An empty endless loop has no block to count; it needs one to be a loop.
  if (made.header == static_cast<int>(function_.blocks.size())) loop_ = static_cast<int>(index), open_block("other", at), loop_ = outer;
  if (entry >= 0) function_.blocks[static_cast<std::size_t>(entry)].next.push_back({made.header, {}});
}

void Walker::for_loop(const ForStmt* s) {
  const Expr *test = s->getCond(), *step = s->getInc();
  // The iterations of a parallel loop are dealt out by code of the compiler's own, which stands at the directive, at the
  // word `for`, and where the step begins.
  auto parallel = std::exchange(parallel_, {});
  const VarDecl* counter = nullptr;
  const Expr* bound = nullptr;
  if (step && test)
    each_in_sequence(step, [&](const Expr* e) {
      auto* variable = stepped_by_one(context_, e);
      auto* its_bound = variable && !bound ? bound_of(test, variable) : nullptr;
      if (its_bound) counter = variable, bound = its_bound;
    });

  if (auto* declared = dyn_cast_or_null<DeclStmt>(s->getInit())) {
    for (auto* each : declared->decls()) {
      auto* variable = dyn_cast<VarDecl>(each);
      if (!variable || !variable->getInit()) continue;
      flow_ = open_block("for-init", parallel.isValid() ? parallel : anchor(variable));
      if (variable == counter) value(variable->getInit()), add("LOIN");
      else initialise(variable->getType(), variable->getInit(), variable->hasGlobalStorage()), destroy(variable->getType());
    }
  } else if (auto* given = dyn_cast_or_null<Expr>(s->getInit())) {
    each_in_sequence(given, [&](const Expr* e) {
      flow_ = open_block("for-init", parallel.isValid() ? parallel : anchor(e));
      auto* store = dyn_cast<BinaryOperator>(e);
      bool counts = counter && store && store->getOpcode() == BO_Assign && integer_variable(store->getLHS()) == counter;
      if (counts) value(store->getRHS()), add("LOIN");
      else value(e);
    });
  }
  int entry = flow_;
  loop(s->getForLoc(), entry, [&] {
    if (s->getConditionVariable()) declaration(s->getConditionVariable());
    if (test && !constant_condition(context_, test)) {
      open_block("for-test", parallel.isValid() ? s->getForLoc() : anchor(test));
      if (bound) value(bound);
      else truth(test), add("BRAN");
    }
    branch(s->getBody());
    if (!step) return;
    each_in_sequence(step, [&](const Expr* e) {
      open_block("for-step", parallel.isValid() ? e->getBeginLoc() : anchor(e));
      if (counter && stepped_by_one(context_, e) == counter) add("LOOV");
      else value(e);
    });
  });
  flow_ = leaves_loop(s->getBody()) ? unknown : entry;
}

void Walker::while_loop(const WhileStmt* s) {
  int entry = flow_;
  loop(s->getWhileLoc(), entry, [&] {
    if (s->getConditionVariable()) declaration(s->getConditionVariable());
    if (!constant_condition(context_, s->getCond())) {
      open_block("while-test", anchor(s->getCond()));
      truth(s->getCond());
      add("BRAN");
    }
    branch(s->getBody());
  });
  flow_ = leaves_loop(s->getBody()) ? unknown : entry;
}

void Walker::do_loop(const DoStmt* s) {
  int entry = flow_;
  auto known = constant_condition(context_, s->getCond());
  if (known && !*known) return statement(s->getBody());  // do { } while (0): no loop
  loop(s->getDoLoc(), entry, [&] {
    branch(s->getBody());
    if (known) return;
    open_block("do-test", anchor(s->getCond()));
    truth(s->getCond());
    add("BRAN");
  });
  flow_ = leaves_loop(s->getBody()) ? unknown : entry;
}

void Walker::range_loop(const CXXForRangeStmt* s) {
  if (s->getInit()) statement(s->getInit());
  flow_ = open_block("for-init", s->getRangeInit()->getExprLoc());
  int entry = flow_;
  for (auto* declared : {s->getRangeStmt(), s->getBeginStmt(), s->getEndStmt()}) {
    auto* variable = declared ? dyn_cast<VarDecl>(cast<DeclStmt>(declared)->getSingleDecl()) : nullptr;
    if (variable && variable->getInit()) initialise(variable->getType(), variable->getInit(), false);
    if (variable) destroy(variable->getType());
  }
  loop(s->getForLoc(), entry, [&] {
    open_block("for-test", s->getColonLoc());
    truth(s->getCond());
    add("BRAN");
    declaration(s->getLoopVariable());
    branch(s->getBody());
    // Test and step share a position in debug information; the variable is set once per step.
    open_block("for-step", s->getLoopVariable()->getLocation());
    value(s->getInc());
  });
  flow_ = leaves_loop(s->getBody()) ? unknown : entry;
}

}  // namespace perfcast::clang_ast

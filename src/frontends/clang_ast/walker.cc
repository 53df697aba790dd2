#include "frontends/clang_ast/walker.h"

#include "frontends/clang_ast/meaning.h"

namespace perfcast::clang_ast {

using namespace clang;

int Walker::open_block(const char* kind, SourceLocation at) {
  Block block;
  block.kind = kind;
  block.at = unit_.location(at);
  block.loop = loop_;
  block.name = block.kind + "@" + std::to_string(block.at.line) + ":" + std::to_string(block.at.column);
  if (int again = names_[block.name]++) block.name += "." + std::to_string(again + 1);
  function_.blocks.push_back(std::move(block));
  return block_ = static_cast<int>(function_.blocks.size()) - 1;
}

void Walker::part(const char* kind, SourceLocation at, const std::function<void()>& walk) {
  int outer = block_;
  std::size_t first = function_.blocks.size();
  open_block(kind, at);
  walk();
  const Block& made = function_.blocks[first];
  if (function_.blocks.size() == first + 1 && made.usage.empty() && made.calls.empty()) function_.blocks.pop_back();
  block_ = outer;
}

void Walker::add(const std::string& operation, double times) {
  if (!operation.empty() && times > 0) function_.blocks[static_cast<std::size_t>(block_)].usage[operation] += times;
}

void Walker::add_typed(char operation, QualType type, bool global, double times) {
  auto code = type_code(context_, type);
  if (!code.empty()) add(operation + code + (global ? "G" : "L"), times * (type->isAnyComplexType() ? 2 : 1));
}

// Where debug information puts the operation at the root of an expression.
SourceLocation Walker::anchor(const Expr* e) {
  for (e = bare(e);;) {
    const Expr* inner = nullptr;
    if (auto* cast = dyn_cast<CastExpr>(e)) {
      bool silent = isa<ImplicitCastExpr>(e) || cast->getCastKind() == CK_ToVoid || cast->getCastKind() == CK_ConstructorConversion;
      if (silent) inner = cast->getSubExpr();
    } else if (auto* temporary = dyn_cast<CXXBindTemporaryExpr>(e)) {
      inner = temporary->getSubExpr();
    } else if (auto* construct = dyn_cast<CXXConstructExpr>(e)) {
      if (construct->isElidable() && construct->getNumArgs() == 1) inner = construct->getArg(0);
    } else if (auto* unary = dyn_cast<UnaryOperator>(e)) {
      if (unary->getOpcode() == UO_LNot) inner = unary->getSubExpr();  // branches the other way round
    } else if (auto* literal = dyn_cast<CompoundLiteralExpr>(e)) {
      inner = literal->getInitializer();
    } else if (auto* list = dyn_cast<InitListExpr>(e)) {
      if (list->getNumInits()) inner = list->getInit(0);
    } else if (auto* binary = dyn_cast<BinaryOperator>(e)) {  // a structure is copied where it is read
      if (binary->getOpcode() == BO_Assign && binary->getType()->isRecordType()) inner = binary->getRHS();
    }
    if (!inner) return e->getExprLoc();
    e = bare(inner);
  }
}

// The place where a variable gets its value: its name for scalars, what is constructed for others.
SourceLocation Walker::anchor(const VarDecl* variable) {
  const Expr* given = variable->getInit();
  bool scalar = !variable->getType()->isRecordType() && !variable->getType()->isArrayType();
  if (!given || scalar || given->isConstantInitializer(variable->getASTContext(), false)) return variable->getLocation();
  auto at = anchor(given);
  return at.isValid() ? at : variable->getLocation();
}

void Walker::children(const Stmt* s) {
  for (const Stmt* child : s->children())
    if (auto* e = dyn_cast_or_null<Expr>(child)) value(e);
    else if (child) statement(child);
}

void Walker::not_understood(const Stmt* s) {
  unit_.gap(std::string("not understood: ") + s->getStmtClassName(), s->getBeginLoc());
  children(s);
}

}  // namespace perfcast::clang_ast

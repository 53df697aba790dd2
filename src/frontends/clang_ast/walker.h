// Walks one function and writes its blocks. Statements open blocks; expressions add operations to the block that is
// open, and parts executed on their own condition open blocks of their own.
#pragma once

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <functional>

#include "frontends/clang_ast/unit.h"

namespace perfcast::clang_ast {

class Walker {
 public:
  Walker(Unit& unit, Function& function, std::vector<OpenCall>& open)
      : unit_(unit), context_(unit.context()), function_(function), open_(open) {}

  void body(const clang::FunctionDecl* definition);       // statements.cc
  void global_variable(const clang::VarDecl* variable);   // statements.cc

 private:
  // Blocks (walker.cc).
  int open_block(const char* kind, clang::SourceLocation at);
  // Runs `walk` in a block of its own; nothing is left of it when nothing was found to do.
  void part(const char* kind, clang::SourceLocation at, const std::function<void()>& walk);
  void add(const std::string& operation, double times = 1);
  // OPERATION TYPE STORAGE; without effect for what is no scalar.
  void add_typed(char operation, clang::QualType type, bool global, double times = 1);
  static clang::SourceLocation anchor(const clang::Expr* e);
  static clang::SourceLocation anchor(const clang::VarDecl* variable);
  void not_understood(const clang::Stmt* s);
  void children(const clang::Stmt* s);

  // Statements (statements.cc, loops.cc).
  void statement(const clang::Stmt* s);
  void expression_statement(const clang::Expr* e);
  void declaration(const clang::VarDecl* variable);
  void initialisers(const clang::CXXConstructorDecl* constructor);
  void destroy_members(const clang::CXXDestructorDecl* destructor);
  void if_statement(const clang::IfStmt* s);
  void switch_statement(const clang::SwitchStmt* s);
  void try_statement(const clang::CXXTryStmt* s);
  void for_loop(const clang::ForStmt* s);
  void while_loop(const clang::WhileStmt* s);
  void do_loop(const clang::DoStmt* s);
  void range_loop(const clang::CXXForRangeStmt* s);
  // Walks the parts of a loop; the first block it makes is the header. `entry` is a block executed once per entry.
  void loop(clang::SourceLocation at, int entry, const std::function<void()>& walk);
  void jump(const char* kind, clang::SourceLocation at);
  // A statement that is executed on its own condition: what follows runs as often as what came before, unless it
  // can leave.
  void branch(const clang::Stmt* s);

  // Expressions (expressions.cc).
  void value(const clang::Expr* e);              // computes a value
  void place(const clang::Expr* e);              // finds where an object lies
  void truth(const clang::Expr* e);              // decides a condition
  void binary(const clang::BinaryOperator* e);
  void unary(const clang::UnaryOperator* e);
  void cast(const clang::CastExpr* e);
  void arithmetic(clang::BinaryOperatorKind kind, clang::QualType type, bool global);
  void complex_arithmetic(clang::BinaryOperatorKind kind, clang::QualType type, bool global);
  void assign(const clang::Expr* target, const clang::Expr* source);
  void compound_assign(const clang::CompoundAssignOperator* e);
  void subscript(const clang::ArraySubscriptExpr* e);
  void member(const clang::MemberExpr* e);
  void conditional(const clang::AbstractConditionalOperator* e);
  void reference(const clang::DeclRefExpr* e);
  void bind(const clang::Expr* e);               // to a reference
  // Gives a new object of this type its value.
  void initialise(clang::QualType type, const clang::Expr* value_given, bool global);
  void initialise_list(const clang::InitListExpr* list, bool global);

  // Calls and objects (calls.cc).
  void call(const clang::CallExpr* e);
  bool builtin(const clang::CallExpr* e, const clang::FunctionDecl* callee);
  void arguments(const clang::FunctionProtoType* type, llvm::ArrayRef<const clang::Expr*> given,
                 std::map<std::string, double>& loads);
  void call_function(const clang::FunctionDecl* callee, std::map<std::string, double> loads, double times = 1);
  void construct(const clang::CXXConstructExpr* e);
  void construct_inherited(const clang::CXXInheritedCtorInitExpr* e);
  void destroy(clang::QualType type, double times = 1);
  void new_object(const clang::CXXNewExpr* e);
  void delete_object(const clang::CXXDeleteExpr* e);
  void lambda(const clang::LambdaExpr* e);
  void atomic(const clang::AtomicExpr* e);

  Unit& unit_;
  clang::ASTContext& context_;
  Function& function_;
  std::vector<OpenCall>& open_;
  int block_ = -1;               // the open one
  std::optional<int> loop_;      // innermost
  int in_index_ = 0;             // inside an array index
  bool in_switch_ = false;       // `break` leaves a switch
  bool in_lambda_ = false;       // variables of the function around it are members
  clang::SourceLocation parallel_;  // end of the OpenMP directive that the next loop belongs to
  // A block executed exactly as often as the point the walk has reached; or one of these two.
  static constexpr int function_entry = -1, unknown = -2;
  int flow_ = function_entry;
  std::map<std::string, int> names_;
};

}  // namespace perfcast::clang_ast

// Single statements of Flang's parse tree become plain ones. Statements stand where Flang's code generator says they do: at
// the start of the statement, its label included; that is what debug positions carry. Included only by read_tree.cc.
#pragma once

#include "flang/Parser/parse-tree.h"
#include "flang/Parser/provenance.h"
#include "flang/Semantics/expression.h"
#include "flang/Semantics/semantics.h"
#include "frontends/flang/read_expression.h"

namespace perfcast::flang {

namespace parser = Fortran::parser;
namespace semantics = Fortran::semantics;
namespace evaluate = Fortran::evaluate;
namespace common = Fortran::common;
using Kind = Statement::Kind;

class StatementReader {
 public:
  StatementReader(semantics::SemanticsContext& context, const parser::AllCookedSources& cooked)
      : context_(context), cooked_(cooked), expressions_(context.foldingContext()) {}

 protected:
  Statement action(const parser::ActionStmt& x, parser::CharBlock at, std::optional<parser::Label> label = {}) {
    Statement made = std::visit([&](const auto& y) { return this->simple(y, at); }, x.u);
    if (label) made.label = static_cast<int>(*label);
    return made;
  }

  Place place(parser::CharBlock at) const {
    auto range = at.empty() ? std::nullopt : cooked_.GetSourcePositionRange(at);
    if (!range) return {};
    return {*range->first.path, range->first.line, range->first.column};
  }

  template <class A> Statement make(Kind kind, const parser::Statement<A>& x) {
    return make(kind, x.source, x.label);
  }
  Statement make(Kind kind, parser::CharBlock at, std::optional<parser::Label> label = {}) {
    Statement made;
    made.kind = kind;
    made.at = place(at);
    if (label) made.label = static_cast<int>(*label);
    return made;
  }
  static std::string name_of(const std::optional<parser::Name>& name) { return name ? name->ToString() : ""; }

  template <class A> Expr expression(const A& x) {
    const auto* typed = semantics::GetExpr(context_, x);
    return typed ? expressions_.read(*typed) : Expr{};
  }
  template <class A> void add(const A& x, Statement& made) { made.exprs.push_back(expression(x)); }

  // Forms that constructs use as well.
  template <class A> Statement assign(const A& x, parser::CharBlock at) {
    Statement made = make(std::is_same_v<A, parser::AssignmentStmt> ? Kind::assign : Kind::pointer_assign, at);
    const auto* assignment = semantics::GetAssignment(x);
    if (!assignment) return made;
    if (const auto* defined = std::get_if<evaluate::ProcedureRef>(&assignment->u)) {
      made.kind = Kind::call;
      made.exprs.push_back(expressions_.read_call(*defined));
      return made;
    }
    made.exprs.push_back(expressions_.read(assignment->lhs));
    made.exprs.push_back(expressions_.read(assignment->rhs));
    return made;
  }
  void header(const parser::ConcurrentHeader& x, Statement& made) {
    for (const auto& control : std::get<std::list<parser::ConcurrentControl>>(x.t)) {
      add(std::get<1>(control.t), made), add(std::get<2>(control.t), made);
      if (const auto& step = std::get<3>(control.t)) add(*step, made);
    }
    // The mask is a condition, the bounds are plain expressions.
    if (const auto& mask = std::get<std::optional<parser::ScalarLogicalExpr>>(x.t)) {
      Branch condition;
      condition.conditions.push_back(expression(*mask));
      made.branches.push_back(std::move(condition));
    } else {
      made.branches.emplace_back();
    }
  }
  Statement where(const parser::WhereStmt& x, parser::CharBlock at) {
    Statement made = make(Kind::where, at);
    Branch only;
    only.at = made.at;
    only.conditions.push_back(expression(std::get<parser::LogicalExpr>(x.t)));
    only.body.push_back(assign(std::get<parser::AssignmentStmt>(x.t), at));
    made.branches.push_back(std::move(only));
    return made;
  }
  Statement forall(const parser::ForallStmt& x, parser::CharBlock at) {
    Statement made = make(Kind::forall, at);
    header(std::get<common::Indirection<parser::ConcurrentHeader>>(x.t).value(), made);
    const auto& inner = std::get<parser::UnlabeledStatement<parser::ForallAssignmentStmt>>(x.t);
    Branch body;
    body.at = made.at;
    body.body.push_back(forall_assignment(inner.statement, at));  // Flang gives it the place of the whole
    made.branches.push_back(std::move(body));
    return made;
  }
  Statement forall_assignment(const parser::ForallAssignmentStmt& x, parser::CharBlock at) {
    if (const auto* plain = std::get_if<parser::AssignmentStmt>(&x.u)) return assign(*plain, at);
    return assign(std::get<parser::PointerAssignmentStmt>(x.u), at);
  }

 private:
  // The kinds of action statements.
  template <class A> Statement simple(const common::Indirection<A>& x, parser::CharBlock at) { return simple(x.value(), at); }
  template <class A> Statement simple(const A&, parser::CharBlock at) {
    Statement made = make(Kind::other, at);
    made.name = "statement of coarrays, teams or events";
    return made;
  }
  Statement simple(const parser::ContinueStmt&, parser::CharBlock at) { return make(Kind::continue_, at); }
  Statement simple(const parser::AssignmentStmt& x, parser::CharBlock at) { return assign(x, at); }
  Statement simple(const parser::PointerAssignmentStmt& x, parser::CharBlock at) { return assign(x, at); }
  Statement simple(const parser::CallStmt& x, parser::CharBlock at) {
    Statement made = make(Kind::call, at);
    if (!x.typedCall) return made;
    made.exprs.push_back(expressions_.read_call(*x.typedCall));
    for (const auto& argument : x.typedCall->arguments())
      if (argument && argument->isAlternateReturn()) made.labels.push_back(static_cast<int>(argument->GetLabel()));
    return made;
  }
  Statement simple(const parser::IfStmt& x, parser::CharBlock at) {
    Statement made = make(Kind::if_then, at);
    Branch only;
    only.at = made.at;
    only.conditions.push_back(expression(std::get<parser::ScalarLogicalExpr>(x.t)));
    const auto& inner = std::get<parser::UnlabeledStatement<parser::ActionStmt>>(x.t);
    only.body.push_back(action(inner.statement, inner.source));
    made.branches.push_back(std::move(only));
    return made;
  }
  Statement simple(const parser::WhereStmt& x, parser::CharBlock at) { return where(x, at); }
  Statement simple(const parser::ForallStmt& x, parser::CharBlock at) { return forall(x, at); }
  Statement simple(const parser::GotoStmt& x, parser::CharBlock at) {
    Statement made = make(Kind::go_to, at);
    made.labels.push_back(static_cast<int>(x.v));
    return made;
  }
  Statement simple(const parser::ComputedGotoStmt& x, parser::CharBlock at) {
    Statement made = make(Kind::computed_go_to, at);
    for (auto label : std::get<std::list<parser::Label>>(x.t)) made.labels.push_back(static_cast<int>(label));
    add(std::get<parser::ScalarIntExpr>(x.t), made);
    return made;
  }
  Statement simple(const parser::AssignedGotoStmt& x, parser::CharBlock at) {
    Statement made = make(Kind::assigned_go_to, at);
    for (auto label : std::get<std::list<parser::Label>>(x.t)) made.labels.push_back(static_cast<int>(label));
    return made;
  }
  Statement simple(const parser::AssignStmt&, parser::CharBlock at) { return make(Kind::assign_label, at); }
  Statement simple(const parser::ArithmeticIfStmt& x, parser::CharBlock at) {
    Statement made = make(Kind::arithmetic_if, at);
    add(std::get<parser::Expr>(x.t), made);
    for (auto label : {std::get<1>(x.t), std::get<2>(x.t), std::get<3>(x.t)}) made.labels.push_back(static_cast<int>(label));
    return made;
  }
  Statement simple(const parser::ExitStmt& x, parser::CharBlock at) {
    Statement made = make(Kind::exit, at);
    made.name = name_of(x.v);
    return made;
  }
  Statement simple(const parser::CycleStmt& x, parser::CharBlock at) {
    Statement made = make(Kind::cycle, at);
    made.name = name_of(x.v);
    return made;
  }
  Statement simple(const parser::ReturnStmt& x, parser::CharBlock at) {
    Statement made = make(Kind::return_, at);
    if (x.v) add(*x.v, made);
    return made;
  }
  Statement simple(const parser::StopStmt&, parser::CharBlock at) { return make(Kind::stop, at); }
  Statement simple(const parser::PauseStmt&, parser::CharBlock at) { return library("pause", at); }

  // Statements that are calls of the run-time library.
  Statement library(const char* name, parser::CharBlock at) {
    Statement made = make(Kind::library, at);
    made.name = name;
    return made;
  }
  Statement simple(const parser::AllocateStmt& x, parser::CharBlock at) {
    Statement made = library("allocate", at);
    for (const auto& each : std::get<std::list<parser::Allocation>>(x.t)) {
      made.exprs.emplace_back().name = "allocate";
      for (const auto& bounds : std::get<std::list<parser::AllocateShapeSpec>>(each.t)) {
        if (const auto& lower = std::get<0>(bounds.t)) add(*lower, made);
        add(std::get<1>(bounds.t), made);
      }
    }
    return made;
  }
  Statement simple(const parser::DeallocateStmt& x, parser::CharBlock at) {
    Statement made = library("deallocate", at);
    for (std::size_t i = 0; i < std::get<std::list<parser::AllocateObject>>(x.t).size(); i++)
      made.exprs.emplace_back().name = "deallocate";
    return made;
  }
  Statement simple(const parser::NullifyStmt& x, parser::CharBlock at) {
    Statement made = make(Kind::pointer_assign, at);
    for (std::size_t i = 0; i < x.v.size(); i++) made.exprs.emplace_back();
    return made;
  }
  Statement simple(const parser::WriteStmt& x, parser::CharBlock at) { return transfer("write", x, at); }
  Statement simple(const parser::PrintStmt& x, parser::CharBlock at) {
    Statement made = library("write", at);
    items(std::get<std::list<parser::OutputItem>>(x.t), made.exprs);
    return made;
  }
  Statement simple(const parser::ReadStmt& x, parser::CharBlock at) { return transfer("read", x, at); }
  Statement simple(const parser::OpenStmt& x, parser::CharBlock at) { return file_statement("open", x.v, at); }
  Statement simple(const parser::CloseStmt& x, parser::CharBlock at) { return file_statement("close", x.v, at); }
  Statement simple(const parser::RewindStmt& x, parser::CharBlock at) { return file_statement("rewind", x.v, at); }
  Statement simple(const parser::BackspaceStmt& x, parser::CharBlock at) { return file_statement("backspace", x.v, at); }
  Statement simple(const parser::EndfileStmt& x, parser::CharBlock at) { return file_statement("endfile", x.v, at); }
  Statement simple(const parser::FlushStmt& x, parser::CharBlock at) { return file_statement("flush", x.v, at); }
  Statement simple(const parser::InquireStmt&, parser::CharBlock at) { return library("inquire", at); }
  Statement simple(const parser::WaitStmt&, parser::CharBlock at) { return library("wait", at); }

  template <class A> Statement transfer(const char* name, const A& x, parser::CharBlock at) {
    Statement made = library(name, at);
    controls(x.controls, made);
    items(x.items, made.exprs);
    return made;
  }
  template <class Specs> Statement file_statement(const char* name, const Specs& specs, parser::CharBlock at) {
    Statement made = library(name, at);
    error_labels(specs, made);
    return made;
  }
  template <class Specs> void error_labels(const Specs& specs, Statement& made) {
    for (const auto& spec : specs)
      if (const auto* label = std::get_if<parser::ErrLabel>(&spec.u)) made.labels.push_back(static_cast<int>(label->v));
  }
  void controls(const std::list<parser::IoControlSpec>& specs, Statement& made) {
    error_labels(specs, made);
    for (const auto& spec : specs) {
      if (const auto* end = std::get_if<parser::EndLabel>(&spec.u)) made.labels.push_back(static_cast<int>(end->v));
      if (const auto* eor = std::get_if<parser::EorLabel>(&spec.u)) made.labels.push_back(static_cast<int>(eor->v));
    }
  }
  template <class Item> void items(const std::list<Item>& given, std::vector<Expr>& out) {
    for (const auto& item : given) std::visit([&](const auto& x) { this->item(x, out); }, item.u);
  }
  void item(const parser::Expr& x, std::vector<Expr>& out) { out.push_back(expression(x)), out.back().at = place(x.source); }
  void item(const parser::Variable& x, std::vector<Expr>& out) {
    out.push_back(expression(x)), out.back().at = place(x.GetSource());
  }
  template <class A> void item(const common::Indirection<A>& x, std::vector<Expr>& out) {
    const auto& control = std::get<1>(x.value().t);
    Expr loop;
    loop.kind = Expr::Kind::implied_do;
    loop.parts = {expression(control.lower), expression(control.upper), control.step ? expression(*control.step) : Expr{}};
    items(std::get<0>(x.value().t), loop.parts);
    out.push_back(std::move(loop));
  }

  semantics::SemanticsContext& context_;
  const parser::AllCookedSources& cooked_;
  ExpressionReader expressions_;
};

}  // namespace perfcast::flang

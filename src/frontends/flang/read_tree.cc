// Flang's parse tree becomes a plain one. Statements stand where Flang's code generator says they do: at the start of
// the statement, its label included; that is what debug positions carry.
#include "flang/Common/default-kinds.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Parser/parsing.h"
#include "flang/Parser/provenance.h"
#include "flang/Semantics/expression.h"
#include "flang/Semantics/semantics.h"
#include "frontends/flang/read_expression.h"
#include "llvm/Support/raw_ostream.h"

#include <filesystem>

namespace perfcast::flang {
namespace {

using namespace Fortran;
using Kind = Statement::Kind;

class TreeReader {
 public:
  TreeReader(semantics::SemanticsContext& context, const parser::AllCookedSources& cooked)
      : context_(context), cooked_(cooked), expressions_(context.foldingContext()) {}

  void program(const parser::Program& program, std::vector<Procedure>& procedures) {
    out_ = &procedures;
    for (const auto& unit : program.v) std::visit([&](const auto& x) { this->unit(x.value()); }, unit.u);
  }

  Place place(parser::CharBlock at) const {
    auto range = at.empty() ? std::nullopt : cooked_.GetSourcePositionRange(at);
    if (!range) return {};
    return {*range->first.path, range->first.line, range->first.column};
  }

 private:
  // Program units and procedures.
  template <class A> void unit(const A&) {}  // BLOCK DATA, directives
  void unit(const parser::MainProgram& x) {
    const auto& first = std::get<std::optional<parser::Statement<parser::ProgramStmt>>>(x.t);
    const auto& last = std::get<parser::Statement<parser::EndProgramStmt>>(x.t);
    Procedure made;
    made.name = "_QQmain";
    made.readable = first ? first->statement.v.ToString() : "main program";
    made.at = place(first ? first->source : last.source);
    body(x, std::move(made), last.source);
  }
  void unit(const parser::FunctionSubprogram& x) {
    const auto& first = std::get<parser::Statement<parser::FunctionStmt>>(x.t);
    procedure(x, std::get<parser::Name>(first.statement.t), first.source,
              std::get<parser::Statement<parser::EndFunctionStmt>>(x.t).source);
  }
  void unit(const parser::SubroutineSubprogram& x) {
    const auto& first = std::get<parser::Statement<parser::SubroutineStmt>>(x.t);
    procedure(x, std::get<parser::Name>(first.statement.t), first.source,
              std::get<parser::Statement<parser::EndSubroutineStmt>>(x.t).source);
  }
  void unit(const parser::SeparateModuleSubprogram& x) {
    const auto& first = std::get<parser::Statement<parser::MpSubprogramStmt>>(x.t);
    procedure(x, first.statement.v, first.source,
              std::get<parser::Statement<parser::EndMpSubprogramStmt>>(x.t).source);
  }
  void unit(const parser::Module& x) { contained(std::get<std::optional<parser::ModuleSubprogramPart>>(x.t)); }
  void unit(const parser::Submodule& x) { contained(std::get<std::optional<parser::ModuleSubprogramPart>>(x.t)); }
  template <class Part> void contained(const std::optional<Part>& part) {
    if (!part) return;
    for (const auto& inner : std::get<1>(part->t)) std::visit([&](const auto& x) { this->unit(x.value()); }, inner.u);
  }

  template <class A>
  void procedure(const A& x, const parser::Name& name, parser::CharBlock first, parser::CharBlock last) {
    if (!name.symbol) return;
    Procedure made;
    made.name = linkage_name(*name.symbol);
    made.readable = name.ToString();
    made.at = place(first);
    body(x, std::move(made), last);
  }
  template <class A> void body(const A& x, Procedure made, parser::CharBlock last) {
    made.end = place(last);
    procedure_ = &made;
    const auto& declarations = std::get<parser::SpecificationPart>(x.t).t;
    for (const auto& declared : std::get<parser::ImplicitPart>(declarations).v) early_entry(declared, made);
    for (const auto& declared : std::get<std::list<parser::DeclarationConstruct>>(declarations)) early_entry(declared, made);
    block(std::get<parser::ExecutionPart>(x.t).v, made.statements);
    procedure_ = nullptr;
    out_->push_back(std::move(made));
    contained(std::get<std::optional<parser::InternalSubprogramPart>>(x.t));
  }

  // ENTRY before the first executable statement.
  template <class A> void early_entry(const A& declared, Procedure& made) {
    if (const auto* entry = std::get_if<parser::Statement<common::Indirection<parser::EntryStmt>>>(&declared.u))
      made.statements.push_back(entry_statement(*entry));
  }

  // Blocks and constructs.
  void block(const parser::Block& x, std::vector<Statement>& out) {
    for (const auto& construct : x) {
      if (const auto* executable = std::get_if<parser::ExecutableConstruct>(&construct.u))
        std::visit([&](const auto& y) { this->construct(y, out); }, executable->u);
      else if (const auto* entry = std::get_if<parser::Statement<common::Indirection<parser::EntryStmt>>>(&construct.u))
        out.push_back(entry_statement(*entry));
    }
  }
  template <class A> void construct(const common::Indirection<A>& x, std::vector<Statement>& out) {
    construct(x.value(), out);
  }
  void construct(const parser::Statement<parser::ActionStmt>& x, std::vector<Statement>& out) {
    out.push_back(action(x.statement, x.source, x.label));
  }
  template <class A> void construct(const parser::Statement<A>& x, std::vector<Statement>& out) {
    other("statement", x.source, out);
  }
  void construct(const parser::CompilerDirective&, std::vector<Statement>&) {}
  template <class A> void construct(const A&, std::vector<Statement>& out) {
    other("construct of OpenACC, CUDA or a team of images", {}, out);
  }
  void construct(const parser::OmpEndLoopDirective&, std::vector<Statement>&) {}
  void construct(const parser::OpenMPConstruct& x, std::vector<Statement>& out) {
    if (const auto* loop = std::get_if<parser::OpenMPLoopConstruct>(&x.u)) {
      other("OpenMP directive: the cost of its run-time library is not counted", std::get<0>(loop->t).source, out);
      if (const auto& inner = std::get<std::optional<parser::DoConstruct>>(loop->t)) construct(*inner, out);
    } else if (const auto* region = std::get_if<parser::OpenMPBlockConstruct>(&x.u)) {
      other("OpenMP directive: the cost of its run-time library is not counted", std::get<0>(region->t).source, out);
      block(std::get<parser::Block>(region->t), out);
    } else if (const auto* critical = std::get_if<parser::OpenMPCriticalConstruct>(&x.u)) {
      other("OpenMP directive: the cost of its run-time library is not counted", std::get<0>(critical->t).source, out);
      block(std::get<parser::Block>(critical->t), out);
    } else {
      other("OpenMP directive", {}, out);
    }
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
  void other(const char* what, parser::CharBlock at, std::vector<Statement>& out) {
    Statement made = make(Kind::other, at);
    made.name = what;
    out.push_back(std::move(made));
  }
  Statement entry_statement(const parser::Statement<common::Indirection<parser::EntryStmt>>& x) {
    Statement made = make(Kind::entry, x);
    const auto& name = std::get<parser::Name>(x.statement.value().t);
    made.name = name.symbol ? linkage_name(*name.symbol) : name.ToString() + "_";
    procedure_->entries.push_back(made.name);
    procedure_->readable_entries.push_back(name.ToString());
    return made;
  }
  static std::string name_of(const std::optional<parser::Name>& name) { return name ? name->ToString() : ""; }

  void construct(const parser::DoConstruct& x, std::vector<Statement>& out) {
    const auto& first = std::get<parser::Statement<parser::NonLabelDoStmt>>(x.t);
    Statement made = make(Kind::do_forever, first);
    made.name = name_of(std::get<std::optional<parser::Name>>(first.statement.t));
    if (const auto& control = x.GetLoopControl()) {
      if (const auto* bounds = std::get_if<parser::LoopControl::Bounds>(&control->u)) {
        made.kind = Kind::do_count;
        add(bounds->lower, made), add(bounds->upper, made);
        if (bounds->step) add(*bounds->step, made);
        const auto* symbol = bounds->name.thing.symbol;
        made.real_counter = symbol && symbol->GetType() && symbol->GetType()->IsNumeric(common::TypeCategory::Real);
      } else if (const auto* condition = std::get_if<parser::ScalarLogicalExpr>(&control->u)) {
        made.kind = Kind::do_while;
        add(*condition, made);
      } else {
        made.kind = Kind::do_concurrent;
        header(std::get<parser::ConcurrentHeader>(std::get<parser::LoopControl::Concurrent>(control->u).t), made);
      }
    }
    made.branches.push_back(branch(first.source, std::get<parser::Block>(x.t)));
    out.push_back(std::move(made));
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
  Branch branch(parser::CharBlock at, const parser::Block& statements) {
    Branch made;
    made.at = place(at);
    block(statements, made.body);
    return made;
  }

  void construct(const parser::IfConstruct& x, std::vector<Statement>& out) {
    const auto& first = std::get<parser::Statement<parser::IfThenStmt>>(x.t);
    Statement made = make(Kind::if_then, first);
    made.name = name_of(std::get<std::optional<parser::Name>>(first.statement.t));
    made.branches.push_back(branch(first.source, std::get<parser::Block>(x.t)));
    made.branches.back().conditions.push_back(expression(std::get<parser::ScalarLogicalExpr>(first.statement.t)));
    for (const auto& alternative : std::get<std::list<parser::IfConstruct::ElseIfBlock>>(x.t)) {
      const auto& stated = std::get<parser::Statement<parser::ElseIfStmt>>(alternative.t);
      made.branches.push_back(branch(stated.source, std::get<parser::Block>(alternative.t)));
      made.branches.back().conditions.push_back(expression(std::get<parser::ScalarLogicalExpr>(stated.statement.t)));
    }
    if (const auto& last = std::get<std::optional<parser::IfConstruct::ElseBlock>>(x.t)) {
      made.branches.push_back(
          branch(std::get<parser::Statement<parser::ElseStmt>>(last->t).source, std::get<parser::Block>(last->t)));
      made.branches.back().otherwise = true;
    }
    out.push_back(std::move(made));
    landing(std::get<parser::Statement<parser::EndIfStmt>>(x.t), out);
  }
  // A label on the end of a construct is a place to jump to.
  template <class A> void landing(const parser::Statement<A>& x, std::vector<Statement>& out) {
    if (x.label) out.push_back(make(Kind::continue_, x));
  }

  void construct(const parser::CaseConstruct& x, std::vector<Statement>& out) {
    const auto& first = std::get<parser::Statement<parser::SelectCaseStmt>>(x.t);
    Statement made = make(Kind::select, first);
    made.name = name_of(std::get<std::optional<parser::Name>>(first.statement.t));
    add(std::get<parser::Scalar<parser::Expr>>(first.statement.t), made);
    for (const auto& each : std::get<std::list<parser::CaseConstruct::Case>>(x.t)) {
      const auto& stated = std::get<parser::Statement<parser::CaseStmt>>(each.t);
      made.branches.push_back(branch(stated.source, std::get<parser::Block>(each.t)));
      made.branches.back().otherwise =
          std::holds_alternative<parser::Default>(std::get<parser::CaseSelector>(stated.statement.t).u);
    }
    out.push_back(std::move(made));
    landing(std::get<parser::Statement<parser::EndSelectStmt>>(x.t), out);
  }
  void construct(const parser::SelectTypeConstruct& x, std::vector<Statement>& out) {
    const auto& first = std::get<parser::Statement<parser::SelectTypeStmt>>(x.t);
    Statement made = make(Kind::select, first);
    made.name = name_of(std::get<0>(first.statement.t));
    for (const auto& each : std::get<std::list<parser::SelectTypeConstruct::TypeCase>>(x.t)) {
      const auto& stated = std::get<parser::Statement<parser::TypeGuardStmt>>(each.t);
      made.branches.push_back(branch(stated.source, std::get<parser::Block>(each.t)));
      made.branches.back().otherwise =
          std::holds_alternative<parser::Default>(std::get<parser::TypeGuardStmt::Guard>(stated.statement.t).u);
    }
    out.push_back(std::move(made));
  }
  void construct(const parser::SelectRankConstruct& x, std::vector<Statement>& out) {
    const auto& first = std::get<parser::Statement<parser::SelectRankStmt>>(x.t);
    Statement made = make(Kind::select, first);
    made.name = name_of(std::get<0>(first.statement.t));
    for (const auto& each : std::get<std::list<parser::SelectRankConstruct::RankCase>>(x.t)) {
      const auto& stated = std::get<parser::Statement<parser::SelectRankCaseStmt>>(each.t);
      made.branches.push_back(branch(stated.source, std::get<parser::Block>(each.t)));
      made.branches.back().otherwise =
          std::holds_alternative<parser::Default>(std::get<parser::SelectRankCaseStmt::Rank>(stated.statement.t).u);
    }
    out.push_back(std::move(made));
  }
  template <class First, class A> void plain_block(const A& x, std::vector<Statement>& out, std::string name) {
    const auto& first = std::get<parser::Statement<First>>(x.t);
    Statement made = make(Kind::block, first);
    made.name = std::move(name);
    made.branches.push_back(branch(first.source, std::get<parser::Block>(x.t)));
    out.push_back(std::move(made));
  }
  void construct(const parser::BlockConstruct& x, std::vector<Statement>& out) {
    plain_block<parser::BlockStmt>(x, out, name_of(std::get<parser::Statement<parser::BlockStmt>>(x.t).statement.v));
  }
  void construct(const parser::CriticalConstruct& x, std::vector<Statement>& out) {
    plain_block<parser::CriticalStmt>(x, out, name_of(std::get<0>(std::get<0>(x.t).statement.t)));
  }
  void construct(const parser::AssociateConstruct& x, std::vector<Statement>& out) {
    const auto& first = std::get<parser::Statement<parser::AssociateStmt>>(x.t);
    plain_block<parser::AssociateStmt>(x, out, name_of(std::get<0>(first.statement.t)));
    for (const auto& each : std::get<std::list<parser::Association>>(first.statement.t))
      if (const auto* value = std::get_if<parser::Expr>(&std::get<parser::Selector>(each.t).u)) add(*value, out.back());
  }

  void construct(const parser::WhereConstruct& x, std::vector<Statement>& out) {
    const auto& first = std::get<parser::Statement<parser::WhereConstructStmt>>(x.t);
    Statement made = make(Kind::where, first);
    made.branches.push_back(where_branch(first.source, std::get<std::list<parser::WhereBodyConstruct>>(x.t)));
    made.branches.back().conditions.push_back(expression(std::get<parser::LogicalExpr>(first.statement.t)));
    for (const auto& each : std::get<std::list<parser::WhereConstruct::MaskedElsewhere>>(x.t)) {
      const auto& stated = std::get<parser::Statement<parser::MaskedElsewhereStmt>>(each.t);
      made.branches.push_back(where_branch(stated.source, std::get<std::list<parser::WhereBodyConstruct>>(each.t)));
      made.branches.back().conditions.push_back(expression(std::get<parser::LogicalExpr>(stated.statement.t)));
    }
    if (const auto& last = std::get<std::optional<parser::WhereConstruct::Elsewhere>>(x.t)) {
      made.branches.push_back(where_branch(std::get<parser::Statement<parser::ElsewhereStmt>>(last->t).source,
                                           std::get<std::list<parser::WhereBodyConstruct>>(last->t)));
      made.branches.back().otherwise = true;
    }
    out.push_back(std::move(made));
  }
  Branch where_branch(parser::CharBlock at, const std::list<parser::WhereBodyConstruct>& statements) {
    Branch made;
    made.at = place(at);
    for (const auto& each : statements) {
      if (const auto* assignment = std::get_if<parser::Statement<parser::AssignmentStmt>>(&each.u))
        made.body.push_back(assign(assignment->statement, assignment->source));
      else if (const auto* inner = std::get_if<parser::Statement<parser::WhereStmt>>(&each.u))
        made.body.push_back(where(inner->statement, inner->source));
      else
        construct(std::get<common::Indirection<parser::WhereConstruct>>(each.u).value(), made.body);
    }
    return made;
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

  void construct(const parser::ForallConstruct& x, std::vector<Statement>& out) {
    const auto& first = std::get<parser::Statement<parser::ForallConstructStmt>>(x.t);
    Statement made = make(Kind::forall, first);
    header(std::get<common::Indirection<parser::ConcurrentHeader>>(first.statement.t).value(), made);
    Branch body;
    body.at = made.at;
    for (const auto& each : std::get<std::list<parser::ForallBodyConstruct>>(x.t)) {
      if (const auto* assignment = std::get_if<parser::Statement<parser::ForallAssignmentStmt>>(&each.u))
        body.body.push_back(forall_assignment(assignment->statement, assignment->source));
      else if (const auto* inner = std::get_if<parser::Statement<parser::ForallStmt>>(&each.u))
        body.body.push_back(forall(inner->statement, inner->source));
      else if (const auto* masked = std::get_if<parser::Statement<parser::WhereStmt>>(&each.u))
        body.body.push_back(where(masked->statement, masked->source));
      else if (const auto* nested = std::get_if<common::Indirection<parser::ForallConstruct>>(&each.u))
        construct(nested->value(), body.body);
      else
        construct(std::get<parser::WhereConstruct>(each.u), body.body);
    }
    made.branches.push_back(std::move(body));
    out.push_back(std::move(made));
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

  // Expressions.
  template <class A> Expr expression(const A& x) {
    const auto* typed = semantics::GetExpr(context_, x);
    return typed ? expressions_.read(*typed) : Expr{};
  }
  template <class A> void add(const A& x, Statement& made) { made.exprs.push_back(expression(x)); }

  // Single statements.
  Statement action(const parser::ActionStmt& x, parser::CharBlock at, std::optional<parser::Label> label = {}) {
    Statement made = std::visit([&](const auto& y) { return this->simple(y, at); }, x.u);
    if (label) made.label = static_cast<int>(*label);
    return made;
  }
  template <class A> Statement simple(const common::Indirection<A>& x, parser::CharBlock at) { return simple(x.value(), at); }
  template <class A> Statement simple(const A&, parser::CharBlock at) {
    Statement made = make(Kind::other, at);
    made.name = "statement of coarrays, teams or events";
    return made;
  }
  Statement simple(const parser::ContinueStmt&, parser::CharBlock at) { return make(Kind::continue_, at); }
  Statement simple(const parser::AssignmentStmt& x, parser::CharBlock at) { return assign(x, at); }
  Statement simple(const parser::PointerAssignmentStmt& x, parser::CharBlock at) { return assign(x, at); }
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
  Statement simple(const parser::WriteStmt& x, parser::CharBlock at) {
    Statement made = library("write", at);
    controls(x.controls, made);
    items(x.items, made.exprs);
    return made;
  }
  Statement simple(const parser::PrintStmt& x, parser::CharBlock at) {
    Statement made = library("write", at);
    items(std::get<std::list<parser::OutputItem>>(x.t), made.exprs);
    return made;
  }
  Statement simple(const parser::ReadStmt& x, parser::CharBlock at) {
    Statement made = library("read", at);
    controls(x.controls, made);
    items(x.items, made.exprs);
    return made;
  }
  Statement simple(const parser::OpenStmt& x, parser::CharBlock at) {
    Statement made = library("open", at);
    error_labels(x.v, made);
    return made;
  }
  Statement simple(const parser::CloseStmt& x, parser::CharBlock at) {
    Statement made = library("close", at);
    error_labels(x.v, made);
    return made;
  }
  Statement simple(const parser::RewindStmt& x, parser::CharBlock at) {
    Statement made = library("rewind", at);
    error_labels(x.v, made);
    return made;
  }
  Statement simple(const parser::BackspaceStmt& x, parser::CharBlock at) {
    Statement made = library("backspace", at);
    error_labels(x.v, made);
    return made;
  }
  Statement simple(const parser::EndfileStmt& x, parser::CharBlock at) {
    Statement made = library("endfile", at);
    error_labels(x.v, made);
    return made;
  }
  Statement simple(const parser::FlushStmt& x, parser::CharBlock at) {
    Statement made = library("flush", at);
    error_labels(x.v, made);
    return made;
  }
  Statement simple(const parser::InquireStmt&, parser::CharBlock at) { return library("inquire", at); }
  Statement simple(const parser::WaitStmt&, parser::CharBlock at) { return library("wait", at); }

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
  std::vector<Procedure>* out_ = nullptr;
  Procedure* procedure_ = nullptr;
};

parser::Options options_for(const ReadRequest& request) {
  parser::Options options;
  options.isFixedForm = request.fixed_form;
  options.fixedFormColumns = request.columns;
  options.searchDirectories = request.include_folders;
  options.searchDirectories.insert(options.searchDirectories.begin(),
                                   std::filesystem::path(request.path).parent_path().string());
  options.intrinsicModuleDirectories = request.intrinsic_modules;
  options.features.Enable(common::LanguageFeature::BackslashEscapes, request.backslash);
  options.features.Enable(common::LanguageFeature::OpenMP, request.openmp);
  options.features.Enable(common::LanguageFeature::ImplicitNoneTypeAlways, request.implicit_none);
  options.features.Enable(common::LanguageFeature::DefaultSave, request.save_all);
  if (request.preprocess)
    for (const auto& macro : request.macros) options.predefinitions.push_back(macro);
  return options;
}

void first_error(parser::Messages& messages, const parser::AllCookedSources& cooked, ReadResult& result) {
  for (const auto& message : messages.messages()) {
    if (!message.IsFatal()) continue;
    std::string text = message.ToString();
    result.missing_module |= text.find("Cannot read module file") != text.npos ||
                             text.find("Cannot parse module file") != text.npos;
    if (!result.error.empty()) continue;
    result.error = text;
    auto range = message.GetProvenanceRange(cooked);
    auto position = range ? cooked.allSources().GetSourcePosition(range->start()) : std::nullopt;
    if (position) result.error_at = {*position->path, position->line, position->column};
  }
  if (result.error.empty()) result.error = "it does not parse";
}

}  // namespace

ReadResult read_tree(const ReadRequest& request) {
  ReadResult result;
  parser::AllSources sources;
  parser::AllCookedSources cooked{sources};
  parser::Parsing parsing{cooked};
  parser::Options options = options_for(request);
  parsing.Prescan(request.path, options);
  if (!parsing.messages().AnyFatalError()) parsing.Parse(llvm::nulls());
  if (parsing.messages().AnyFatalError() || !parsing.parseTree() || !parsing.consumedWholeFile()) {
    first_error(parsing.messages(), cooked, result);
    return result;
  }
  common::IntrinsicTypeDefaultKinds kinds;
  kinds.set_defaultIntegerKind(request.integer_kind).set_defaultLogicalKind(request.integer_kind);
  kinds.set_defaultRealKind(request.real_kind).set_doublePrecisionKind(request.double_kind);
  semantics::SemanticsContext context{kinds, options.features, cooked};
  std::vector<std::string> folders = {request.module_folder, "."};
  folders.insert(folders.end(), request.include_folders.begin(), request.include_folders.end());
  context.set_moduleDirectory(request.module_folder).set_searchDirectories(folders);
  context.set_intrinsicModuleDirectories(request.intrinsic_modules).set_warnOnNonstandardUsage(false);
  semantics::Semantics semantics{context, *parsing.parseTree()};
  if (!semantics.Perform() || context.AnyFatalError()) {
    first_error(context.messages(), cooked, result);
    return result;
  }
  TreeReader{context, cooked}.program(*parsing.parseTree(), result.procedures);
  return result;
}

}  // namespace perfcast::flang

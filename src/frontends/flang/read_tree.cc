// Flang's parse tree becomes a plain one: program units and constructs here, single statements in read_statement.h.
#include "flang/Common/default-kinds.h"
#include "flang/Parser/parsing.h"
#include "frontends/flang/read_statement.h"
#include "llvm/Support/raw_ostream.h"

#include <filesystem>

namespace perfcast::flang {
namespace {

class TreeReader : StatementReader {
 public:
  using StatementReader::StatementReader;

  void program(const parser::Program& program, std::vector<Procedure>& procedures) {
    out_ = &procedures;
    for (const auto& unit : program.v) std::visit([&](const auto& x) { this->unit(x.value()); }, unit.u);
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

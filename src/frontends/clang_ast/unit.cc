#include "frontends/clang_ast/unit.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>

#include "frontends/clang_ast/walker.h"
#include "frontends/regions.h"
#include "frontends/source_path.h"

namespace perfcast::clang_ast {

using namespace clang;

Unit::Unit(ASTContext& context, Collected& collected, std::string folder)
    : context_(context), collected_(collected), folder_(std::move(folder)), mangler_(context.createMangleContext()) {}

// As debug information gives it: the place of expansion for macros, #line honoured.
Location Unit::location(SourceLocation at) const {
  const auto& sources = context_.getSourceManager();
  if (at.isInvalid()) return {};
  auto presumed = sources.getPresumedLoc(sources.getExpansionLoc(at));
  if (presumed.isInvalid()) return {};
  return {source_path(presumed.getFilename(), folder_), static_cast<int>(presumed.getLine()), static_cast<int>(presumed.getColumn())};
}

std::string Unit::linkage_name(GlobalDecl declaration) {
  std::string name;
  llvm::raw_string_ostream out(name);
  auto* named = cast<NamedDecl>(declaration.getDecl());
  if (mangler_->shouldMangleDeclName(named)) mangler_->mangleName(declaration, out);
  else out << named->getNameAsString();
  return name;
}

GlobalDecl Unit::body_variant(const FunctionDecl* function) const {
  if (auto* constructor = dyn_cast<CXXConstructorDecl>(function)) return {constructor, Ctor_Base};
  if (auto* destructor = dyn_cast<CXXDestructorDecl>(function)) return {destructor, Dtor_Base};
  return function;
}

bool Unit::has_source(const FunctionDecl* function) const {
  const FunctionDecl* definition = function->getDefinition();
  if (!definition) return false;
  if (definition->isDeleted()) return false;
  if (!definition->doesThisDeclarationHaveABody() && !definition->isDefaulted()) return false;
  return context_.GetGVALinkageForFunction(definition) != GVA_AvailableExternally;
}

void Unit::reach(const FunctionDecl* function) {
  if (!has_source(function)) return;
  auto* definition = function->getDefinition();
  if (definition->isTemplated() || definition->isConsteval()) return;
  if (reached_.insert(definition).second) to_read_.push_back(definition);
}

void Unit::reach_virtuals(const CXXRecordDecl* record) {
  if (!record->isPolymorphic() || !constructed_.insert(record).second) return;
  for (auto* method : record->methods())
    if (method->isVirtual()) reach(method);
  for (auto& base : record->bases())
    if (auto* parent = base.getType()->getAsCXXRecordDecl()) reach_virtuals(parent);
}

void Unit::gap(const std::string& what, SourceLocation at) { collected_.gaps.push_back({what, location(at), 0}); }

// Everything the files themselves define; what they use of headers is found from there.
void Unit::find_roots(const DeclContext* scope) {
  const auto& sources = context_.getSourceManager();
  for (auto* declared : scope->decls()) {
    if (sources.isInSystemHeader(declared->getLocation())) continue;
    if (auto* function = dyn_cast<FunctionDecl>(declared)) {
      bool here = sources.isInMainFile(sources.getExpansionLoc(function->getLocation()));
      bool emitted = context_.GetGVALinkageForFunction(function) == GVA_StrongExternal;
      if (function->doesThisDeclarationHaveABody() && !function->isImplicit() && (here || emitted)) reach(function);
    } else if (auto* variable = dyn_cast<VarDecl>(declared)) {
      if (variable->hasGlobalStorage() && variable->hasInit() && !variable->isTemplated() &&
          !variable->getType()->isDependentType() && variable == variable->getInitializingDeclaration())
        globals_.push_back(variable);
    }
    if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl>(declared)) find_roots(cast<DeclContext>(declared));
    if (auto* record = dyn_cast<CXXRecordDecl>(declared);
        record && record->isThisDeclarationADefinition() && !record->isDependentContext())
      find_roots(record);
  }
}

void Unit::read() {
  find_roots(context_.getTranslationUnitDecl());
  for (auto* variable : globals_) read_global(variable);
  while (!to_read_.empty()) {
    auto* function = to_read_.back();
    to_read_.pop_back();
    read_function(function);
  }
  find_regions_of_files();
}

void Unit::read_function(const FunctionDecl* definition) {
  auto variant = body_variant(definition);
  auto name = linkage_name(variant);
  bool internal = !definition->isExternallyVisible();
  Function function;
  function.name = name;
  function.at = location(definition->getLocation());
  auto key = internal ? name + " " + function.at.file : name;
  if (!collected_.by_name.try_emplace(key, collected_.graph.functions.size()).second) return;
  if (context_.getLangOpts().CPlusPlus) {
    llvm::raw_string_ostream out(function.readable);
    auto policy = context_.getPrintingPolicy();
    definition->getNameForDiagnostic(out, policy, true);
    if (function.readable == name) function.readable.clear();
  }
  function.library = context_.getSourceManager().isInSystemHeader(definition->getLocation());
  std::vector<OpenCall> open;
  Walker(*this, function, open).body(definition);
  // A class with virtual bases has two bodies: one for whole objects, one for parts of others.
  auto* constructor = dyn_cast<CXXConstructorDecl>(definition);
  if (constructor && constructor->getParent()->getNumVBases()) {
    Function whole = function;
    whole.name = linkage_name({constructor, Ctor_Complete});
    collected_.graph.functions.push_back(std::move(whole));
    collected_.open.push_back(open);
    collected_.by_name[key] = collected_.graph.functions.size();
  }
  collected_.graph.functions.push_back(std::move(function));
  collected_.open.push_back(std::move(open));
}

// Variables that are set before main: one function holds them all, whatever their file.
void Unit::read_global(const VarDecl* variable) {
  if (!context_.getLangOpts().CPlusPlus || variable->isConstexpr() || variable->hasConstantInitialization()) return;
  const char* name = "__cxx_global_var_init";
  auto [found, fresh] = collected_.by_name.try_emplace(name, collected_.graph.functions.size());
  if (fresh) {
    Function made;
    made.name = name;
    made.readable = "initialisation of global variables";
    made.at = location(variable->getLocation());
    collected_.graph.functions.push_back(std::move(made));
    collected_.open.emplace_back();
  }
  // Walking may reach other functions, but these are only queued: the reference stays valid.
  auto& function = collected_.graph.functions[found->second];
  Walker(*this, function, collected_.open[found->second]).global_variable(variable);
}

void Unit::find_regions_of_files() {
  const auto& sources = context_.getSourceManager();
  for (auto it = sources.fileinfo_begin(); it != sources.fileinfo_end(); ++it) {
    auto id = sources.translateFile(it->first);
    if (id.isInvalid()) continue;
    auto start = sources.getLocForStartOfFile(id);
    if (sources.isInSystemHeader(start)) continue;
    auto file = location(start).file;
    if (file.empty() || !collected_.region_files.insert(file).second) continue;
    find_regions(file, sources.getBufferData(id).str(), collected_.regions, collected_.gaps);
  }
}

}  // namespace perfcast::clang_ast

// One translation unit on its way into the graph: names, places, which functions are still to be read, and which
// calls may turn out to go to a library once all files are known.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/GlobalDecl.h>
#include <clang/AST/Mangle.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "frontends/open_calls.h"
#include "record/profile.h"

namespace perfcast::clang_ast {

// What all files of the program give together.
struct Collected {
  Graph graph;
  std::map<std::string, std::size_t> by_name;       // functions with external linkage, or `name file` for others
  std::vector<std::vector<OpenCall>> open;          // per function
  std::vector<Gap>& gaps;
  std::vector<Region>& regions;
  std::set<std::string> region_files = {};
  explicit Collected(std::vector<Gap>& g, std::vector<Region>& r) : gaps(g), regions(r) {}
};

class Unit {
 public:
  Unit(clang::ASTContext& context, Collected& collected, std::string folder);

  // Reads all functions of the unit that belong to the program.
  void read();

  clang::ASTContext& context() { return context_; }
  Location location(clang::SourceLocation at) const;
  std::string linkage_name(clang::GlobalDecl declaration);
  // The variant of a function that holds its body: the base one for constructors and destructors.
  clang::GlobalDecl body_variant(const clang::FunctionDecl* function) const;
  // Defined here and compiled here: its body is part of the program.
  bool has_source(const clang::FunctionDecl* function) const;
  void reach(const clang::FunctionDecl* function);
  // The virtual functions of a class that is constructed somewhere.
  void reach_virtuals(const clang::CXXRecordDecl* record);
  void gap(const std::string& what, clang::SourceLocation at);

 private:
  void find_roots(const clang::DeclContext* scope);
  void read_function(const clang::FunctionDecl* function);
  void read_global(const clang::VarDecl* variable);
  void find_regions_of_files();

  clang::ASTContext& context_;
  Collected& collected_;
  std::string folder_;
  std::unique_ptr<clang::MangleContext> mangler_;
  std::vector<const clang::FunctionDecl*> to_read_;
  std::set<const clang::Decl*> reached_;
  std::set<const clang::CXXRecordDecl*> constructed_;
  std::vector<const clang::VarDecl*> globals_;
};

}  // namespace perfcast::clang_ast

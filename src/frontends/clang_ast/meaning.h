// What expressions of the syntax tree mean in the vocabulary of source operations: the codes of types, the storage of
// operands, what is constant, what is a plain value. No state but the compiler's own context.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

#include <optional>
#include <string>

namespace perfcast::clang_ast {

// "IS", "RD", "PP", ...; empty for what is no scalar. Types wider than the vocabulary take the widest of their kind.
std::string type_code(const clang::ASTContext& context, clang::QualType type);
// "VISRD"; empty where the conversion costs nothing (same size, or from a comparison).
std::string conversion_name(const std::string& from, const std::string& to);
// Eightbytes a value of this type takes, at least one; none for an empty class, of which nothing is ever copied.
double eightbytes(const clang::ASTContext& context, clang::QualType type);

// Without parentheses, wrappers of temporaries and full expressions, and casts that do nothing.
const clang::Expr* bare(const clang::Expr* expression);
// Known while compiling, and emitted as a constant even without optimisation.
bool is_constant(const clang::ASTContext& context, const clang::Expr* expression);
std::optional<bool> constant_condition(const clang::ASTContext& context, const clang::Expr* condition);
// A variable, element, member or constant: nothing is computed (Saavedra's memory transfer, section 4.2.2).
bool is_plain(const clang::ASTContext& context, const clang::Expr* expression);

// Whether the object an lvalue names lies in global storage, by the root of the access path: a for `a[i].x`, p for
// `p->x`. Temporaries and constants are not global.
bool is_global(const clang::Expr* expression);

// The operation that loads an argument of this type ("AGRD", "AGPP"), and how often.
std::pair<std::string, double> argument_load(const clang::ASTContext& context, clang::QualType type);

// A routine of the C library as the vocabulary names it: sqrt is SQRD, sinf is SINS, others keep their name.
std::string routine_name(const std::string& c_name);

// Elements of a (nested) constant array type, 1 for what is no array.
double element_count(const clang::ASTContext& context, clang::QualType type);

}  // namespace perfcast::clang_ast

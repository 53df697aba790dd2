// A Fortran program as plain data: what the operations of a statement are read from. Flang's own headers need C++17 and
// a minute per file that includes them, so two files (read_tree.cc, read_expression.cc) turn Flang's parse tree and
// typed expressions into this, and everything else knows only this. Plain C++17.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace perfcast::flang {

struct Place {
  std::string file;  // absolute
  int line = 0, column = 0;
};

enum class Category { none, integer, real, complex, logical, character, derived };

struct Type {
  Category category = Category::none;
  int kind = 0;  // bytes of an integer, a logical, a real or a part of a complex number
};

struct Expr {
  enum class Kind {
    constant,
    variable,     // scalar or whole array, by name
    subscripted,  // array, subscripts...: an element, or a section when rank > 0
    triplet,      // lower, upper, stride: the subscript of a section; absent bounds are missing
    component,    // of a derived type: base
    part,         // of a complex number: base
    substring,    // base, bounds...
    operation,    // operands...; name is + - * / ** neg and not compare concat convert complex min
    intrinsic,    // arguments...
    call,         // arguments...; name is the linkage name, "*" through a pointer or a table
    expansion,    // arguments..., body: a statement function
    array,        // values...: an array constructor
    implied_do,   // lower, upper, stride, values...
    structure,    // values...
    nothing,      // an inquiry answered without work, an absent argument
  };
  Kind kind = Kind::nothing;
  std::string name;
  Type type;
  int rank = 0;
  bool global = false;    // COMMON, module, SAVE
  bool indirect = false;  // pointer or allocatable: reached through its descriptor
  bool elemental = false; // call
  std::optional<std::int64_t> value;     // of an integer or logical constant
  std::optional<std::int64_t> elements;  // of an array whose shape is known while compiling,
  std::vector<std::int64_t> extents;     // and its shape
  std::optional<Place> at;               // item of an input or output list
  std::vector<Expr> parts;
};

struct Statement;

struct Branch {
  Place at;
  bool otherwise = false;         // ELSE, CASE DEFAULT, ELSEWHERE
  std::vector<Expr> conditions;   // none for ELSE
  std::vector<Statement> body;
};

struct Statement {
  enum class Kind {
    assign,          // target, value
    pointer_assign,  // target, value
    call,            // call; labels: alternate returns
    if_then,         // branches; a logical IF has one
    do_count,        // lower, upper, step when given; body in branches[0]
    do_while,        // condition
    do_forever,
    do_concurrent,   // bounds...; mask in branches[0].conditions, body in branches[1]
    forall,          // the same
    where,           // branches
    select,          // selector; branches
    block,           // BLOCK, ASSOCIATE, CRITICAL: exprs, then branches[0]
    go_to,           // labels[0]
    computed_go_to,  // selector; labels
    assigned_go_to,  // labels may be empty: any
    assign_label,    // ASSIGN 10 TO I
    arithmetic_if,   // expression; labels: negative, zero, positive
    exit,            // name of the construct or ""
    cycle,
    return_,
    stop,
    continue_,
    library,         // input, output, ALLOCATE...: name; exprs; labels: ERR=, END=
    entry,           // name: linkage name
    other,           // not understood: name
  };
  Kind kind = Kind::other;
  Place at;
  int label = 0;  // 0: none
  std::string name;
  bool real_counter = false;  // do_count with a real variable
  std::vector<Expr> exprs;
  std::vector<int> labels;
  std::vector<Branch> branches;
};

struct Procedure {
  std::string name;      // linkage name
  std::string readable;  // as a person writes it
  Place at, end;
  std::vector<std::string> entries, readable_entries;  // of its ENTRY statements
  std::vector<Statement> statements;
};

struct ReadRequest {
  std::string path;
  bool fixed_form = false, preprocess = false, openmp = false, backslash = false, implicit_none = false;
  bool save_all = false;  // -fno-automatic
  int columns = 72;       // of fixed form
  int integer_kind = 4, real_kind = 4, double_kind = 8;
  std::vector<std::string> include_folders;                                    // -I
  std::vector<std::pair<std::string, std::optional<std::string>>> macros;      // -D NAME, NAME=VALUE; no value: -U
  std::string module_folder;                                                   // written here
  std::vector<std::string> intrinsic_modules;                                  // Flang's own .mod files
};

struct ReadResult {
  std::vector<Procedure> procedures;
  std::string error;        // of the compiler, when the file does not parse
  Place error_at;
  bool missing_module = false;  // it uses a module no file read so far has given
};

ReadResult read_tree(const ReadRequest& request);

}  // namespace perfcast::flang

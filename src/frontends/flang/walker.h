// Walks one procedure and writes its blocks: one per statement, with edges to the statements that may follow. The
// operations of expressions go into the block of their statement; those of array expressions whose size is not known
// while compiling go into a block of their own, "elements", executed once per element.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "frontends/flang/tree.h"
#include "frontends/open_calls.h"
#include "record/profile.h"

namespace perfcast::flang {

class Walker {
 public:
  Walker(Function& function, std::vector<OpenCall>& open, std::vector<Gap>& gaps)
      : function_(function), open_(open), gaps_(gaps) {}

  // `entry`: linkage name of the ENTRY statement where this copy of the procedure starts; empty: at its beginning.
  void walk(const Procedure& procedure, const std::string& entry);

 private:
  // What is executed together: operations and calls.
  struct Work {
    std::string kind = "elements";  // of a block of its own
    std::map<std::string, double> usage;
    std::vector<Call> calls;
    std::vector<OpenCall> open;
  };
  struct Construct {
    std::string name;
    bool loop = false;
    int again = -1;            // block a CYCLE goes to
    std::vector<int> leaving;  // blocks of EXIT statements
  };

  // Statements (statements.cc).
  int open_block(const std::string& kind, const Place& at);
  void close_block(int block);  // gives the block the work found since it was opened
  void statements(const std::vector<Statement>& list);
  void statement(const Statement& s);
  void labelled(const Statement& s);
  void assign(const Statement& s);
  void if_then(const Statement& s);
  void do_count(const Statement& s);
  void do_other(const Statement& s);
  void concurrent(const Statement& s);
  void where(const Statement& s);
  void select(const Statement& s);
  void library(const Statement& s);
  void items(const std::vector<Expr>& list, const Statement& s);
  void jump(const Statement& s);
  void body(const std::vector<Statement>& list);
  // Runs `walk` as the body of a loop whose test is `test`; what leaves it goes on after it.
  void loop(const Statement& s, int test, const std::function<void()>& walk);
  void go_to(int block, int label) { jumps_.push_back({block, label}); }
  void edge(int from, int to);
  void resolve_jumps();
  Location location(const Place& at) const;
  void gap(const std::string& what);

  // Expressions (expressions.cc).
  void value(const Expr& e);        // computes a scalar
  void place(const Expr& e);        // finds where an object lies
  void operation(const Expr& e);
  void power(const Expr& e);
  void convert(const Expr& e);
  void subscripts(const Expr& e, bool element);
  void store(const Expr& target, const Expr& source);
  void array_assign(const Expr& target, const Expr& source);
  void array_value(const Expr& e);  // one element of it; parts that are scalar are computed once, outside
  void array_operand(const Expr& e);
  void evaluate_array(const Expr& e);  // an array that is put into a temporary
  // Does `walk` for each of `n` elements, or an unknown number: of a loop the compiler makes, or of a routine of the
  // run-time library.
  void each_element(std::optional<std::int64_t> n, const std::function<void()>& walk, const std::string& routine = {});
  void outside(const std::function<void()>& walk);
  void call(const Expr& e);
  void arguments(const Expr& e, std::map<std::string, double>& loads);
  void intrinsic(const Expr& e);                          // intrinsics.cc
  bool reduction(const Expr& e);                          // intrinsics.cc
  void routine(const Expr& e, const std::string& name);   // a library routine
  void add(const std::string& operation, double times = 1);
  // OPERATION TYPE STORAGE; twice for the parts of a complex number.
  void add_typed(char operation, const Type& type, bool global, double times = 1);
  static bool is_global(const Expr& e);
  static bool is_plain(const Expr& e);

  Function& function_;
  std::vector<OpenCall>& open_;
  std::vector<Gap>& gaps_;
  Location here_;                    // of the statement being walked
  std::vector<Work> work_;           // innermost last
  std::vector<Work> after_;          // work of "elements" blocks of the statement being walked
  std::optional<int> loop_;
  std::vector<int> from_;            // blocks after which the next one comes
  std::vector<Construct> constructs_;
  std::map<int, int> labels_;        // label -> block
  std::vector<std::pair<int, int>> jumps_;  // block, label
  std::map<std::string, int> names_;
  std::string entry_;
  int entry_block_ = -1;
  int in_index_ = 0;
  bool masked_ = false;              // inside WHERE or FORALL: each assignment runs for chosen elements
};

std::string type_code(const Type& type);
std::string conversion_name(const Type& from, const Type& to);

}  // namespace perfcast::flang

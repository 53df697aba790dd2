// Statements open blocks and say what may follow them.
#include <algorithm>
#include <utility>

#include "frontends/flang/walker.h"
#include "frontends/source_path.h"

namespace perfcast::flang {

using StatementKind = Statement::Kind;

Location Walker::location(const Place& at) const { return {source_path(at.file), at.line, at.column}; }

void Walker::gap(const std::string& what) { gaps_.push_back({what, here_, 0}); }

void Walker::edge(int from, int to) {
  auto& next = function_.blocks[static_cast<std::size_t>(from)].next;
  if (std::none_of(next.begin(), next.end(), [&](const Edge& e) { return e.to == to; })) next.push_back({to, {}});
}

int Walker::open_block(const std::string& kind, const Place& at) {
  Block block;
  block.kind = kind;
  block.at = here_ = location(at);
  block.loop = loop_;
  block.name = kind + "@" + std::to_string(block.at.line) + ":" + std::to_string(block.at.column);
  if (int again = names_[block.name]++) block.name += "." + std::to_string(again + 1);
  function_.blocks.push_back(std::move(block));
  int number = static_cast<int>(function_.blocks.size()) - 1;
  for (int from : from_) edge(from, number);
  from_ = {number};
  work_.assign(1, {});
  after_.clear();
  return number;
}

void Walker::close_block(int number) {
  const Location own = function_.blocks[static_cast<std::size_t>(number)].at;
  const Place at{own.file, own.line, own.column};
  auto give = [&](int block, Work& work) {
    Block& made = function_.blocks[static_cast<std::size_t>(block)];
    made.usage = std::move(work.usage), made.calls = std::move(work.calls);
    for (auto& call : work.open) call.block = static_cast<std::size_t>(block), open_.push_back(std::move(call));
  };
  auto elements = std::move(after_);
  give(number, work_.back());
  work_.assign(1, {});
  for (auto& work : elements) {
    auto before = std::exchange(from_, {});  // not a statement of its own: what follows comes after the statement
    int block = open_block(work.kind, at);
    give(block, work);
    work_.assign(1, {});
    from_ = before;
  }
}

void Walker::walk(const Procedure& procedure, const std::string& entry) {
  entry_ = entry;
  if (!entry.empty()) open_block("entry", procedure.at), from_.clear();
  statements(procedure.statements);
  open_block("end", procedure.end);
  resolve_jumps();
  if (entry_block_ >= 0) {
    function_.blocks[0].at = function_.blocks[static_cast<std::size_t>(entry_block_)].at;
    edge(0, entry_block_);
  }
}

void Walker::resolve_jumps() {
  for (auto [block, label] : jumps_) {
    if (auto it = labels_.find(label); it != labels_.end()) edge(block, it->second);
    else if (label == 0) for (auto& [any, target] : labels_) edge(block, target);  // assigned GO TO without a list
  }
}

void Walker::statements(const std::vector<Statement>& list) {
  for (const auto& s : list) labelled(s);
}

// The block a jump to the label arrives at is the first one the statement makes.
void Walker::labelled(const Statement& s) {
  std::size_t first = function_.blocks.size();
  statement(s);
  if (s.label && function_.blocks.size() > first) labels_[s.label] = static_cast<int>(first);
}

void Walker::statement(const Statement& s) {
  int block = 0;
  switch (s.kind) {
    case StatementKind::assign: return assign(s);
    case StatementKind::pointer_assign:
      block = open_block("assign", s.at);
      if (s.exprs.size() == 2) {
        for (const auto& e : s.exprs)
          if (e.kind != Expr::Kind::variable) place(e.kind == Expr::Kind::component ? e.parts[0] : e);
        add("TILL");
      }
      else add("TILL", static_cast<double>(s.exprs.size()));  // NULLIFY
      return close_block(block);
    case StatementKind::call:
      block = open_block("call", s.at);
      if (!s.exprs.empty()) value(s.exprs[0]);
      for (int label : s.labels) go_to(block, label);
      return close_block(block);
    case StatementKind::if_then: return if_then(s);
    case StatementKind::do_count: return do_count(s);
    case StatementKind::do_while:
    case StatementKind::do_forever: return do_other(s);
    case StatementKind::do_concurrent:
    case StatementKind::forall: return concurrent(s);
    case StatementKind::where: return where(s);
    case StatementKind::select: return select(s);
    case StatementKind::block: {
      if (!s.exprs.empty()) {
        block = open_block("associate", s.at);
        for (const auto& e : s.exprs) e.rank > 0 ? evaluate_array(e) : value(e);
        close_block(block);
      }
      constructs_.push_back({s.name, false, -1, {}});
      statements(s.branches[0].body);
      auto left = std::move(constructs_.back().leaving);
      constructs_.pop_back();
      from_.insert(from_.end(), left.begin(), left.end());
      return;
    }
    case StatementKind::go_to:
    case StatementKind::exit:
    case StatementKind::cycle: return jump(s);
    case StatementKind::computed_go_to:
    case StatementKind::assigned_go_to:
    case StatementKind::arithmetic_if: {
      bool arithmetic = s.kind == StatementKind::arithmetic_if, computed = s.kind == StatementKind::computed_go_to;
      block = open_block(arithmetic ? "arithmetic-if" : computed ? "computed-goto" : "assigned-goto", s.at);
      for (const auto& e : s.exprs) value(e);
      add("GCOM");  // an arithmetic IF is a computed GO TO on the sign (section 4.2.3)
      close_block(block);
      for (int label : s.labels) go_to(block, label);
      if (s.kind == StatementKind::assigned_go_to && s.labels.empty()) go_to(block, 0);
      if (!computed) from_.clear();
      return;
    }
    case StatementKind::assign_label:
      block = open_block("assign", s.at);
      add("TISL");
      return close_block(block);
    case StatementKind::return_:
    case StatementKind::stop:
      block = open_block(s.kind == StatementKind::stop ? "stop" : "return", s.at);
      for (const auto& e : s.exprs) value(e), add("TISL");
      close_block(block);
      from_.clear();
      return;
    case StatementKind::continue_: open_block("continue", s.at); return;
    case StatementKind::library: return library(s);
    case StatementKind::entry:
      block = open_block("entry", s.at);
      if (s.name == entry_) entry_block_ = block;
      return;
    case StatementKind::other:
      if (s.at.line) open_block("other", s.at);
      return gap(s.name);
  }
}

void Walker::assign(const Statement& s) {
  int block = open_block(masked_ ? "masked" : "assign", s.at);
  if (s.exprs.size() == 2) {
    const Expr &target = s.exprs[0], &source = s.exprs[1];
    if (masked_ && target.rank > 0) {  // one element, the mask's loop is counted apart
      work_.push_back({});
      array_value(source);
      array_operand(target);
      add_typed(is_plain(source) ? 'T' : 'S', target.type, is_global(target));
      Work element = std::move(work_.back());
      work_.assign(1, std::move(element));
    } else if (target.rank > 0) {
      array_assign(target, source);
    } else {
      store(target, source);
    }
  }
  close_block(block);
}

void Walker::body(const std::vector<Statement>& list) { statements(list); }

void Walker::if_then(const Statement& s) {
  std::vector<int> done;
  bool first = true, otherwise = false;
  constructs_.push_back({s.name, false, -1, {}});
  for (const auto& branch : s.branches) {
    otherwise = otherwise || branch.otherwise;
    std::vector<int> before = from_;
    if (!branch.otherwise) {
      int block = open_block(first ? "if" : "else-if", branch.at);
      for (const auto& condition : branch.conditions) {
        value(condition);
        if (condition.kind != Expr::Kind::constant) add("BRAN");
      }
      close_block(block);
      before = {block};
    }
    first = false;
    from_ = before;
    body(branch.body);
    done.insert(done.end(), from_.begin(), from_.end());
    from_ = before;
  }
  if (otherwise) from_.clear();
  from_.insert(from_.end(), done.begin(), done.end());
  auto left = std::move(constructs_.back().leaving);
  constructs_.pop_back();
  from_.insert(from_.end(), left.begin(), left.end());
}

void Walker::loop(const Statement& s, int test, const std::function<void()>& walk) {
  auto outer = loop_;
  Loop made;
  made.at = location(s.at);
  made.header = test;
  made.parent = outer;
  function_.loops.push_back(made);
  loop_ = static_cast<int>(function_.loops.size()) - 1;
  function_.blocks[static_cast<std::size_t>(test)].loop = loop_;
  constructs_.push_back({s.name, true, test, {}});
  walk();
  for (int from : from_) edge(from, test);
  from_ = s.kind == StatementKind::do_forever ? std::vector<int>{} : std::vector<int>{test};
  auto left = std::move(constructs_.back().leaving);
  constructs_.pop_back();
  from_.insert(from_.end(), left.begin(), left.end());
  loop_ = outer;
}

// LOIN and LOOV where the step is one, LOIX and LOOX otherwise (section 4.2.3).
void Walker::do_count(const Statement& s) {
  int block = open_block("do", s.at);
  for (const auto& bound : s.exprs) value(bound);
  bool by_one = !s.real_counter && (s.exprs.size() < 3 || s.exprs[2].value == 1);
  add(by_one ? "LOIN" : "LOIX");
  close_block(block);
  int test = open_block("do-test", s.at);
  loop(s, test, [&] {
    int each = open_block("do-iterate", s.at);
    add(by_one ? "LOOV" : "LOOX");
    close_block(each);
    body(s.branches[0].body);
  });
}

void Walker::do_other(const Statement& s) {
  bool forever = s.kind == StatementKind::do_forever;
  int test = open_block(forever ? "do-forever" : "while-test", s.at);
  if (!forever) {
    value(s.exprs[0]);
    if (s.exprs[0].kind != Expr::Kind::constant) add("BRAN");
    close_block(test);
  }
  loop(s, test, [&] { body(s.branches[0].body); });
}

void Walker::concurrent(const Statement& s) {
  int block = open_block("do", s.at);
  for (const auto& bound : s.exprs) value(bound);
  add("LOIN", static_cast<double>(std::max<std::size_t>(1, s.exprs.size() / 2)));
  close_block(block);
  int test = open_block("do-test", s.at);
  loop(s, test, [&] {
    int each = open_block("do-iterate", s.at);
    add("LOOV");
    for (const auto& mask : s.branches[0].conditions) value(mask), add("BRAN");
    close_block(each);
    bool outer = masked_;
    masked_ = s.kind == StatementKind::forall;
    body(s.branches[1].body);
    masked_ = outer;
  });
}

// The masks are computed for all elements, each assignment for those its mask chose.
void Walker::where(const Statement& s) {
  double assignments = 0;
  for (const auto& branch : s.branches) assignments += static_cast<double>(branch.body.size());
  bool outer = masked_;
  bool first = true;
  for (const auto& branch : s.branches) {
    if (!branch.otherwise) {
      int block = open_block(first ? "where" : "elsewhere", branch.at);
      for (const auto& mask : branch.conditions)
        each_element(mask.elements, [&] {
          array_value(mask);
          add("TISL");
          if (first) add("BRAN", assignments), add("LOOV", assignments);
        });
      close_block(block);
    }
    first = false;
    masked_ = true;
    auto before = from_;
    body(branch.body);
    from_ = before;
    masked_ = outer;
  }
}

void Walker::select(const Statement& s) {
  int block = open_block("select", s.at);
  for (const auto& e : s.exprs) value(e);
  add("GCOM");  // the computed GO TO is FORTRAN 77's case statement (section 4.2.3)
  close_block(block);
  std::vector<int> done;
  bool otherwise = false;
  constructs_.push_back({s.name, false, -1, {}});
  for (const auto& branch : s.branches) {
    otherwise = otherwise || branch.otherwise;
    from_ = {block};
    body(branch.body);
    done.insert(done.end(), from_.begin(), from_.end());
  }
  from_ = std::move(done);
  if (!otherwise) from_.push_back(block);
  auto left = std::move(constructs_.back().leaving);
  constructs_.pop_back();
  from_.insert(from_.end(), left.begin(), left.end());
}

void Walker::library(const Statement& s) {
  int block = open_block(s.name, s.at);
  bool memory = s.name == "allocate" || s.name == "deallocate";
  if (!memory) add(s.name);
  for (const auto& e : s.exprs) {
    if (memory && e.kind == Expr::Kind::nothing) add(e.name);
    else if (e.kind != Expr::Kind::implied_do) e.rank > 0 ? evaluate_array(e) : value(e);
  }
  close_block(block);
  for (int label : s.labels) go_to(block, label);
  items(s.exprs, s);
}

// An implied DO in an input or output list: its items have positions of their own.
void Walker::items(const std::vector<Expr>& list, const Statement& s) {
  for (const auto& e : list) {
    if (e.kind != Expr::Kind::implied_do) continue;
    auto before = from_;
    for (std::size_t i = 3; i < e.parts.size(); i++) {
      if (!e.parts[i].at) continue;
      from_.clear();
      int block = open_block("item", *e.parts[i].at);
      e.parts[i].rank > 0 ? evaluate_array(e.parts[i]) : value(e.parts[i]);
      if (i == 3) add("LOOV");
      close_block(block);
    }
    std::vector<Expr> inner(e.parts.begin() + 3, e.parts.end());
    items(inner, s);
    from_ = before;
  }
}

void Walker::jump(const Statement& s) {
  const char* kind = s.kind == StatementKind::go_to ? "goto" : s.kind == StatementKind::exit ? "exit" : "cycle";
  int block = open_block(kind, s.at);
  add("GOTO");
  close_block(block);
  from_.clear();
  if (s.kind == StatementKind::go_to) return go_to(block, s.labels[0]);
  for (auto it = constructs_.rbegin(); it != constructs_.rend(); ++it) {
    bool meant = s.name.empty() ? it->loop : it->name == s.name;
    if (!meant) continue;
    if (s.kind == StatementKind::exit) it->leaving.push_back(block);
    else edge(block, it->again);
    return;
  }
}

}  // namespace perfcast::flang

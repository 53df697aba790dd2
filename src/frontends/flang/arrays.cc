// Array expressions: as the loop over their elements that they stand for. A loop of known length is multiplied out;
// one of unknown length becomes a block "elements" that is counted apart.
#include "frontends/flang/walker.h"

namespace perfcast::flang {

using Kind = Expr::Kind;

namespace {

std::optional<std::int64_t> elements_of(const Expr& e) {
  if (e.rank == 0) return std::nullopt;
  if (e.elements) return e.elements;
  bool elementwise = e.kind == Kind::operation || ((e.kind == Kind::intrinsic || e.kind == Kind::call) && e.elemental) ||
                     e.kind == Kind::part;
  if (elementwise)
    for (const auto& part : e.parts)
      if (auto n = elements_of(part)) return n;
  return std::nullopt;
}

// Trips of an implied DO with constant bounds.
std::optional<std::int64_t> trips_of(const Expr& e) {
  if (!e.parts[0].value || !e.parts[1].value) return std::nullopt;
  std::int64_t step = e.parts[2].value.value_or(1);
  if (step == 0) return std::nullopt;
  return std::max<std::int64_t>(0, (*e.parts[1].value - *e.parts[0].value + step) / step);
}

}  // namespace

void Walker::each_element(std::optional<std::int64_t> n, const std::function<void()>& walk,
                          const std::string& routine) {
  work_.push_back({});
  walk();
  Work element = std::move(work_.back());
  work_.pop_back();
  element.usage["LOOV"] += 1;
  add("LOIN");
  if (!n) {
    if (!routine.empty()) element.kind += "-of-" + routine;
    after_.push_back(std::move(element));
    return;
  }
  double times = static_cast<double>(*n);
  for (const auto& [operation, count] : element.usage) add(operation, count * times);
  for (auto& call : element.calls) work_.back().calls.push_back({call.callee, call.per_execution * times});
  for (auto& call : element.open) {
    for (auto& [operation, count] : call.as_procedure) count *= times;
    call.times *= times;
    work_.back().open.push_back(std::move(call));
  }
}

void Walker::outside(const std::function<void()>& walk) {
  if (work_.size() < 2) return walk();
  Work element = std::move(work_.back());
  work_.pop_back();
  walk();
  work_.push_back(std::move(element));
}

// What a loop over elements does to reach one of them.
void Walker::array_operand(const Expr& e) {
  if (e.kind == Kind::subscripted) {
    outside([&] { subscripts(e, false); });  // the descriptor is read once
    for (const auto& index : e.parts)
      if (index.kind != Kind::triplet && index.rank > 0 && &index != &e.parts[0]) add("ARR1");  // vector subscript
  } else if (e.kind == Kind::component) {
    if (e.parts[0].rank > 0) return array_operand(e.parts[0]);
    outside([&] { place(e); });
  } else if (e.kind == Kind::part) {
    return array_operand(e.parts[0]);
  } else if (e.indirect) {
    outside([&] { add("DEREF"); });
  }
  for (int left = e.rank; left > 0;) {
    int now = std::min(left, 3);
    add("ARR" + std::to_string(now));
    left -= now;
  }
}

void Walker::array_value(const Expr& e) {
  if (e.rank == 0) return outside([&] { value(e); });
  switch (e.kind) {
    case Kind::operation: {
      // The operands' own work first, then the operation on what it finds.
      Expr here = e;
      for (auto& part : here.parts) {
        array_value(part);
        Expr found;
        found.kind = Kind::variable, found.type = part.type, found.global = is_global(part), found.value = part.value;
        part = std::move(found);
      }
      here.rank = 0;
      return operation(here);
    }
    case Kind::intrinsic:
    case Kind::call:
      if (e.elemental) {
        Expr here = e;
        for (auto& part : here.parts) {
          if (part.kind == Kind::nothing) continue;
          array_value(part);
          Expr found;
          found.kind = is_plain(part) ? Kind::variable : Kind::structure;  // a computed value is not plain
          found.type = part.type, found.global = is_global(part);
          part = std::move(found);
        }
        here.rank = 0;
        return e.kind == Kind::call ? call(here) : intrinsic(here);
      }
      outside([&] { value(e); });
      return add("ARR1");
    case Kind::array:
    case Kind::implied_do:
      outside([&] { evaluate_array(e); });
      return add("ARR1");
    default: return array_operand(e);
  }
}

void Walker::array_assign(const Expr& target, const Expr& source) {
  auto n = elements_of(target);
  if (!n) n = elements_of(source);
  bool whole = !(source.rank > 0 && (source.kind == Kind::operation || source.elemental));
  if (source.kind == Kind::array && source.elements) {
    for (const auto& part : source.parts) store(target, part);
    return;
  }
  each_element(n, [&] {
    array_value(source);
    array_operand(target);
    if (target.type.category == Category::character) add("memmove");
    else if (target.type.category == Category::derived) add("COPY", std::max(1, (target.type.kind + 7) / 8));
    else add_typed(is_plain(source) ? 'T' : 'S', target.type, is_global(target));
  }, whole ? "assign" : "");  // the library copies or fills
}

void Walker::evaluate_array(const Expr& e) {
  if (is_plain(e)) return e.kind == Kind::subscripted ? subscripts(e, false) : place(e);
  if (e.kind == Kind::array || e.kind == Kind::implied_do) {
    std::size_t first = e.kind == Kind::implied_do ? 3 : 0;
    auto each = [&] {
      for (std::size_t i = first; i < e.parts.size(); i++) {
        const Expr& part = e.parts[i];
        if (part.rank > 0) evaluate_array(part);
        else value(part), add_typed(is_plain(part) ? 'T' : 'S', part.type, false);
      }
    };
    if (first == 0) return each();
    for (std::size_t i = 0; i < first; i++) value(e.parts[i]);
    if (!trips_of(e)) gap("array constructor whose size is not known: counted as one element");
    return each_element(trips_of(e).value_or(1), each);
  }
  if ((e.kind == Kind::intrinsic || e.kind == Kind::call) && !e.elemental) return value(e);
  if (e.kind == Kind::expansion || e.kind == Kind::structure || e.kind == Kind::nothing) return value(e);
  each_element(elements_of(e), [&] {
    array_value(e);
    add("ARR1");
    add_typed('S', e.type, false);
  });
}

}  // namespace perfcast::flang

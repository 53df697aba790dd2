// One overload of node() per kind of node of Flang's typed expressions. What the constant folder could compute has
// already become a constant; conversions of operands stand in the tree.
#include "frontends/flang/read_expression.h"

namespace perfcast::flang {
namespace {

using namespace Fortran;
using semantics::Symbol;

template <class T>
using Operand = evaluate::Expr<T>;

// Names of operations.
template <class T> const char* word(const evaluate::Add<T>&) { return "+"; }
template <class T> const char* word(const evaluate::Subtract<T>&) { return "-"; }
template <class T> const char* word(const evaluate::Multiply<T>&) { return "*"; }
template <class T> const char* word(const evaluate::Divide<T>&) { return "/"; }
template <class T> const char* word(const evaluate::Power<T>&) { return "**"; }
template <class T> const char* word(const evaluate::RealToIntPower<T>&) { return "**"; }
template <class T> const char* word(const evaluate::Negate<T>&) { return "neg"; }
template <class T> const char* word(const evaluate::Extremum<T>&) { return "min"; }
template <class T> const char* word(const evaluate::Parentheses<T>&) { return "("; }
template <class T> const char* word(const evaluate::Relational<T>&) { return "compare"; }
template <class T, common::TypeCategory C> const char* word(const evaluate::Convert<T, C>&) { return "convert"; }
template <int K> const char* word(const evaluate::ComplexComponent<K>&) { return "part"; }
template <int K> const char* word(const evaluate::ComplexConstructor<K>&) { return "complex"; }
template <int K> const char* word(const evaluate::Not<K>&) { return "not"; }
template <int K> const char* word(const evaluate::LogicalOperation<K>&) { return "and"; }
template <int K> const char* word(const evaluate::Concat<K>&) { return "concat"; }
template <int K> const char* word(const evaluate::SetLength<K>&) { return "("; }

Category category_of(common::TypeCategory category) {
  switch (category) {
    case common::TypeCategory::Integer: return Category::integer;
    case common::TypeCategory::Real: return Category::real;
    case common::TypeCategory::Complex: return Category::complex;
    case common::TypeCategory::Logical: return Category::logical;
    case common::TypeCategory::Character: return Category::character;
    default: return Category::derived;
  }
}

bool is_global(const Symbol& symbol) {
  const Symbol& root = semantics::GetAssociationRoot(symbol);
  if (semantics::IsDummy(root) || semantics::IsFunctionResult(root)) return false;
  return semantics::FindCommonBlockContaining(root) != nullptr || semantics::IsSaved(root) ||
         root.owner().IsModule() || root.owner().IsSubmodule();
}

struct Reader {
  evaluate::FoldingContext& folding;

  template <class T> Expr read(const evaluate::Expr<T>& expression) {
    Expr result = std::visit([&](const auto& x) { return node(x); }, expression.u);
    if constexpr (evaluate::IsSpecificIntrinsicType<T>)
      result.type = {category_of(T::category), T::kind};
    else if constexpr (std::is_same_v<T, evaluate::SomeDerived>)
      result.type = {Category::derived, size_of_type(expression)};
    if (result.rank == 0) result.rank = expression.Rank();
    return result;
  }

  template <class T> Expr node(const evaluate::Expr<T>& x) { return read(x); }

  // Bytes of a value of derived type, 0 when it is only known while running.
  static int size_of_type(const evaluate::Expr<evaluate::SomeDerived>& x) {
    auto type = x.GetType();
    if (!type || type->IsPolymorphic()) return 0;
    const auto* scope = type->GetDerivedTypeSpec().scope();
    return scope ? static_cast<int>(scope->size()) : 0;
  }

  template <class T> Expr node(const evaluate::Constant<T>& x) {
    Expr result = make(Expr::Kind::constant);
    result.rank = x.Rank();
    if (result.rank > 0) {
      known_shape(x.shape(), result);
    }
    if constexpr (T::category == common::TypeCategory::Integer) {
      if (auto scalar = x.GetScalarValue()) result.value = scalar->ToInt64();
    } else if constexpr (T::category == common::TypeCategory::Logical) {
      if (auto scalar = x.GetScalarValue()) result.value = scalar->IsTrue() ? 1 : 0;
    }
    return result;
  }

  template <class D, class R, class... O> Expr node(const evaluate::Operation<D, R, O...>& x) {
    Expr result = make(Expr::Kind::operation, word(x.derived()));
    result.parts.push_back(read(x.left()));
    if (result.name == "(") return std::move(result.parts[0]);  // a change of order or length, not of work
    if constexpr (sizeof...(O) > 1) result.parts.push_back(read(x.right()));
    if (result.name == "part") result.kind = Expr::Kind::part;
    return result;
  }
  Expr node(const evaluate::Relational<evaluate::SomeType>& x) {
    return std::visit([&](const auto& y) { return node(y); }, x.u);
  }

  // References to data.
  template <class T> Expr node(const evaluate::Designator<T>& x) {
    Expr result = std::visit([&](const auto& y) { return data(y); }, x.u);
    result.rank = x.Rank();
    return result;
  }
  Expr data(const evaluate::DataRef& x) {
    return std::visit([&](const auto& y) { return data(y); }, x.u);
  }
  Expr data(const evaluate::SymbolRef& x) {
    const Symbol& symbol = *x;
    Expr result = make(Expr::Kind::variable, symbol.name().ToString());
    result.global = is_global(symbol);
    result.indirect = semantics::IsAllocatableOrObjectPointer(&symbol);
    result.rank = symbol.Rank();
    shape_of(x, result);
    return result;
  }
  Expr data(const evaluate::Component& x) {
    Expr result = make(Expr::Kind::component, x.GetLastSymbol().name().ToString());
    result.indirect = semantics::IsAllocatableOrObjectPointer(&x.GetLastSymbol());
    result.parts.push_back(data(x.base()));
    result.global = result.parts[0].global;
    result.rank = x.Rank();
    if (result.rank > 0) shape_of(x, result);
    return result;
  }
  Expr data(const evaluate::ArrayRef& x) {
    Expr result = make(Expr::Kind::subscripted);
    if (const auto* component = x.base().UnwrapComponent()) result.parts.push_back(data(*component));
    else result.parts.push_back(data(*x.base().UnwrapSymbolRef()));
    result.global = result.parts[0].global;
    result.name = result.parts[0].name;
    for (const auto& subscript : x.subscript()) result.parts.push_back(subscript_of(subscript));
    result.rank = x.Rank();
    if (result.rank > 0) shape_of(x, result);
    return result;
  }
  Expr data(const evaluate::CoarrayRef& x) {
    Expr result = make(Expr::Kind::nothing, "coarray " + x.GetLastSymbol().name().ToString());
    result.rank = x.Rank();
    return result;
  }
  Expr data(const evaluate::Substring& x) {
    Expr result = make(Expr::Kind::substring);
    if (const auto* parent = x.GetParentIf<evaluate::DataRef>()) result.parts.push_back(data(*parent));
    else result.parts.push_back(make(Expr::Kind::constant));
    result.global = result.parts[0].global;
    result.parts.push_back(read(x.lower()));
    if (auto upper = x.upper()) result.parts.push_back(read(*upper));
    return result;
  }
  Expr data(const evaluate::ComplexPart& x) {
    Expr result = make(Expr::Kind::part);
    result.parts.push_back(data(x.complex()));
    result.global = result.parts[0].global;
    return result;
  }
  Expr subscript_of(const evaluate::Subscript& x) {
    if (const auto* plain = std::get_if<evaluate::IndirectSubscriptIntegerExpr>(&x.u)) return read(plain->value());
    const auto& triplet = std::get<evaluate::Triplet>(x.u);
    Expr result = make(Expr::Kind::triplet);
    result.rank = 1;
    if (const auto* lower = triplet.GetLower()) result.parts.push_back(read(*lower));
    if (const auto* upper = triplet.GetUpper()) result.parts.push_back(read(*upper));
    result.parts.push_back(read(triplet.GetStride()));
    return result;
  }
  template <class A> void shape_of(const A& x, Expr& result) {
    auto shape = evaluate::GetShape(folding, x);
    if (!shape || shape->empty()) return;
    if (auto extents = evaluate::AsConstantExtents(folding, *shape)) known_shape(*extents, result);
  }
  static void known_shape(const evaluate::ConstantSubscripts& extents, Expr& result) {
    result.elements = 1;
    for (auto extent : extents) {
      result.extents.push_back(extent < 0 ? 0 : extent);
      *result.elements *= result.extents.back();
    }
  }

  // Calls.
  template <class T> Expr node(const evaluate::FunctionRef<T>& x) {
    Expr result = node(static_cast<const evaluate::ProcedureRef&>(x));
    result.rank = x.Rank();
    return result;
  }
  Expr node(const evaluate::ProcedureRef& x) {
    Expr result = make(Expr::Kind::call);
    for (const auto& argument : x.arguments()) {
      const auto* given = argument ? argument->UnwrapExpr() : nullptr;
      result.parts.push_back(given ? read(*given) : make(Expr::Kind::nothing));
    }
    if (const auto* intrinsic = x.proc().GetSpecificIntrinsic()) {
      result.kind = Expr::Kind::intrinsic;
      result.name = intrinsic->name;
      result.elemental = x.proc().IsElemental();
      return result;
    }
    const Symbol& symbol = *x.proc().GetSymbol();
    const auto* details = symbol.GetUltimate().detailsIf<semantics::SubprogramDetails>();
    if (details && details->stmtFunction()) {
      result.kind = Expr::Kind::expansion;
      result.name = symbol.name().ToString();
      result.parts.push_back(read(*details->stmtFunction()));
      return result;
    }
    result.elemental = x.proc().IsElemental();
    result.name = x.proc().GetComponent() ? "*" : linkage_name(symbol);
    return result;
  }

  // Values put together.
  template <class T> Expr node(const evaluate::ArrayConstructor<T>& x) {
    Expr result = make(Expr::Kind::array);
    values_of(x, result);
    result.rank = 1;
    bool simple = true;
    for (const auto& value : result.parts) simple = simple && value.kind != Expr::Kind::implied_do && value.rank == 0;
    if (simple) result.elements = static_cast<std::int64_t>(result.parts.size());
    return result;
  }
  template <class T> void values_of(const evaluate::ArrayConstructorValues<T>& x, Expr& result) {
    for (const auto& value : x)
      result.parts.push_back(std::visit([&](const auto& y) { return node(y); }, value.u));
  }
  template <class T> Expr node(const evaluate::ImpliedDo<T>& x) {
    Expr result = make(Expr::Kind::implied_do, x.name().ToString());
    result.rank = 1;
    for (const auto* bound : {&x.lower(), &x.upper(), &x.stride()}) result.parts.push_back(read(*bound));
    values_of(x.values(), result);
    return result;
  }
  Expr node(const evaluate::StructureConstructor& x) {
    Expr result = make(Expr::Kind::structure);
    for (const auto& value : x) result.parts.push_back(read(value.second.value()));
    return result;
  }
  Expr node(const evaluate::ImpliedDoIndex& x) {
    Expr result = make(Expr::Kind::variable, x.name.ToString());
    result.type = {Category::integer, 8};
    return result;
  }
  Expr node(const evaluate::TypeParamInquiry&) { return make(Expr::Kind::nothing); }
  Expr node(const evaluate::DescriptorInquiry&) { return make(Expr::Kind::nothing); }
  Expr node(const evaluate::BOZLiteralConstant&) { return make(Expr::Kind::constant); }
  Expr node(const evaluate::NullPointer&) { return make(Expr::Kind::constant); }
  Expr node(const evaluate::ProcedureDesignator&) { return make(Expr::Kind::constant); }

  static Expr make(Expr::Kind kind, std::string name = {}) {
    Expr result;
    result.kind = kind;
    result.name = std::move(name);
    return result;
  }
};

// The scopes around a procedure, as Flang spells them: M module, S submodule, F host.
std::string scope_prefix(const semantics::Scope& scope) {
  std::string prefix;
  for (const auto* s = &scope; s && !s->IsTopLevel(); s = &s->parent()) {
    if (s->kind() == semantics::Scope::Kind::Module) {
      bool submodule = s->IsSubmodule();
      prefix = (submodule ? "S" : "M") + s->symbol()->name().ToString() + prefix;
    } else if (s->kind() == semantics::Scope::Kind::MainProgram) {
      prefix = "F" + prefix;
    } else if (s->kind() == semantics::Scope::Kind::Subprogram) {
      prefix = "F" + s->symbol()->name().ToString() + prefix;
    }
  }
  return prefix;
}

}  // namespace

std::string linkage_name(const Symbol& given) {
  const Symbol& symbol = given.GetUltimate();
  const std::string* bound = nullptr;
  if (const auto* details = symbol.detailsIf<semantics::SubprogramDetails>()) bound = details->bindName();
  else if (const auto* details = symbol.detailsIf<semantics::ProcEntityDetails>()) bound = details->bindName();
  if (bound && !bound->empty()) return *bound;
  const std::string name = symbol.name().ToString();
  // A function that only its type declares is an external one, wherever it is declared.
  if (symbol.has<semantics::ProcEntityDetails>() && !semantics::IsDummy(symbol) && !semantics::IsProcedurePointer(symbol) &&
      !symbol.attrs().test(semantics::Attr::INTRINSIC))
    return name + "_";
  switch (semantics::ClassifyProcedure(symbol)) {
    case semantics::ProcedureDefinitionClass::External: return name + "_";
    case semantics::ProcedureDefinitionClass::Intrinsic: return name;
    case semantics::ProcedureDefinitionClass::Module:
    case semantics::ProcedureDefinitionClass::Internal: {
      // A procedure of a submodule is named for the module that declares its interface.
      const semantics::Scope* owner = &symbol.owner();
      if (const auto* details = symbol.detailsIf<semantics::SubprogramDetails>())
        if (const Symbol* interface = details->moduleInterface()) owner = &interface->owner();
      return "_Q" + scope_prefix(*owner) + "P" + name;
    }
    default: return "*";
  }
}

Expr ExpressionReader::read(const evaluate::Expr<evaluate::SomeType>& expression) {
  return Reader{folding_}.read(expression);
}

Expr ExpressionReader::read_call(const evaluate::ProcedureRef& call) { return Reader{folding_}.node(call); }

}  // namespace perfcast::flang

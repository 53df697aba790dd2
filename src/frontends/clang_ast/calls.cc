// Calls: to functions of the program, to library routines, through pointers and virtual tables; and what comes with
// objects: construction, destruction, new, delete, lambdas.
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/Builtins.h>

#include <set>

#include "frontends/clang_ast/meaning.h"
#include "frontends/clang_ast/walker.h"

namespace perfcast::clang_ast {

using namespace clang;

void Walker::arguments(const FunctionProtoType* type, llvm::ArrayRef<const Expr*> given,
                       std::map<std::string, double>& loads) {
  int outer = std::exchange(in_index_, 0);
  for (unsigned i = 0; i < given.size(); i++) {
    const Expr* argument = given[i];
    QualType wanted = type && i < type->getNumParams() ? type->getParamType(i) : argument->getType();
    auto [load, times] = argument_load(context_, wanted);
    auto* copy = dyn_cast<CXXConstructExpr>(bare(argument));
    if (wanted->isReferenceType()) bind(argument);
    else if (copy && load == "AGST" && copy->getConstructor()->isTrivial() && copy->getNumArgs() == 1) place(copy->getArg(0));
    else argument->isGLValue() ? place(argument) : value(argument);
    loads[load] += times;
  }
  in_index_ = outer;
}

void Walker::call_function(const FunctionDecl* callee, std::map<std::string, double> loads, double times) {
  loads["PROC"] = 1;
  QualType given = callee->getReturnType();
  bool in_memory = given->isRecordType() && (eightbytes(context_, given) > 2 || argument_load(context_, given).first == "AGPP");
  if (in_memory) loads["AGPP"] += 1;  // where to put the result
  auto name = unit_.linkage_name(unit_.body_variant(callee));
  for (auto& [load, each] : loads) add(load, each *= times);
  auto& block = function_.blocks[static_cast<std::size_t>(block_)];
  block.calls.push_back({name, times});
  if (unit_.has_source(callee)) return unit_.reach(callee);
  bool c_name = callee->isExternC() || !context_.getLangOpts().CPlusPlus;
  auto routine = c_name ? routine_name(callee->getNameAsString()) : callee->getQualifiedNameAsString();
  if (callee->isReplaceableGlobalAllocationFunction())
    routine = callee->getOverloadedOperator() == OO_New || callee->getOverloadedOperator() == OO_Array_New ? "new" : "delete";
  open_.push_back({static_cast<std::size_t>(block_), name, routine, std::move(loads), times});
}

namespace {

// The virtual function a call dispatches to, if it does.
bool is_virtual(const CXXMethodDecl* method, const Expr* object, const MemberExpr* member) {
  if (!method->isVirtual() || (member && member->hasQualifier())) return false;
  return !method->getDevirtualizedMethod(object, false);
}

}  // namespace

void Walker::call(const CallExpr* e) {
  const FunctionDecl* callee = e->getDirectCallee();
  if (callee && builtin(e, callee)) return;
  std::map<std::string, double> loads;
  llvm::SmallVector<const Expr*, 8> given(e->arg_begin(), e->arg_end());
  const FunctionProtoType* type = callee ? callee->getType()->getAs<FunctionProtoType>() : nullptr;
  if (!callee) {
    QualType pointer = e->getCallee()->getType();
    if (pointer->isPointerType()) pointer = pointer->getPointeeType();
    type = pointer->getAs<FunctionProtoType>();
    if (auto* destructor = dyn_cast<CXXPseudoDestructorExpr>(bare(e->getCallee()))) return value(destructor);
    value(e->getCallee());
    arguments(type, given, loads);
    for (auto& [load, times] : loads) add(load, times);
    add("CPTR");
    function_.blocks[static_cast<std::size_t>(block_)].calls.push_back({"*", 1});
    return;
  }
  bool dispatched = false;
  if (auto* member_call = dyn_cast<CXXMemberCallExpr>(e)) {
    auto* method = cast<CXXMethodDecl>(callee);
    auto* member = dyn_cast<MemberExpr>(bare(e->getCallee()));
    if (isa<CXXDestructorDecl>(method) && method->isTrivial()) return value(member_call->getImplicitObjectArgument());
    const Expr* object = member_call->getImplicitObjectArgument();
    object->isGLValue() ? place(object) : value(object);
    dispatched = is_virtual(method, object, member);
    if (!dispatched) loads["AGPP"] += 1;  // the object; a virtual call has it in its price
  } else if (auto* method = dyn_cast<CXXMethodDecl>(callee); method && isa<CXXOperatorCallExpr>(e)) {
    if (given.empty()) return not_understood(e);
    if (method->isInstance() && !method->isExplicitObjectMemberFunction()) {
      const Expr* object = given.front();
      // A trivial assignment of classes copies the bytes.
      if ((method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator()) && method->isTrivial()) {
        place(given[1]);
        place(object);
        return add("COPY", eightbytes(context_, object->getType()));
      }
      object->isGLValue() ? bind(object) : value(object);
      dispatched = is_virtual(method, object, nullptr);
      if (!dispatched) loads["AGPP"] += 1;
    } else {
      value(given.front());
    }
    given.erase(given.begin());
  }
  arguments(type, given, loads);
  if (!dispatched) return call_function(callee, std::move(loads));
  for (auto& [load, times] : loads) add(load, times);
  add("CVIR");
  function_.blocks[static_cast<std::size_t>(block_)].calls.push_back({"*", 1});
  unit_.reach(callee);
}

// Functions the compiler knows. Those that stand for a library routine are counted as that routine.
bool Walker::builtin(const CallExpr* e, const FunctionDecl* callee) {
  unsigned id = callee->getBuiltinID();
  if (!id) return false;
  auto walk_arguments = [&] {
    for (auto* argument : e->arguments()) argument->isGLValue() ? place(argument) : value(argument);
  };
  switch (id) {
    case Builtin::BImove: case Builtin::BIforward: case Builtin::BImove_if_noexcept: case Builtin::BIas_const:
    case Builtin::BIforward_like: case Builtin::BIaddressof: case Builtin::BI__addressof:
      bind(e->getArg(0));
      return true;
    case Builtin::BI__builtin_operator_new: walk_arguments(); add("new"); return true;
    case Builtin::BI__builtin_operator_delete: walk_arguments(); add("delete"); return true;
    default: break;
  }
  if (context_.BuiltinInfo.isPredefinedLibFunction(id)) return false;
  const std::string full_name(context_.BuiltinInfo.getName(id));
  std::string name = full_name;
  if (name.starts_with("__builtin_")) name = name.substr(10);
  static const std::set<std::string> free = {
      "expect", "expect_with_probability", "constant_p", "unreachable", "assume", "object_size", "dynamic_object_size",
      "is_constant_evaluated", "launder", "prefetch", "trap", "va_start", "va_end", "va_copy", "assume_aligned",
      "huge_val", "huge_valf", "inf", "inff", "nan", "nanf", "nans", "unpredictable", "return_address", "frame_address",
      "addressof", "LINE", "FILE", "FUNCTION", "isfpclass"};
  static const std::set<std::string> bits = {"clz", "clzl", "clzll", "ctz", "ctzl", "ctzll", "popcount", "popcountl",
                                             "popcountll", "bswap16", "bswap32", "bswap64", "ffs", "ffsl", "ffsll",
                                             "parity", "rotateleft32", "rotateleft64", "clzg", "ctzg", "popcountg"};
  static const std::set<std::string> tests = {"isnan", "isinf", "isfinite", "isnormal", "signbit", "signbitf",
                                              "isgreater", "isless", "isgreaterequal", "islessequal", "isunordered",
                                              "islessgreater", "isinf_sign", "fpclassify"};
  walk_arguments();
  auto type = e->getNumArgs() ? e->getArg(0)->getType() : context_.IntTy;
  if (free.contains(name)) return true;
  if (bits.contains(name)) add_typed('B', type, false);
  else if (tests.contains(name)) add_typed('C', type, false);
  else if (name == "alloca" || name == "alloca_with_align") add_typed('A', context_.VoidPtrTy, false);
  else if (name.find("_overflow") != name.npos && e->getNumArgs() == 3)
    arithmetic(name.find("mul") != name.npos ? BO_Mul : BO_Add, type, false), add_typed('S', type, false);
  else if (context_.BuiltinInfo.isLibFunction(id)) add(routine_name(name));
  else unit_.gap("compiler function " + full_name, e->getBeginLoc());
  return true;
}

void Walker::construct(const CXXConstructExpr* e) {
  const CXXConstructorDecl* constructor = e->getConstructor();
  if (e->isElidable() && e->getNumArgs() == 1) return initialise(e->getType(), e->getArg(0), false);
  double times = element_count(context_, e->getType());
  if (e->requiresZeroInitialization()) add("COPY", eightbytes(context_, e->getType()));
  if (constructor->isTrivial()) {
    if (constructor->isDefaultConstructor()) return;
    bind(e->getArg(0));
    return add("COPY", eightbytes(context_, e->getType()));
  }
  std::map<std::string, double> loads = {{"AGPP", 1}};
  llvm::SmallVector<const Expr*, 8> given(e->arg_begin(), e->arg_end());
  arguments(constructor->getType()->getAs<FunctionProtoType>(), given, loads);
  call_function(constructor, std::move(loads), times);
  unit_.reach_virtuals(constructor->getParent());
}

// The arguments are those of the constructor this one was inherited into, handed on.
void Walker::construct_inherited(const CXXInheritedCtorInitExpr* e) {
  std::map<std::string, double> loads = {{"AGPP", 1}};
  for (auto* parameter : e->getConstructor()->parameters()) {
    auto [load, times] = argument_load(context_, parameter->getType());
    loads[load] += times;
  }
  call_function(e->getConstructor(), std::move(loads));
}

void Walker::destroy(QualType type, double times) {
  if (type->isReferenceType()) return;
  times *= element_count(context_, type);
  auto* record = context_.getBaseElementType(type)->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition() || record->hasTrivialDestructor()) return;
  if (auto* destructor = record->getDestructor()) call_function(destructor, {{"AGPP", 1}}, times);
}

void Walker::new_object(const CXXNewExpr* e) {
  if (e->isArray() && e->getArraySize() && *e->getArraySize()) value(*e->getArraySize());
  auto* allocate = e->getOperatorNew();
  for (unsigned i = 0; i < e->getNumPlacementArgs(); i++) value(e->getPlacementArg(i));
  if (!allocate->isReservedGlobalPlacementOperator()) {
    if (allocate->isReplaceableGlobalAllocationFunction() && !unit_.has_source(allocate)) add("new");
    else call_function(allocate, {{"AGIL", 1}});
  }
  const Expr* given = e->getInitializer();
  if (!given) return;
  auto* constructed = dyn_cast<CXXConstructExpr>(bare(given));
  bool counted = !e->isArray() || (constructed && constructed->getConstructor()->isTrivial()) ||
                 isa<InitListExpr>(bare(given)) || context_.getAsConstantArrayType(given->getType());
  if (counted) return initialise(e->getAllocatedType(), given, false);
  if (isa<ImplicitValueInitExpr>(bare(given))) return add("memset");
  value(given);
  unit_.gap("construction of an array of unknown length: counted once", e->getBeginLoc());
}

void Walker::delete_object(const CXXDeleteExpr* e) {
  value(e->getArgument());
  QualType type = e->getDestroyedType();
  auto* record = type.isNull() ? nullptr : type->getAsCXXRecordDecl();
  auto* destructor = record && record->hasDefinition() ? record->getDestructor() : nullptr;
  if (destructor && destructor->isVirtual() && !e->isArrayForm()) {
    add("CVIR"), add("delete");
    function_.blocks[static_cast<std::size_t>(block_)].calls.push_back({"*", 1});
    return unit_.reach(destructor);
  }
  if (destructor && !destructor->isTrivial()) {
    destroy(type);
    if (e->isArrayForm()) unit_.gap("destruction of an array of unknown length: counted once", e->getBeginLoc());
  }
  auto* release = e->getOperatorDelete();
  if (!release || !unit_.has_source(release)) return add("delete");
  call_function(release, {{"AGPP", 1}});
}

// As if it were plain; what makes it atomic has no price of its own here, and a gap says so.
void Walker::atomic(const AtomicExpr* e) {
  children(e);
  auto type = e->getValueType();
  add("DEREF");
  if (e->isCmpXChg()) add_typed('C', type, false), add_typed('S', type, false);
  else if (e->getNumSubExprs() > 2) add_typed('A', type, false), add_typed('S', type, false);
  unit_.gap("atomic operation: counted as a plain one", e->getBeginLoc());
}

void Walker::lambda(const LambdaExpr* e) {
  auto field = e->getLambdaClass()->field_begin();
  for (auto* init : e->capture_inits()) {
    if (init) initialise(field->getType(), init, false);
    ++field;
  }
  if (!e->getCallOperator()->isTemplated()) unit_.reach(e->getCallOperator());
}

}  // namespace perfcast::clang_ast

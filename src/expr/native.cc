#include "expr/native.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/run_tidily.h"

namespace perfcast::expr {
namespace {

std::string name_of_register(const Program& program, int r) {
  int variables = static_cast<int>(program.variables()), constants = static_cast<int>(program.constants().size());
  if (r < variables) return fmt::format("v{}", r);
  if (r < variables + constants) return fmt::format("({:a})", program.constants()[static_cast<std::size_t>(r - variables)]);
  return fmt::format("t{}", r);
}

std::string statement(const Program& program, const Instruction& i) {
  std::string a = name_of_register(program, i.a), b = name_of_register(program, i.b), c = name_of_register(program, i.c), value;
  switch (i.op) {
    case Op::add: value = a + " + " + b; break;
    case Op::subtract: value = a + " - " + b; break;
    case Op::multiply: value = a + " * " + b; break;
    case Op::divide: value = a + " / " + b; break;
    case Op::multiply_add: value = a + " * " + b + " + " + c; break;
    case Op::power: value = "pow(" + a + ", " + b + ")"; break;
    case Op::square_root: value = "sqrt(" + a + ")"; break;
    case Op::log: value = "log(" + a + ")"; break;
    case Op::log2: value = "log2(" + a + ")"; break;
    case Op::exp: value = "exp(" + a + ")"; break;
    case Op::floor: value = "floor(" + a + ")"; break;
    case Op::ceil: value = "ceil(" + a + ")"; break;
    case Op::abs: value = "fabs(" + a + ")"; break;
    case Op::min: value = fmt::format("{0} < {1} ? {0} : {1}", a, b); break;
    case Op::max: value = fmt::format("{0} > {1} ? {0} : {1}", a, b); break;
    case Op::mod: value = fmt::format("{0} - {1} * floor({0} / {1})", a, b); break;
    case Op::step: value = a + " >= 0 ? 1.0 : 0.0"; break;
    case Op::select: value = fmt::format("{} < {:a} ? {} : {}", a, i.limit, b, c); break;
  }
  return fmt::format("  const double t{} = {};\n", i.to, value);
}

std::string source_of(const Program& program) {
  std::string parameters, loads, arguments, body;
  for (std::size_t v = 0; v < program.variables(); v++) {
    parameters += fmt::format("{}double v{}", v ? ", " : "", v);
    loads += fmt::format("{}in[{}][i]", v ? ", " : "", v), arguments += fmt::format("{}in[{}]", v ? ", " : "", v);
  }
  for (const Instruction& i : program.code()) body += statement(program, i);
  return fmt::format(
      "#include <math.h>\nstatic inline double f({}) {{\n{}  return {};\n}}\n"
      "double one(const double *in) {{ (void)in; return f({}); }}\n"
      "void batch(const double *const *in, double *restrict out, long n) {{\n  (void)in;\n"
      "  for (long i = 0; i < n; i++) out[i] = f({});\n}}\n",
      parameters.empty() ? "void" : parameters, body, name_of_register(program, program.results()[0]), arguments, loads);
}

}  // namespace

struct NativeProgram::Library {
  void* handle = nullptr;
  ~Library() { if (handle) dlclose(handle); }
};

Result<NativeProgram> NativeProgram::compile(const Program& program) {
  const auto compiler = find_c_compiler();
  if (!compiler) return unfit("no C compiler here", "cc", "apt install gcc, or evaluate without machine code");
  TRY(TemporaryFolder folder, TemporaryFolder::make("expression"));
  CHECK_OK(write_file(folder.file("f.c"), source_of(program)));
  RunRequest request;
  request.command = {*compiler, "-O2", "-ftree-vectorize", "-fno-math-errno", "-fno-trapping-math", "-fPIC", "-shared", "-w", "-o", folder.file("f.so"), folder.file("f.c"), "-lm"};
  request.limits.time = Seconds{120};
  TRY(RunOutcome outcome, run_tidily(request));
  if (!outcome.ok()) return unfit("the C compiler could not translate the expression: " + outcome.how_it_ended(), *compiler);
  NativeProgram native;
  native.library_ = std::make_shared<Library>();
  native.library_->handle = dlopen(folder.file("f.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!native.library_->handle) return unfit("the translated expression cannot be loaded", folder.file("f.so"));
  native.one_ = reinterpret_cast<double (*)(const double*)>(dlsym(native.library_->handle, "one"));
  native.batch_ = reinterpret_cast<void (*)(const double* const*, double*, long)>(dlsym(native.library_->handle, "batch"));
  if (!native.one_ || !native.batch_) return unfit("the translated expression cannot be loaded", "dlsym");
  return native;
}

}  // namespace perfcast::expr

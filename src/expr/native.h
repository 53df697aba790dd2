// A compiled expression as machine code, made by the C compiler of this machine (cc, gcc or clang) and loaded. Worth it
// from about a million evaluations on; where there is no compiler, Program::batch serves.
#pragma once

#include <memory>

#include "base/files.h"
#include "expr/program.h"

namespace perfcast::expr {

class NativeProgram {
 public:
  static Result<NativeProgram> compile(const Program& program);
  double operator()(std::span<const double> values) const { return one_(values.data()); }
  void batch(std::span<const double* const> values, std::span<double> results) const {
    batch_(values.data(), results.data(), static_cast<long>(results.size()));
  }

 private:
  struct Library;
  std::shared_ptr<Library> library_;
  double (*one_)(const double*) = nullptr;
  void (*batch_)(const double* const*, double*, long) = nullptr;
};

}  // namespace perfcast::expr

// For a statically linked program, which cannot load libraries: expressions are interpreted instead.
#include "expr/native.h"

namespace perfcast::expr {

struct NativeProgram::Library {};

Result<NativeProgram> NativeProgram::compile(const Program&) {
  return unfit("this perfcast is statically linked and loads no machine code", "", "evaluate without machine code");
}

}  // namespace perfcast::expr

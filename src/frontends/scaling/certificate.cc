#include "frontends/scaling/certificate.h"

namespace perfcast::scaling {

void certify(const llvm_ir::CompiledProgram&, const std::map<std::string, int>&, Graph&, Graph*) {}

}  // namespace perfcast::scaling

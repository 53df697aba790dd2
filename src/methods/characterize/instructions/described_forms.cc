#include "methods/characterize/instructions/described_forms.h"

#include "base/paths.h"
#include "record/record_file.h"

namespace perfcast::instructions {

Result<DescribedForms> bundled_described_forms(const std::string& isa) {
  return read_record<DescribedForms>((bundled_data() / "instructions" / (isa + ".forms.json")).string());
}

}  // namespace perfcast::instructions

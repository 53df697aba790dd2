// Records of any kind, read for a report: kept as JSON for the page, and typed where something is computed from them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/machine.h"
#include "record/prediction.h"
#include "record/profile.h"
#include "report/page.h"

namespace perfcast::cli {

struct ReportRecords {
  std::vector<Machine> machines;
  std::vector<Profile> profiles;
  std::vector<Prediction> predictions;
};

// Reads a file, or a bundled or saved machine, or a bundled profile of this name. What is no perfcast record, is of an
// unknown kind or a newer version, or does not fit its format, is refused.
Status read_report_record(const std::string& name, ReportRecords& records, report::PageData& page);

}  // namespace perfcast::cli

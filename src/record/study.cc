#include "record/study.h"

#include "record/model_overview.h"

namespace perfcast {

PERFCAST_RECORD_FILE(, Study)
PERFCAST_RECORD_FILE(, ModelOverview)

}  // namespace perfcast

// Fortran programs as a source-level graph, read by Flang's parser and semantics (Saavedra chapter 5): each statement
// is a block with the operations it performs by the vocabulary of record/operations.h and edges to the statements that
// may follow it. Counts are zero; frontends/flang/apply_fortran_counts.h fills them from a counted run. docs/analyze.md
// says which operation is counted when.
//
// Procedures carry the names Flang gives them in object code; each ENTRY is a function of its own, as it is there.
#pragma once

#include <vector>

#include "frontends/source_file.h"
#include "record/profile.h"

namespace perfcast {

// An error is a file that does not compile; it carries the compiler's first error. What is not understood is a Gap.
// Modules may be used before the file that defines them is given.
Result<Graph> read_fortran(const std::vector<SourceFile>& files, std::vector<Gap>& gaps, std::vector<Region>& regions);

}  // namespace perfcast

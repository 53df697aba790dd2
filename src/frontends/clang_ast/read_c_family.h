// C and C++ programs as a source-level graph, read from Clang's syntax tree (Saavedra chapter 5): each statement, and
// each part of one that is executed on its own condition (the right side of &&, an arm of ?:, the test and the step
// of a loop), is a block with the operations it performs by the vocabulary of record/operations.h. Counts are zero;
// frontends/apply_counts.h fills them from a counted run. docs/analyze.md says which operation is counted when.
//
// Functions carry their linkage names, so overloads and template instantiations are apart. Read are all functions
// defined in the given files, and from headers, the standard library's too, those the program can reach.
#pragma once

#include <vector>

#include "frontends/source_file.h"
#include "record/profile.h"

namespace perfcast {

// An error is a file that does not compile; it carries the compiler's first error. What is not understood is a Gap.
Result<Graph> read_c_family(const std::vector<SourceFile>& files, std::vector<Gap>& gaps, std::vector<Region>& regions);

}  // namespace perfcast

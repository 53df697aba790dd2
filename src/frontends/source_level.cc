#include "frontends/source_level.h"

#include <algorithm>
#include <iterator>

#include "frontends/clang_ast/read_c_family.h"
#include "frontends/flang/apply_fortran_counts.h"
#include "frontends/flang/read_fortran.h"
#include "frontends/apply_counts.h"
#include "frontends/llvm_ir/remarks.h"
#include "frontends/loops_beside.h"

namespace perfcast {

std::vector<SourceReading> read_sources(const llvm_ir::CompiledProgram& program, std::vector<Gap>& all_gaps, std::vector<Region>& regions) {
  std::vector<SourceFile> c_family, fortran;
  for (const auto& unit : program.units)
    (unit.language == llvm_ir::Language::fortran ? fortran : c_family).push_back({unit.source, unit.flags, unit.folder});
  std::vector<SourceReading> readings;
  auto add = [&](const std::vector<SourceFile>& files, auto read, auto apply) {
    if (files.empty()) return;
    std::vector<Gap> gaps;
    if (auto graph = read(files, gaps, regions)) {
      readings.push_back({std::move(*graph), apply, std::move(gaps)});
      return;
    } else {
      gaps.push_back({"the source level is missing: " + graph.error().message(), {}, 0});
    }
    all_gaps.insert(all_gaps.end(), gaps.begin(), gaps.end());
  };
  add(c_family, read_c_family, apply_counts);
  add(fortran, read_fortran, apply_fortran_counts);
  return readings;
}

std::optional<Graph> counted_source(const std::vector<SourceReading>& readings, const PositionCounts& positions, std::vector<Gap>& gaps) {
  if (readings.empty()) return {};
  Graph all;
  for (SourceReading reading : readings) {
    reading.apply(reading.graph, positions, reading.gaps);
    std::ranges::move(reading.graph.functions, std::back_inserter(all.functions));
    std::ranges::move(reading.gaps, std::back_inserter(gaps));
  }
  return all;
}

void add_source_loops(const llvm_ir::CompiledProgram& program, Result<std::vector<SourceLoop>> loops, Profile& profile) {
  if (!loops) {
    profile.gaps.push_back({"what the loops of the source need is not known: " + loops.error().what, {}, 0});
    return;
  }
  profile.source_loops = std::move(*loops);
  tell_loops_apart(profile);
  for (CompilerRemark& remark : llvm_ir::compiler_remarks(program))
    if (std::ranges::any_of(profile.source_loops, [&](const SourceLoop& loop) {
          return loop.at.file == remark.at.file && loop.first_line <= remark.at.line && remark.at.line <= loop.last_line;
        }))
      profile.remarks.push_back(std::move(remark));
}

}  // namespace perfcast

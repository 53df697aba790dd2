// What a reader wants of a profile, small enough for a page: which levels were counted, where the work is, what was
// called, what is not known. The whole profile stays in its own file.
#pragma once

#include <string>
#include <vector>

#include "record/profile.h"

namespace perfcast::report {

struct LevelDigest {
  std::string level;  // "source", "IR", "machine"
  double functions = 0, executed_functions = 0, blocks = 0, executed = 0;
  double work = 0;    // operations or instructions executed
};
template <class Fields>
void describe(Fields& f, LevelDigest& l) {
  f.need("level", l.level), f("functions", l.functions), f("executed_functions", l.executed_functions);
  f("blocks", l.blocks), f("executed", l.executed), f("work", l.work);
}

struct LoopDigest {
  std::string function, file;
  int line = 0;
  double entries = 0, iterations = 0, share = 0;  // share of all IR operations, inner loops apart
};
template <class Fields>
void describe(Fields& f, LoopDigest& l) {
  f.need("function", l.function), f("file", l.file), f("line", l.line), f("entries", l.entries);
  f("iterations", l.iterations), f("share", l.share);
}

struct CountedOperation {
  std::string name, meaning;
  double count = 0;
};
template <class Fields>
void describe(Fields& f, CountedOperation& o) { f.need("name", o.name), f("count", o.count), f("meaning", o.meaning); }

struct ProfileDigest {
  static constexpr const char* format = "perfcast.profile_digest";
  static constexpr int version = 1;
  std::string program;
  MadeBy made_by;
  ProgramRun run;
  std::vector<LevelDigest> levels;
  std::vector<LoopDigest> loops;              // most work first
  std::vector<CountedOperation> operations;   // of the source level, most executed first
  std::map<std::string, double> library_calls;
  std::vector<Gap> gaps;                      // heaviest first
};
template <class Fields>
void describe(Fields& f, ProfileDigest& p) {
  f.need("program", p.program), f("made_by", p.made_by), f("run", p.run), f.need("levels", p.levels);
  f.need("loops", p.loops), f.need("operations", p.operations), f("library_calls", p.library_calls), f("gaps", p.gaps);
}

// IR operations of one execution of a block; quantities (flops, bytes) and what costs nothing are left out.
double operations_of(const Block& block);
LevelDigest digest_level(const char* name, const Graph& graph);
// Loops of the IR by the share of all operations in their own blocks.
std::vector<LoopDigest> loops_by_work(const Graph& ir);
ProfileDigest digest_profile(const Profile& profile);

}  // namespace perfcast::report

// A program, as a software execution graph (Papaefstathiou fig. 2): functions, loops, blocks, branches and calls.
// The same shape serves every level of description (source statements, compiler IR, machine code): a block has a
// resource usage vector and a count, which is a number for one run or an exact expression in the parameters.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/access.h"
#include "record/gap.h"
#include "record/instruction.h"
#include "record/made_by.h"
#include "record/mispredictions.h"
#include "record/record_file.h"
#include "record/scaling.h"
#include "record/source_loop.h"

namespace perfcast {

// How sure an expression for a count is (Clement 4.2.1).
enum class Certainty { counted, proved, interpolated, ratio, unknown };
template <>
struct EnumWords<Certainty> {
  static constexpr std::pair<Certainty, const char*> words[] = {{Certainty::counted, "counted"},
                                                                {Certainty::proved, "proved"},
                                                                {Certainty::interpolated, "interpolated"},
                                                                {Certainty::ratio, "ratio"},
                                                                {Certainty::unknown, "unknown"}};
};

// How often something happened: in the recorded run, and, where known, as a function of the parameters.
// In JSON a bare number, or {"value":..., "is":"N^2 - N", "certainty":"interpolated"}.
struct Count {
  double value = 0;        // exact up to 2^53
  std::string expression;  // empty: known for the recorded run only
  Certainty certainty = Certainty::counted;
  bool operator==(const Count&) const = default;
};
Json shape_to_json(const Count& count);
void shape_from_json(const Json& json, Count& count, const std::string& place);

struct Edge {
  int to = 0;  // block of the same function
  Count count;
  bool operator==(const Edge&) const = default;
};
template <class Fields>
void describe(Fields& f, Edge& e) { f.need("to", e.to), f("count", e.count); }

struct Call {
  std::string callee;       // linkage name; "*" through a pointer
  double per_execution = 1;  // calls per execution of the block
  bool operator==(const Call&) const = default;
};
template <class Fields>
void describe(Fields& f, Call& c) {
  f.need("callee", c.callee);
  if (Fields::reading || c.per_execution != 1) f("per_execution", c.per_execution);
}

struct Block {
  std::string name;                      // unique in its function
  std::string kind;                      // source level: "assign", "if", "do", "goto", "call", "return", ...
  Location at;
  Count count;
  std::optional<int> loop;               // innermost loop it lies in
  std::vector<Edge> next;
  std::map<std::string, double> usage;   // operations per execution, by the level's own vocabulary
  std::vector<Call> calls;
  std::vector<Instruction> code;         // machine level
  std::optional<std::string> from;       // block of the IR level this machine block came from
  std::optional<Mispredictions> mispredicted;  // of its branch, in the run
  std::optional<Mispredictions> mispredicted_calls;  // of its calls through pointers, where they were seen apart
  std::vector<Access> accesses;          // memory behaviour of its loads and stores; machine level: where watched there
  bool operator==(const Block&) const = default;
};
// `mispredicted` by the large predictor, `mispredicted_small` and `mispredicted_path` where the others differ.
template <class Fields>
void describe_mispredictions(Fields& f, const char* what, std::optional<Mispredictions>& mispredicted) {
  std::optional<double> large, small, path;
  if (!Fields::reading && mispredicted) large = mispredicted->large;
  if (large && mispredicted->small != *large) small = mispredicted->small;
  if (large && mispredicted->path != *large) path = mispredicted->path;
  f(what, large), f((std::string(what) + "_small").c_str(), small), f((std::string(what) + "_path").c_str(), path);
  if (Fields::reading && large) mispredicted = {*large, small.value_or(*large), path.value_or(*large)};
}
template <class Fields>
void describe(Fields& f, Block& b) {
  f.need("name", b.name), f("kind", b.kind), f("at", b.at), f.need("count", b.count), f("loop", b.loop), f("next", b.next);
  f("usage", b.usage), f("calls", b.calls), f("code", b.code), f("from", b.from);
  describe_mispredictions(f, "mispredicted", b.mispredicted), describe_mispredictions(f, "mispredicted_calls", b.mispredicted_calls);
  f("accesses", b.accesses);
}

struct Loop {
  Location at;
  int header = 0;             // block
  std::optional<int> parent;  // enclosing loop
  Count entries, iterations;  // header executions in total are `iterations`
  std::map<std::string, double> recurrence;  // IR level: operations of the longest chain from one iteration to the next
  bool irreducible = false;
  int beside = 0;             // IR level: its number among loops side by side that begin at one place (SourceLoop::beside)
  std::string source_function;  // IR level: the one it is written in, where it was inlined from another
  bool operator==(const Loop&) const = default;
};
template <class Fields>
void describe(Fields& f, Loop& l) {
  f("at", l.at), f.need("header", l.header), f("parent", l.parent), f("entries", l.entries);
  f("iterations", l.iterations), f("recurrence", l.recurrence);
  if (Fields::reading || l.irreducible) f("irreducible", l.irreducible);
  if (Fields::reading || l.beside) f("beside", l.beside);
  if (Fields::reading || !l.source_function.empty()) f("source_function", l.source_function);
}

struct Function {
  std::string name;      // linkage name
  std::string readable;  // as a person writes it; empty: same as name
  Location at;
  bool library = false;  // not the program's own: from a header of the system, or of a library's code
  std::string library_name;  // machine level: the file of the library, "libm.so.6"
  Count calls;
  std::vector<Block> blocks;
  std::vector<Loop> loops;
  bool operator==(const Function&) const = default;
};
template <class Fields>
void describe(Fields& f, Function& fn) {
  f.need("name", fn.name), f("readable", fn.readable), f("at", fn.at);
  if (Fields::reading || fn.library) f("library", fn.library);
  f("library_name", fn.library_name), f("calls", fn.calls);
  f("blocks", fn.blocks), f("loops", fn.loops);
}

// One level of description of the whole program.
struct Graph {
  std::vector<Function> functions;
  bool operator==(const Graph&) const = default;
};
template <class Fields>
void describe(Fields& f, Graph& g) { f.need("functions", g.functions); }

// A part of the source with a name: given by a comment `perfcast: region NAME` ... `perfcast: end`.
struct Region {
  std::string name, file;
  int first_line = 0, last_line = 0;
  bool operator==(const Region&) const = default;
};
template <class Fields>
void describe(Fields& f, Region& r) {
  f.need("name", r.name), f("file", r.file), f("first_line", r.first_line), f("last_line", r.last_line);
}

// What a run asked of the operating system, beside pages.
struct SystemUse {
  double calls = 0, clock_reads = 0;          // clock_reads: answered without entering the kernel
  double bytes_read = 0, bytes_written = 0;   // from and to files, pipes and sockets
  SystemUse& operator*=(double factor) {
    calls *= factor, clock_reads *= factor, bytes_read *= factor, bytes_written *= factor;
    return *this;
  }
  bool operator==(const SystemUse&) const = default;
};
template <class Fields>
void describe(Fields& f, SystemUse& s) {
  f("calls", s.calls), f("clock_reads", s.clock_reads), f("bytes_read", s.bytes_read), f("bytes_written", s.bytes_written);
}

// The run the counts come from, and what it takes to do it again.
struct ProgramRun {
  std::vector<std::string> sources, arguments;
  std::string cflags, folder, input;         // input: file given as standard input
  std::string build_folder;                  // holds the compile_commands.json the sources were compiled by
  std::string language, compiler, target, cpu;
  std::string isa;                           // instruction set of the machine level: "x86_64", "aarch64"
  std::string binary;                        // analysed as it is, without source
  std::map<std::string, double> parameters;  // --param N=ARG1: their values in the recorded run
  std::map<std::string, int> parameter_arguments;
  int exit_code = 0;
  std::string ending;                        // how it ended, when not by exit 0
  std::string complaint;                     // then: the end of what it wrote to standard error
  double page_faults = 0, seconds = 0;       // of the counted run; faults since its own code began
  std::optional<SystemUse> system;           // where it was watched
  bool libraries_cut = false;                // work of libraries was not seen to its end and cannot be told from what was
  bool operator==(const ProgramRun&) const = default;
};
template <class Fields>
void describe(Fields& f, ProgramRun& r) {
  f("sources", r.sources), f("arguments", r.arguments), f("cflags", r.cflags), f("folder", r.folder);
  f("build_folder", r.build_folder), f("input", r.input), f("language", r.language), f("compiler", r.compiler), f("target", r.target), f("cpu", r.cpu);
  f("isa", r.isa), f("binary", r.binary), f("parameters", r.parameters), f("parameter_arguments", r.parameter_arguments);
  f("exit_code", r.exit_code), f("ending", r.ending), f("complaint", r.complaint), f("page_faults", r.page_faults), f("seconds", r.seconds), f("system", r.system);
  if (Fields::reading || r.libraries_cut) f("libraries_cut", r.libraries_cut);
}

struct Profile {
  static constexpr const char* format = "perfcast.profile";
  static constexpr int version = 1;

  std::string program;
  MadeBy made_by;
  ProgramRun run;
  std::optional<Graph> source;            // blocks are statements; usage counts source operations (operations.h)
  std::optional<Graph> ir;                // blocks of the compiler's final IR; usage counts IR operations
  std::optional<Graph> machine;           // blocks of machine code
  std::vector<InstructionForm> forms;     // of the machine level
  std::map<std::string, double> library_calls;  // routines without source, with how often each was called
  std::vector<Region> regions;
  std::vector<SourceLoop> source_loops;   // what the source of each executed loop asks for (bounds: M and MA)
  std::vector<CompilerRemark> remarks;    // the compiler's own, about what it did not do
  std::vector<Gap> gaps;
  std::optional<Scaling> scaling;         // counts as functions of the parameters (--param)
  Json parallel, messages;                // regions run by threads, message skeleton: records of the parallel room
  bool operator==(const Profile&) const = default;
};
template <class Fields>
void describe(Fields& f, Profile& p) {
  f.need("program", p.program), f("made_by", p.made_by), f("run", p.run), f("source", p.source), f("ir", p.ir);
  f("machine", p.machine), f("forms", p.forms), f("library_calls", p.library_calls), f("regions", p.regions);
  f("source_loops", p.source_loops), f("remarks", p.remarks), f("gaps", p.gaps), f("scaling", p.scaling);
  f("parallel", p.parallel), f("messages", p.messages);
}

// Sum over the graph of count times usage: the dynamic statistics of Saavedra's tables 5.5 and 5.6.
std::map<std::string, double> dynamic_usage(const Graph& graph);
std::map<std::string, double> static_usage(const Graph& graph);

PERFCAST_RECORD_FILE(extern, Profile)

}  // namespace perfcast

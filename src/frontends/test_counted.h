// For tests that go the whole way: a program is compiled, counted and read; what its statements must count is known from it.
#pragma once

#include "frontends/llvm_ir/instrument.h"
#include "frontends/test_source.h"

namespace perfcast {

// `read` makes the graph of the files, `apply` puts the counts into it.
template <class Reader, class Apply>
Result<ReadSource> count_source(Reader read, Apply apply, const std::vector<std::string>& sources, const std::string& flags,
                                const std::vector<std::string>& arguments) {
  llvm_ir::CompileRequest request;
  request.sources = sources, request.cflags = flags;
  TRY(llvm_ir::CompiledProgram program, llvm_ir::compile_program(request));
  llvm_ir::CountOptions options;
  options.arguments = arguments, options.limits.time = Seconds{60};
  TRY(llvm_ir::CountedRun run, llvm_ir::count_run(program, llvm_ir::Stage::early, options));
  TRY(PositionCounts positions, llvm_ir::position_counts(program, llvm_ir::Stage::early, run));
  std::vector<SourceFile> files;
  for (const auto& unit : program.units) files.push_back({unit.source, unit.flags, unit.folder});
  ReadSource source;
  TRY(source.graph, read(files, source.gaps, source.regions));
  apply(source.graph, positions, source.gaps);
  return source;
}

// The same of one file, given as text.
template <class Reader, class Apply>
ReadSource count_text(Reader read, Apply apply, const std::string& name, const std::string& text, const std::string& flags) {
  auto folder = TemporaryFolder::make("counted");
  EXPECT_TRUE(write_file(folder->file(name), text));
  auto source = count_source(read, apply, {folder->file(name)}, flags, {});
  EXPECT_TRUE(source) << source.error().message();
  return source ? std::move(*source) : ReadSource{};
}

}  // namespace perfcast

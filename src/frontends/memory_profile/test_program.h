#pragma once

#include "frontends/memory_profile/memory_profile.h"

namespace perfcast::memory_profile {

// The profile of a program given as text.
inline Result<MemoryProfile> profile_of(const char* text, const Options& options, const MadeBranches& made = {}) {
  TRY(TemporaryFolder folder, TemporaryFolder::make("test"));
  llvm_ir::CompileRequest request;
  request.sources = {folder.file("program.c")}, request.cflags = "-O1";
  CHECK_OK(write_file(request.sources[0], text));
  TRY(llvm_ir::CompiledProgram program, llvm_ir::compile_program(request));
  return profile_memory(program, made, options);
}

}  // namespace perfcast::memory_profile

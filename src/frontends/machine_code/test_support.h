// For the tests of this folder: small programs, compiled by clang for either instruction set without any header or
// library of the target.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files.h"
#include "base/process.h"
#include "frontends/machine_code/elf_image.h"

namespace perfcast::machine_code {

inline const char* x86_triple = "x86_64-pc-linux-gnu";
inline const char* arm_triple = "aarch64-unknown-linux-gnu";

// What stands for this instruction set and for the other one.
#if defined(__x86_64__)
inline const char* const host_qemu = "qemu-x86_64";
inline const char* const foreign_triple = arm_triple;
inline const char* const foreign_gcc = "aarch64-linux-gnu-gcc";
inline const char* const foreign_qemu = "qemu-aarch64";
#else
inline const char* const host_qemu = "qemu-aarch64";
inline const char* const foreign_triple = x86_triple;
inline const char* const foreign_gcc = "x86_64-linux-gnu-gcc";
inline const char* const foreign_qemu = "qemu-x86_64";
#endif

#define NEEDS(program) \
  if (!find_program(program)) GTEST_SKIP() << program << " is not installed"

// The start of a program without any library, so that it can be built for the other instruction set wherever we are: it
// defines int run(void).
inline const char* const bare_start = R"(
#if defined(__x86_64__)
__attribute__((naked)) void _start(void) { __asm__("and $-16,%rsp\n call run\n mov %eax,%edi\n mov $60,%eax\n syscall"); }
#else
__attribute__((naked)) void _start(void) { __asm__("bl run\n mov x8,#93\n svc #0"); }
#endif
)";

inline RunOutcome run_or_fail(std::vector<std::string> command) {
  std::string shown;
  for (const auto& word : command) shown += word + " ";
  RunRequest request;
  request.command = std::move(command);
  auto outcome = run_program(request);
  EXPECT_TRUE(outcome.has_value()) << shown;
  if (!outcome) return {};
  EXPECT_TRUE(outcome->ok()) << shown << "\n" << outcome->errors;
  return *outcome;
}

// A folder with source files in it and what clang makes of them.
class Workshop {
 public:
  Workshop() : folder_(std::move(*TemporaryFolder::make("machine-code-test"))) {}
  std::string file(const std::string& name) const { return folder_.file(name); }
  std::string source(const std::string& name, const std::string& text) {
    EXPECT_TRUE(write_file(file(name), text));
    return file(name);
  }
  // clang FLAGS... SOURCE -o NAME
  std::string clang(const std::string& name, const std::string& input, std::vector<std::string> flags) {
    std::vector<std::string> command = {"clang-19"}, libraries;
    for (auto& flag : flags) (flag.starts_with("-l") ? libraries : command).push_back(flag);
    command.insert(command.end(), {input, "-o", file(name)});
    command.insert(command.end(), libraries.begin(), libraries.end());
    run_or_fail(std::move(command));
    return file(name);
  }
  std::string bitcode(const std::string& name, const std::string& input, const std::string& triple,
                      std::vector<std::string> flags) {
    flags.insert(flags.end(), {"--target=" + triple, "-g", "-emit-llvm", "-c", "-fno-discard-value-names"});
    return clang(name, input, std::move(flags));
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace perfcast::machine_code

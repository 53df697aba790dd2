// libFuzzer's side of an entry: one program for all of them, which one is named by the program's own name
// (fuzz_profile is a link to it). An exception that escapes an entry is a finding.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "fuzz/entries.h"

namespace {
const perfcast::fuzz::Entry* chosen = nullptr;
}

extern "C" int LLVMFuzzerInitialize(int*, char*** argv) {
  std::string name = std::filesystem::path((*argv)[0]).filename().string();
  if (name.starts_with("fuzz_")) name.erase(0, 5);
  chosen = perfcast::fuzz::entry_named(name);
  if (chosen) return 0;
  for (const auto& entry : perfcast::fuzz::entries()) std::printf("%s %s\n", entry.name, entry.seeds);
  std::fflush(stdout);  // a leak found at exit would keep it
  std::exit(0);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->run(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}

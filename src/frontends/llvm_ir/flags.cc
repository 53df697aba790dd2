#include "frontends/llvm_ir/flags.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace perfcast::llvm_ir {
namespace {

bool starts(std::string_view word, std::string_view prefix) { return word.starts_with(prefix); }

template <std::size_t n>
bool any_start(const std::array<std::string_view, n>& prefixes, std::string_view word) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return word.starts_with(prefix); });
}
template <std::size_t n>
bool any_equal(const std::array<std::string_view, n>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// Flags whose value is the next word.
constexpr std::array<std::string_view, 20> takes_value = {
    "-D", "-U", "-I", "-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-isysroot", "--sysroot",
    "-Xclang", "-Xflang", "-mllvm", "-mmlir", "-target", "-x", "-J", "-module-dir", "-arch", "-Xpreprocessor"};
constexpr std::array<std::string_view, 6> link_takes_value = {"-l", "-L", "-Xlinker", "-z", "-u", "-T"};
constexpr std::array<std::string_view, 6> dropped_with_value = {"-o", "-MF", "-MT", "-MQ", "-MJ", "--serialize-diagnostics"};
constexpr std::array<std::string_view, 12> dropped = {"-c", "-S", "-E", "-M", "-MM", "-MD", "-MMD", "-MP", "-MG",
                                                      "-emit-llvm", "-pipe", "-fsyntax-only"};
constexpr std::array<std::string_view, 4> dropped_start = {"-flto", "-fno-lto", "-save-temps", "-MJ"};
constexpr std::array<std::string_view, 11> link_words = {"-static", "-shared", "-rdynamic", "-nostdlib", "-s", "-pie",
    "-no-pie", "-static-pie", "-static-libgcc", "-static-libstdc++", "-nodefaultlibs"};
constexpr std::array<std::string_view, 5> link_start = {"-l", "-L", "-Wl,", "-fuse-ld", "-static-flang"};
// Flags that act on both sides.
constexpr std::array<std::string_view, 7> both_start = {"-pthread", "-fopenmp", "-fsanitize", "-stdlib=", "--target=",
                                                        "--sysroot", "-m32"};
constexpr std::array<std::string_view, 33> generation_start = {
    "-O", "-m", "--target=", "-fPIC", "-fpic", "-fPIE", "-fpie", "-fno-PIC", "-fno-pic", "-fno-PIE", "-fno-pie",
    "-ffast-math", "-fno-fast-math", "-ffp-contract", "-ffp-model", "-fno-math-errno", "-fassociative-math",
    "-freciprocal-math", "-fno-signed-zeros", "-fno-trapping-math", "-ffinite-math-only",
    "-funsafe-math-optimizations", "-fomit-frame-pointer", "-fno-omit-frame-pointer", "-ffunction-sections",
    "-fdata-sections", "-fno-plt", "-fno-jump-tables", "-falign-", "-fcf-protection", "-fno-semantic-interposition",
    "-fveclib", "-fno-exceptions"};

bool is_link_file(const std::string& word) {
  const std::string ending = std::filesystem::path(word).extension().string();
  return !starts(word, "-") && (ending == ".o" || ending == ".a" || ending == ".so" || word.find(".so.") != word.npos);
}

}  // namespace

bool is_source_name(const std::string& name) {
  static constexpr std::array<std::string_view, 22> endings = {
      ".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".cp", ".f", ".for", ".ftn", ".f77", ".f90", ".f95", ".f03", ".f08",
      ".f18", ".F", ".F77", ".F90", ".F95", ".F03", ".F08"};
  return !starts(name, "-") && any_equal(endings, std::filesystem::path(name).extension().string());
}

SortedFlags sort_flags(const std::vector<std::string>& words) {
  SortedFlags sorted;
  for (std::size_t i = 0; i < words.size(); i++) {
    const std::string& word = words[i];
    const bool has_next = i + 1 < words.size();
    auto take = [&](std::vector<std::string>& list) {
      list.push_back(word);
      if (has_next) list.push_back(words[++i]);
    };
    if (starts(word, "-flto") || word == "-fno-lto") sorted.link_time = word != "-fno-lto";
    if (any_equal(dropped, word) || any_start(dropped_start, word)) continue;
    if (any_equal(dropped_with_value, word)) { i++; continue; }
    if (any_equal(takes_value, word)) { take(sorted.compile); continue; }
    if (any_equal(link_takes_value, word)) { take(sorted.link); continue; }
    if (any_start(both_start, word)) {
      sorted.threads |= starts(word, "-pthread") || starts(word, "-fopenmp");
      sorted.compile.push_back(word), sorted.link.push_back(word);
    } else if (any_equal(link_words, word) || any_start(link_start, word) || is_link_file(word)) {
      sorted.threads |= word == "-lpthread";
      sorted.link.push_back(word);
    } else if (is_source_name(word)) {
      sorted.sources.push_back(word);
    } else {
      if (starts(word, "-O")) sorted.optimisation = word == "-O" ? "-O1" : word;
      sorted.compile.push_back(word);
    }
  }
  return sorted;
}

std::vector<std::string> code_generation_flags(const std::vector<std::string>& compile) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < compile.size(); i++) {
    const std::string& word = compile[i];
    if ((word == "-mllvm" || word == "-target") && i + 1 < compile.size()) {
      kept.push_back(word), kept.push_back(compile[++i]);
    } else if (any_equal(takes_value, word)) {
      i++;
    } else if (any_start(generation_start, word) && !starts(word, "-module-dir")) {
      kept.push_back(word);
    }
  }
  return kept;
}

std::vector<std::string> flags_for(Language language, const std::vector<std::string>& compile) {
  auto fits = [&](const std::string& flag) {
    if (starts(flag, "-W") && !starts(flag, "-Wp,")) return language != Language::fortran;
    if (!starts(flag, "-std=")) return true;
    const std::string standard = flag.substr(5);
    const bool cxx = standard.find("++") != standard.npos;
    const bool fortran = starts(standard, "f") || standard == "legacy";
    if (language == Language::fortran) return standard == "f2018";
    return !fortran && cxx == (language == Language::cxx);
  };
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < compile.size(); i++) {
    const bool pair = any_equal(takes_value, compile[i]) && i + 1 < compile.size();
    if (pair) kept.push_back(compile[i++]), kept.push_back(compile[i]);
    else if (fits(compile[i])) kept.push_back(compile[i]);
  }
  return kept;
}

std::vector<std::string> without_cpu(const std::vector<std::string>& flags) {
  static constexpr std::array<std::string_view, 14> cpu = {
      "-march", "-mcpu", "-mtune", "-mavx", "-msse", "-mfma", "-mbmi", "-mf16c", "-mamx", "-mprefer-vector-width",
      "-mpopcnt", "-mlzcnt", "-msve", "-mno-avx"};
  std::vector<std::string> kept;
  for (const auto& flag : flags)
    if (!any_start(cpu, flag)) kept.push_back(flag);
  return kept;
}

}  // namespace perfcast::llvm_ir

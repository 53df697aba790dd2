// For the tests of the readers of sources: a program read, as text given by the test, and what was found in it.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "frontends/source_file.h"
#include "record/profile.h"

namespace perfcast {

struct ReadSource {
  Graph graph;
  std::vector<Gap> gaps;
  std::vector<Region> regions;

  const Function* find(const std::string& name) const {
    for (const auto& function : graph.functions)
      if (function.name == name || function.readable == name) return &function;
    return nullptr;
  }
  // Executions of the blocks of this kind on this line, of one function or (no name) of all; -1: there are none.
  double count(const std::string& name, const std::string& kind, int line) const {
    double sum = 0;
    bool any = false;
    for (const auto& function : graph.functions) {
      if (!name.empty() && &function != find(name)) continue;
      for (const auto& block : function.blocks)
        if (block.kind == kind && block.at.line == line) sum += block.count.value, any = true;
    }
    return any ? sum : -1;
  }
  double count(const std::string& kind, int line) const { return count("", kind, line); }
  double executed(const std::string& operation) const {
    auto usage = dynamic_usage(graph);
    return usage.contains(operation) ? usage[operation] : 0;
  }
  std::string gap_text() const {
    std::string text;
    for (const auto& gap : gaps) text += gap.at.text() + ": " + gap.what + " (" + number_text(gap.weight) + ")\n";
    return text;
  }
};

// Files by name and text; headers and included files (.h, .inc) are only written. `read` is read_c_family or read_fortran.
template <class Reader>
Result<ReadSource> read_texts(Reader read, const std::vector<std::pair<std::string, std::string>>& texts, const std::vector<std::string>& arguments) {
  TRY(TemporaryFolder folder, TemporaryFolder::make("source"));
  ReadSource source;
  std::vector<SourceFile> files;
  for (const auto& [name, text] : texts) {
    EXPECT_TRUE(write_file(folder.file(name), text));
    if (!name.ends_with(".h") && !name.ends_with(".inc")) files.push_back({name, arguments, folder.path().string()});
  }
  TRY(source.graph, read(files, source.gaps, source.regions));
  return source;
}

// "2*AADD LOOV"
inline std::string usage_text(const std::map<std::string, double>& usage) {
  std::vector<std::string> words;
  for (auto& [operation, times] : usage) words.push_back((times == 1 ? "" : number_text(times) + "*") + operation);
  return join(words, " ");
}

}  // namespace perfcast

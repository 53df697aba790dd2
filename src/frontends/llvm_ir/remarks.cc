#include "frontends/llvm_ir/remarks.h"

#include <llvm/Remarks/Remark.h>
#include <llvm/Remarks/RemarkFormat.h>
#include <llvm/Remarks/RemarkParser.h>

#include <set>
#include <string_view>

#include "frontends/source_path.h"

namespace perfcast::llvm_ir {
namespace {

constexpr std::size_t enough = 5000;  // remarks of one program

bool worth_keeping(const llvm::remarks::Remark& remark) {
  if (!remark.Loc || remark.Loc->SourceLine == 0) return false;
  if (remark.RemarkType == llvm::remarks::Type::Passed) return remark.PassName == "loop-vectorize";
  if (remark.PassName == "inline") return remark.RemarkName != "NoDefinition";
  return true;
}

// Quotes are doubled and line ends spelled out in the record.
std::string plain(std::string text) {
  for (auto [from, to] : {std::pair("\\n", " "), {"\"\\n", " "}, {"''", "'"}, {"\"", ""}, {"\n", " "}, {"  ", " "}})
    for (std::size_t at; (at = text.find(from)) != std::string::npos;) text.replace(at, std::string_view(from).size(), to);
  return text;
}

}  // namespace

std::vector<CompilerRemark> compiler_remarks(const CompiledProgram& program) {
  std::vector<CompilerRemark> kept;
  std::set<std::tuple<std::string, Location, std::string>> seen;
  for (const Unit& unit : program.units) {
    auto text = read_file(unit.remarks_file);
    if (unit.remarks_file.empty() || !text) continue;
    auto parser = llvm::remarks::createRemarkParser(llvm::remarks::Format::YAML, *text);
    if (!parser) {
      llvm::consumeError(parser.takeError());
      continue;
    }
    while (kept.size() < enough) {
      auto next = (*parser)->next();
      if (!next) {
        llvm::consumeError(next.takeError());
        break;
      }
      const llvm::remarks::Remark& remark = **next;
      if (!worth_keeping(remark)) continue;
      CompilerRemark made;
      made.pass = remark.PassName.str(), made.text = plain(remark.getArgsAsMsg());
      made.at = {source_path(remark.Loc->SourceFilePath.str(), unit.folder), static_cast<int>(remark.Loc->SourceLine),
                 static_cast<int>(remark.Loc->SourceColumn)};
      made.missed = remark.RemarkType != llvm::remarks::Type::Passed;
      if (!made.at.file.starts_with("/usr/") && seen.emplace(made.pass, made.at, made.text).second) kept.push_back(std::move(made));
    }
  }
  return kept;
}

}  // namespace perfcast::llvm_ir

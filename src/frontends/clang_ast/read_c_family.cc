#include "frontends/clang_ast/read_c_family.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Tooling/ArgumentsAdjusters.h>
#include <clang/Tooling/Tooling.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "base/source_is_there.h"
#include "frontends/clang_ast/unit.h"

namespace perfcast {
namespace {

using namespace clang;
using clang_ast::Collected;

// Keeps the first error, as the compiler would print it.
class FirstError : public DiagnosticConsumer {
 public:
  std::string text;
  void HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic& info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level < DiagnosticsEngine::Error || !text.empty()) return;
    llvm::SmallString<200> message;
    info.FormatDiagnostic(message);
    if (info.hasSourceManager() && info.getLocation().isValid()) {
      auto at = info.getSourceManager().getPresumedLoc(info.getLocation());
      if (at.isValid())
        text = std::string(at.getFilename()) + ":" + std::to_string(at.getLine()) + ":" + std::to_string(at.getColumn()) + ": ";
    }
    text += "error: " + message.str().str();
  }
};

class ReadUnit : public ASTConsumer {
 public:
  ReadUnit(Collected& collected, const std::string& folder) : collected_(collected), folder_(folder) {}
  void HandleTranslationUnit(ASTContext& context) override {
    if (!context.getDiagnostics().hasErrorOccurred()) clang_ast::Unit(context, collected_, folder_).read();
  }

 private:
  Collected& collected_;
  std::string folder_;
};

class ReadAction : public ASTFrontendAction {
 public:
  ReadAction(Collected& collected, const std::string& folder) : collected_(collected), folder_(folder) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance&, StringRef) override {
    return std::make_unique<ReadUnit>(collected_, folder_);
  }

 private:
  Collected& collected_;
  std::string folder_;
};

bool is_cxx(const std::string& path) {
  static const std::set<std::string> endings = {".cc", ".cpp", ".cxx", ".c++", ".C", ".CC", ".cp"};
  return endings.contains(std::filesystem::path(path).extension().string());
}

Status read_file_of(const SourceFile& file, Collected& collected) {
  std::string here = std::filesystem::current_path().string();
  std::string folder = file.folder == here || file.folder == "." ? "" : file.folder;
  auto found = std::filesystem::path(file.path).is_absolute() ? std::filesystem::path(file.path)
                                                               : std::filesystem::path(folder) / file.path;
  CHECK_OK(source_is_there(found.string(), found.string()));
  tooling::CommandLineArguments command = {std::string(PERFCAST_CLANG_BIN) + (is_cxx(file.path) ? "/clang++" : "/clang")};
  command.insert(command.end(), file.arguments.begin(), file.arguments.end());
  command.insert(command.end(), {"-w", "-fno-caret-diagnostics", "--", file.path});
  for (auto adjust : {tooling::getClangStripOutputAdjuster(), tooling::getClangStripDependencyFileAdjuster(),
                      tooling::getClangSyntaxOnlyAdjuster()})
    command = adjust(command, file.path);
  FileSystemOptions options;
  options.WorkingDir = folder;
  llvm::IntrusiveRefCntPtr<FileManager> files(new FileManager(options));
  FirstError errors;
  tooling::ToolInvocation invocation(command, std::make_unique<ReadAction>(collected, folder), files.get());
  invocation.setDiagnosticConsumer(&errors);
  bool done = invocation.run();
  if (!errors.text.empty() || !done)
    return unfit("does not compile: " + (errors.text.empty() ? std::string("the compiler stopped") : errors.text), file.path,
                 "check the file and its options with " + command.front() + " -fsyntax-only " + file.path);
  return {};
}

}  // namespace

Result<Graph> read_c_family(const std::vector<SourceFile>& files, std::vector<Gap>& gaps, std::vector<Region>& regions) {
  Collected collected(gaps, regions);
  for (const auto& file : files) CHECK_OK(read_file_of(file, collected));
  close_calls(collected.graph, collected.open);
  // Each instantiation of a template repeats the gaps of its text.
  auto before = [](const Gap& a, const Gap& b) { return std::tie(a.at, a.what) < std::tie(b.at, b.what); };
  std::sort(gaps.begin(), gaps.end(), before);
  gaps.erase(std::unique(gaps.begin(), gaps.end()), gaps.end());
  return std::move(collected.graph);
}

}  // namespace perfcast
